import { ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import type { Agent, LiveStatus, TurnPrompt } from './agent.ts'
import { openAgentRecord, type AgentRecord } from './agent-records.ts'
import { deferred } from './deferred.ts'
import { startLiveAgent, type AgentStarting, type LiveAgent } from './live-agent.ts'
import { createTurn, type LiveTurn } from './live-turn.ts'
import { AGENT_EVENT } from './own-events.ts'
import type { KnownPreset } from './presets.ts'
import { createQuestions, type Questions } from './questions.ts'
import { readHistory } from './history.ts'
import type { SessionReading } from './session-reader.ts'
import { tokensOf } from './session-state.ts'
import type { StopCause } from './turn-end.ts'
import { createTurnLog, type HostTurnLog } from './turn-log.ts'

/** A message that was claimed, on disk, and is to be run now. */
export interface ClaimedTurn {
  readonly reading: SessionReading
  readonly preset: KnownPreset
  readonly turn: number
  readonly prompt: TurnPrompt
  /** Tokens that may be spent in it; Infinity where there is no limit. */
  readonly left: number
}

/** One session and its agent, which comes with the first turn and goes when it is ended or dies. */
export interface LiveSession {
  /**
   * Puts the session on record, before anything of it is claimed: after a crash from here on it is looked at. It is taken off
   * once there is neither an agent nor a turn. Fails with `io_failed`.
   */
  prepare(): Promise<Result<void>>
  /** Nothing was claimed after all. */
  unprepare(): Promise<void>
  /** Runs one turn, whose beginning is on disk, to its end in the log. Resolves with what kept the log from being written. */
  runTurn(claimed: ClaimedTurn): Promise<ToolError | undefined>
  /** Absent while there is neither an agent nor a turn. */
  status(): LiveStatus | undefined
  /** Stops the turn at hand and waits for its end; the agent stays. */
  stopTurn(cause: StopCause): Promise<void>
  stopAtNextStep(): void
  /** Stops the turn at hand, then ends the agent. */
  end(cause: StopCause): Promise<void>
  answer(requestId: string, optionId: string): boolean
}

interface LiveSessionParts extends AgentStarting {
  readonly id: SessionId
  readonly tree: SessionTree
  readonly now: () => number
  readonly idleMs: number
  readonly onChange: () => void
  readonly onSpent: (id: SessionId) => void
}

interface CurrentTurn extends LiveTurn {
  readonly log: HostTurnLog
  readonly done: Promise<unknown>
}

export function createLiveSession(parts: LiveSessionParts): LiveSession {
  const { id, tree, now, idleMs, onChange } = parts
  let live: LiveAgent | undefined
  let record: AgentRecord | undefined
  let isPrepared = false
  let releasing: Promise<void> = Promise.resolve()
  let questions: Questions | undefined
  let current: CurrentTurn | undefined
  let isOverBudget = false
  let idle: NodeJS.Timeout | undefined

  /** The agent for this preset: the one that runs, or a new one. */
  async function agentFor(reading: SessionReading, preset: KnownPreset, turn: CurrentTurn): Promise<Agent | ToolError> {
    if (live && live.goneWith() === undefined && live.presetId === preset.id) return live.agent
    await live?.end()
    live = undefined
    const { state, header, place } = reading
    questions = createQuestions(id, preset.permission, onChange, (request, answer, isDecided) => {
      const log = current?.log
      if (isDecided) log?.add('approval/decided', { id: request.id, outcome: outcomeOf(answer?.kind) })
      else log?.add('approval/asked', { id: request.id, toolName: request.title, ...reasonOf(request.detail) })
    })
    if (header.cwd === undefined) {
      return toolError('cwd_missing', `${id} records no working folder, so no agent can work in it.`, { field: 'cwd' })
    }
    const history = preset.kind === 'acp' ? await readHistory(tree, reading) : undefined
    const model = state.model ?? preset.model
    if (!record) throw new Error('A turn is run for a session that was not prepared.')
    const started = await startLiveAgent(parts, record, {
      sessionId: id,
      cwd: header.cwd,
      preset,
      ...(model && { model }),
      ...(state.agentSession !== undefined && { agentSession: state.agentSession }),
      ...(state.agentUsage !== undefined && { usageBefore: state.agentUsage }),
      ...(history !== undefined && {
        history: {
          text: history,
          logPath: place.logPath,
          ...(state.parentAgentSession !== undefined && { parentAgentSession: state.parentAgentSession }),
        },
      }),
      ask: questions.ask,
      onAgentSession(agentSession) {
        const known = agentSession === reading.state.agentSession
        if (!known) (current ?? turn).log.note(AGENT_EVENT, { preset: preset.id, agentSession })
      },
    })
    if (!started.ok) return started.error
    const mine = started.value
    live = mine
    void mine.agent.ended.then(() => {
      if (live === mine) live = undefined
      clearTimeout(idle)
      void release()
      onChange()
    })
    return mine.agent
  }

  /** Off the record, unless an agent lives or a turn is not closed in the log yet. */
  function release(): Promise<void> {
    const left = live || current || isPrepared ? undefined : record
    if (left) {
      record = undefined
      releasing = releasing.then(() => left.close())
    }
    return releasing
  }

  function waitIdle(): void {
    clearTimeout(idle)
    // An idle agent does not keep the program from ending.
    idle = setTimeout(() => {
      if (current || !live) return
      if (live.agent.keepsRunning?.()) waitIdle()
      else void live.end()
    }, idleMs).unref()
  }

  const session: LiveSession = {
    async prepare() {
      isPrepared = true
      if (record) return ok(undefined)
      const opened = await openAgentRecord(parts.recordsFolder, id)
      if (opened.ok) record = opened.value
      else isPrepared = false
      return opened.ok ? ok(undefined) : opened
    },
    unprepare() {
      isPrepared = false
      return release()
    },
    async runTurn({ reading, preset, turn: number, prompt, left }) {
      clearTimeout(idle)
      let spent = 0
      isOverBudget = false
      const turn = createTurn(now)
      const log = createTurnLog({
        turn: number,
        now,
        append: (drafts) => tree.appendNext(id, drafts),
        events: {
          onUsage(usage) {
            spent += tokensOf(usage)
            if (spent >= left) isOverBudget = true
            // Others may draw on the same limit.
            if (left !== Number.POSITIVE_INFINITY) void log.flushed().then(() => parts.onSpent(id))
          },
          onStep(step) {
            if (isOverBudget) turn.stop('budget')
            else if (preset.stepLimit !== undefined && step > preset.stepLimit) turn.stop('steps')
          },
          onFailure: () => turn.stop('log'),
        },
      })
      const done = deferred<void>()
      const mine: CurrentTurn = { ...turn, log, done: done.promise }
      current = mine
      isPrepared = false
      onChange()
      try {
        const agent = await agentFor(reading, preset, mine)
        return await turn.run(agent, prompt, log, preset, () => isOverBudget)
      } finally {
        questions?.cancelAll()
        current = undefined
        done.resolve()
        if (live) waitIdle()
        else await release()
        onChange()
      }
    },
    status() {
      if (current) return { state: 'running', requests: questions?.waiting() ?? [], since: current.since }
      return live && live.goneWith() === undefined ? { state: 'idle', requests: [] } : undefined
    },
    async stopTurn(cause) {
      current?.stop(cause)
      await current?.done
    },
    stopAtNextStep() {
      if (current) isOverBudget = true
    },
    async end(cause) {
      await session.stopTurn(cause)
      await live?.end()
      live = undefined
      clearTimeout(idle)
      await release()
    },
    answer: (requestId, optionId) => questions?.answer(requestId, optionId) ?? false,
  }
  return session
}

/** What a question's answer came to, in the words that DSH's log has for it. */
function outcomeOf(kind: string | undefined): string {
  if (kind === undefined) return 'cancelled'
  return kind === 'allow' || kind === 'allow_always' ? 'approved' : kind === 'reject' ? 'denied' : 'answered'
}

function reasonOf(detail: string | undefined): { reason?: string } {
  return detail === undefined ? {} : { reason: detail }
}
