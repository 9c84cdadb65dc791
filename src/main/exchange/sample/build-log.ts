import { randomUUID } from 'node:crypto'
import type { SessionEvent } from '../../../shared/session-event.ts'
import { logWriter, type LogWriter } from './log-writer.ts'
import { writeStep, type StepContext } from './step-events.ts'
import type { SampleTemplate } from './template.ts'
import { toTurns, type SampleTurn } from './turns.ts'

export interface LogContext {
  /** When the last event is, in ms since the epoch. */
  readonly end: number
  readonly cwd: string
  /** Forks: what was copied. Empty otherwise. */
  readonly seed: readonly SessionEvent[]
  /** Fills `{{…}}` in texts. */
  readonly fill: (text: string) => string
}

export interface BuiltLog {
  readonly events: readonly SessionEvent[]
  /** When the first own event is, in ms since the epoch. */
  readonly createdAt: number
}

const PROVIDER = 'deepseek-official'
const CONTEXT_WINDOW = 1_000_000
const REPLY_AFTER = 700

/** Turns a template into the events DSH would have written for such a conversation (dsh-format §5 and §6). */
export function buildLog(template: SampleTemplate, context: LogContext): BuiltLog {
  const { seed, fill } = context
  const log = logWriter(seed)
  const { turns, waiting } = toTurns(template.blocks)
  if (seed.length > 0) closeSeed(log, seed)
  if (template.kind === 'subagent') {
    const label = fill(template.title ?? template.key)
    log.add('subagent/descriptor', { version: 2, mode: 'one-shot', provider: 'spawn', label })
  }
  log.add('permission/preset', { preset: 'danger-full-access' })
  log.add('sandbox/mode', { mode: 'danger-full-access' })
  log.add('approval/policy', { policy: 'never' })
  const firstTurn = seed.filter((event) => event.type === 'turn/start').length + 1
  for (const [place, turn] of turns.entries()) {
    writeTurn(log, turn, { template, context, turn: firstTurn + place, first: place === 0 })
  }
  for (const { text, pause } of waiting) {
    log.wait(pause)
    log.add('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [userMessage(fill(text))] })
  }
  if (template.titledBy === 'user' && template.title !== undefined) {
    log.add('session/title', { title: fill(template.title), messageSeqs: [], source: { kind: 'user' } })
  }
  const events = log.finish(context.end)
  return { events, createdAt: events[seed.length]?.time ?? context.end }
}

/**
 * A fork's own first records (design §3): the closer of a turn that is open at the boundary, at the boundary's time as far as the
 * reader can tell, and the mark behind the seed.
 */
function closeSeed(log: LogWriter, seed: readonly SessionEvent[]): void {
  const last = seed.findLast((event) => event.type === 'turn/start' || event.type === 'turn/end')
  if (last?.type === 'turn/start') {
    const turn = seed.filter((event) => event.type === 'turn/start').length
    log.add('turn/end', { turn, reason: { kind: 'interrupted' } })
  }
  log.add('session/end-seed', {})
}

interface TurnContext {
  readonly template: SampleTemplate
  readonly context: LogContext
  readonly turn: number
  readonly first: boolean
}

function writeTurn(log: LogWriter, turn: SampleTurn, about: TurnContext): void {
  const { template, context } = about
  log.wait(turn.pause)
  const message = userMessage(context.fill(turn.prompt))
  log.add('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [message] })
  log.add('turn/start', { turn: about.turn })
  log.add('agent/inbox/spliced', { target: 'next-turn', start: 0, removedCount: 1, inserted: [] })
  const stepContext: StepContext = {
    turn: about.turn,
    provider: PROVIDER,
    model: template.model,
    cwd: context.cwd,
    fill: context.fill,
  }
  const failed = turn.end?.kind === 'failed' ? turn.end : undefined
  const steps = failed ? [...turn.steps, undefined] : turn.steps
  for (const [place, step] of steps.entries()) {
    log.wait(REPLY_AFTER)
    log.add('step/start', { turn: about.turn, step: place + 1 })
    if (place === 0) openTurn(log, message, about)
    const whole = step === undefined || writeStep(log, step, { ...stepContext, step: place + 1 })
    if (!whole) return
    log.add('step/end', { turn: about.turn, step: place + 1 })
  }
  if (turn.end?.kind === 'open') return
  log.add('turn/end', { turn: about.turn, reason: reasonOf(turn.end, context.fill) })
}

/** What stands in a turn's first step before the model's answer. */
function openTurn(log: LogWriter, message: object, { template, context, first }: TurnContext): void {
  const seq = log.add('user/message', message, { surfaceOp: 'append' })
  if (!first) return
  const { model } = template
  const config = { provider: PROVIDER, model, maxTokens: 256_000, reasoningEffort: 'high' }
  const system = `You are a coding agent. Your working directory is ${context.cwd}.`
  log.add('request/header', { header: { config, system }, reason: context.seed.length > 0 ? 'resume' : 'initial' })
  log.add('request/context', { provider: PROVIDER, model, contextWindow: CONTEXT_WINDOW })
  if (template.titledBy === 'provider' && template.title !== undefined) {
    const source = {
      kind: 'provider',
      provider: 'session-title-first-prompt-llm',
      model: { provider: PROVIDER, model },
    }
    log.add('session/title', { title: context.fill(template.title), messageSeqs: [seq], source })
  }
}

function reasonOf(end: SampleTurn['end'], fill: (text: string) => string): object {
  if (end?.kind === 'stopped') return { kind: 'aborted', reason: { kind: 'user' } }
  if (end?.kind !== 'failed') return { kind: 'completed' }
  return { kind: 'error', error: { message: fill(end.message), code: end.code, status: end.status } }
}

function userMessage(text: string): object {
  return { content: [{ type: 'text', text }], source: { kind: 'user' }, role: 'user', id: randomUUID() }
}
