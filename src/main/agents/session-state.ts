import type { ModelChoice } from '../../shared/tools.ts'
import { asRecord } from '../session-tree/event.ts'
import { applySplice, emptyInbox, INBOX_EVENT, type Inbox } from '../session-tree/inbox.ts'
import type { FoundEvent } from '../session-tree/own-scan.ts'
import { countOf, wordOf, type Fields } from './fields.ts'
import {
  AGENT_EVENT,
  END_EVENT,
  END_REASONS,
  ENVELOPE_EVENT,
  MODEL_EVENT,
  RAISE_EVENT,
  TURN_EVENT,
  USAGE_EVENT,
  type EndReason,
  type TerminalState,
} from './own-events.ts'

/** What the agents must know of a session, folded from its log. What stands in a fork's seed is the parent's. */
export interface SessionState {
  inbox: Inbox
  /** The number of the last turn, the seed's included: turns are counted through. */
  lastTurn: number
  openTurn: boolean
  agentSession: string | undefined
  /** The id that the parent's agent had for the conversation a fork was cut from. */
  parentAgentSession: string | undefined
  model: ModelChoice | undefined
  /** What the agent told of its tokens last, as it came; a fork begins with the parent's. */
  agentUsage: unknown
  /** Tokens that the session itself has used. */
  spent: number
  limit: number | undefined
  /** The preset that the limit came from. */
  limitFrom: string | undefined
  scope: readonly string[] | undefined
  role: string | undefined
  rejectedRaises: RejectedRaise[]
  ended: TerminalState | undefined
}

interface RejectedRaise {
  readonly limit: number
  readonly asked: number
  readonly reason: string
  readonly time: number
}

/** The only events that are parsed; all others are passed over as bytes. */
export const STATE_EVENTS: ReadonlySet<string> = new Set([
  INBOX_EVENT,
  'turn/start',
  'turn/end',
  'assistant/message',
  TURN_EVENT,
  AGENT_EVENT,
  MODEL_EVENT,
  USAGE_EVENT,
  ENVELOPE_EVENT,
  RAISE_EVENT,
  END_EVENT,
])

export function emptyState(): SessionState {
  return {
    inbox: emptyInbox(),
    lastTurn: 0,
    openTurn: false,
    agentSession: undefined,
    parentAgentSession: undefined,
    model: undefined,
    agentUsage: undefined,
    spent: 0,
    limit: undefined,
    limitFrom: undefined,
    scope: undefined,
    role: undefined,
    rejectedRaises: [],
    ended: undefined,
  }
}

/** Applies one event, in log order. Data of another shape changes nothing. */
export function foldState(state: SessionState, event: FoundEvent, seedLength: number): void {
  const data = asRecord(event.data)
  if (!data) return
  if (event.seq < seedLength) foldSeed(state, event.type, data)
  else foldOwn(state, event, data)
}

function foldSeed(state: SessionState, type: string, data: Fields): void {
  if (type === 'turn/start') state.lastTurn = countOf(data['turn']) ?? state.lastTurn
  if (type === USAGE_EVENT) state.agentUsage = data['told']
  if (type === AGENT_EVENT) state.parentAgentSession = wordOf(data['agentSession']) ?? state.parentAgentSession
}

function foldOwn(state: SessionState, { type, time }: FoundEvent, data: Fields): void {
  switch (type) {
    case INBOX_EVENT:
      state.inbox = applySplice(state.inbox, data)
      return
    case 'turn/start':
      state.lastTurn = countOf(data['turn']) ?? state.lastTurn + 1
      state.openTurn = true
      state.ended = undefined
      return
    case 'turn/end':
      state.openTurn = false
      state.ended = endOfTurn(asRecord(data['reason']), time)
      return
    case 'assistant/message':
      state.spent += tokensOf(data['usage'])
      return
    case AGENT_EVENT:
      state.agentSession = wordOf(data['agentSession']) ?? state.agentSession
      return
    case MODEL_EVENT:
      state.model = modelOf(data) ?? state.model
      return
    case USAGE_EVENT:
      state.agentUsage = data['told']
      return
    case ENVELOPE_EVENT:
      foldEnvelope(state, data)
      return
    case RAISE_EVENT:
      state.rejectedRaises.push({
        limit: countOf(data['limit']) ?? 0,
        asked: countOf(data['asked']) ?? 0,
        reason: wordOf(data['reason']) ?? '',
        time,
      })
      return
    case END_EVENT: {
      const reason = END_REASONS.find((known) => known === data['reason'])
      if (reason) state.ended = { reason, outcome: wordOf(data['outcome']) ?? '', time: countOf(data['time']) ?? time }
    }
  }
}

/** A limit is never raised, whatever a later event says. */
function foldEnvelope(state: SessionState, data: Fields): void {
  const limit = countOf(data['limit'])
  if (limit !== undefined) state.limit = Math.min(limit, state.limit ?? limit)
  state.limitFrom ??= wordOf(data['preset'])
  const scope = data['scope']
  if (Array.isArray(scope)) state.scope = scope.filter((glob): glob is string => typeof glob === 'string')
  state.role = wordOf(data['role']) ?? state.role
}

/** How a turn of any writer ended, in Voss's words; our own end event, which follows it, says it better. */
function endOfTurn(reason: Fields | undefined, time: number): TerminalState {
  const kind = wordOf(reason?.['kind']) ?? 'completed'
  return { reason: END_OF_KIND[kind] ?? 'error', outcome: kind, time }
}

const END_OF_KIND: Readonly<Record<string, EndReason>> = {
  completed: 'done',
  aborted: 'interrupt',
  interrupted: 'killed',
  'max-steps': 'max-iter',
  forked: 'done',
}

/** All tokens of a request: what was read, cached or not, and what was written (reasoning is part of that). */
export function tokensOf(usage: unknown): number {
  const fields = asRecord(usage)
  if (!fields) return 0
  const counted = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens']
  return counted.reduce((sum, name) => sum + (countOf(fields[name]) ?? 0), 0)
}

function modelOf(data: Fields): ModelChoice | undefined {
  const { provider, model, reasoningEffort } = data
  if (typeof provider !== 'string' || typeof model !== 'string') return undefined
  return { provider, model, ...(typeof reasoningEffort === 'string' && { reasoningEffort }) }
}
