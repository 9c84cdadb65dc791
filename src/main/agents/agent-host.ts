import { fail, ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import type { AgentHost, LiveStatus } from './agent.ts'
import { usedUpError, type Budgets } from './budget.ts'
import { claimDrafts, removalDraft, textOf, waitingMessages } from './claim.ts'
import { createLiveSession, type ClaimedTurn, type LiveSession } from './live-session.ts'
import type { AgentStarting } from './live-agent.ts'
import { closeOpenEnd, readOpenEnd } from './open-end.ts'
import { endDraft } from './own-events.ts'
import { chooseStart, type KnownPreset, type PresetList } from './presets.ts'
import type { SessionReader, SessionReading } from './session-reader.ts'

export interface AgentHostParts extends AgentStarting {
  readonly tree: SessionTree
  readonly reader: SessionReader
  readonly budgets: Budgets
  /** The presets there are now, and the one chosen in settings for sessions that name none. */
  readonly presets: () => Promise<{ readonly list: PresetList; readonly chosen?: string | undefined }>
  /** How many turns run at once; the rest wait in order. Asked whenever one could begin. */
  readonly atOnce: () => Promise<number>
  /** An agent that had nothing to do for so long is ended; it is started again for the next message. */
  readonly idleMs?: number
  /** Told of what went wrong outside any call. */
  readonly report: (error: ToolError, session: SessionId) => void
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

const IDLE_MS = 10 * 60_000

/**
 * The host of live agents: one at most for each session, so many turns at once, the rest in order. One message is one turn;
 * it is claimed in the log before it runs. For the home's owner, after `recoverAgents`.
 */
export function createAgentHost(parts: AgentHostParts): AgentHost {
  const { tree, reader, budgets, report, now = Date.now, idleMs = IDLE_MS } = parts
  const sessions = new Map<SessionId, LiveSession>()
  const queue = new Set<SessionId>()
  const working = new Map<SessionId, Promise<void>>()
  /** Stopped by a person: what waits there goes on with the next message. */
  const held = new Set<SessionId>()
  const troubles = new Map<SessionId, ToolError>()
  const listeners = new Set<(id: SessionId) => void>()
  const orders = new Map<SessionId, Promise<unknown>>()
  let isClosing = false

  const changed = (id: SessionId) => listeners.forEach((listener) => listener(id))

  /** Claiming and withdrawing count places in the inbox, so they follow one another. */
  function inOrder<Value>(id: SessionId, step: () => Promise<Value>): Promise<Value> {
    const mine = (orders.get(id) ?? Promise.resolve()).then(step)
    const settled = mine.catch(() => undefined)
    orders.set(id, settled)
    void settled.then(() => {
      if (orders.get(id) === settled) orders.delete(id)
    })
    return mine
  }

  function liveSession(id: SessionId): LiveSession {
    const known = sessions.get(id)
    if (known) return known
    const made = createLiveSession({ ...parts, id, now, idleMs, onChange: () => changed(id), onSpent })
    sessions.set(id, made)
    return made
  }

  /** Tokens were spent below a limit that is now used up: whoever draws on it stops at its next step. */
  function onSpent(id: SessionId): void {
    void (async () => {
      const place = await tree.locate(id)
      const found = place.ok ? await budgets.room(place.value) : place
      const owner = found.ok ? found.value.usedUp?.owner : undefined
      if (owner === undefined) return
      for (const [other, session] of sessions) {
        const standing = await tree.locate(other)
        if (standing.ok && (other === owner || standing.value.ancestors.includes(owner))) session.stopAtNextStep()
      }
    })()
  }

  async function pump(): Promise<void> {
    const limit = await parts.atOnce()
    for (const id of queue) {
      if (isClosing || working.size >= limit) return
      if (working.has(id)) continue
      queue.delete(id)
      const mine = work(id)
        .catch((bug: unknown) => report(toolError('internal', `The agent of ${id} failed: ${String(bug)}`), id))
        .then(() => {
          working.delete(id)
          changed(id)
          void pump()
        })
      working.set(id, mine)
    }
  }

  async function work(id: SessionId): Promise<void> {
    const claimed = await inOrder(id, () => claim(id))
    if (!claimed.ok) {
      const isNew = troubles.get(id)?.message !== claimed.error.message
      troubles.set(id, claimed.error)
      if (isNew) report(claimed.error, id)
      return
    }
    troubles.delete(id)
    if (!claimed.value) return
    const session = liveSession(id)
    const running = session.runTurn(claimed.value)
    // Stopped between the claim and this: what is claimed is closed in the log as any other turn.
    if (isClosing) void session.stopTurn('closing')
    else if (held.has(id)) void session.stopTurn('stop')
    const failure = await running
    if (failure) report(failure, id)
    // Whoever waits longer goes first; one with nothing more to do does not wait.
    const after = await reader.read(id)
    if (after.ok && waitingMessages(after.value.state.inbox).length === 0) return
    if (!held.has(id)) queue.add(id)
  }

  async function claim(id: SessionId): Promise<Result<ClaimedTurn | undefined>> {
    if (isClosing || held.has(id)) return ok(undefined)
    const read = await reader.read(id)
    if (!read.ok) return read
    const { header, state, place } = read.value
    const [waiting] = waitingMessages(state.inbox)
    if (!waiting) return ok(undefined)
    const { list, chosen } = await parts.presets()
    const preset = chooseStart(list, header, chosen)
    if (!preset.ok) return preset
    await refusePresetRaise(read.value, preset.value)
    const room = await budgets.room(place)
    if (!room.ok) return room
    const { left, usedUp } = room.value
    if (usedUp) {
      const error = usedUpError(id, usedUp)
      if (state.ended?.reason === 'budget') return fail(error)
      const end = endDraft({ reason: 'budget', outcome: 'the budget was used up', time: now() })
      const written = await tree.appendNext(id, [end])
      return written.ok ? fail(error) : written
    }
    if (state.openTurn) {
      const closed = await closeOpenTurn(id)
      if (!closed.ok) return closed
    }
    const prepared = await liveSession(id).prepare()
    if (!prepared.ok) return prepared
    const turn = state.lastTurn + 1
    const written = await tree.appendNext(id, claimDrafts(waiting, turn, preset.value.id, now()))
    if (!written.ok) {
      await liveSession(id).unprepare()
      return written
    }
    const prompt = { messageId: waiting.message.id, text: textOf(waiting.message) }
    return ok({ reading: read.value, preset: preset.value, turn, prompt, left })
  }

  /** A preset that was edited to give more changes nothing for the sessions it gave less to; each such attempt is recorded once. */
  async function refusePresetRaise({ state, place }: SessionReading, preset: KnownPreset): Promise<void> {
    const { limit, limitFrom, rejectedRaises } = state
    const asked = preset.budget
    if (limit === undefined || limitFrom !== preset.id || asked === undefined || asked <= limit) return
    if (rejectedRaises.some((raise) => raise.asked === asked)) return
    const refused = await budgets.refuseRaise(place.id, asked)
    if (!refused.ok) report(refused.error, place.id)
  }

  /** A turn that nobody works on is closed before another begins, as DSH does when a session is gone on with. */
  async function closeOpenTurn(id: SessionId): Promise<Result<unknown>> {
    const end = await readOpenEnd(tree, id)
    if (!end.ok) return end
    return end.value ? closeOpenEnd(tree, id, end.value) : ok(undefined)
  }

  return {
    wake(id) {
      if (isClosing) return
      held.delete(id)
      queue.add(id)
      void pump()
      changed(id)
    },
    status(id) {
      const live = sessions.get(id)?.status()
      if (live?.state === 'running') return live
      if (queue.has(id) || working.has(id)) return { state: 'queued', requests: [] } satisfies LiveStatus
      return live
    },
    trouble: (id) => troubles.get(id),
    withdraw: (id, messageId) =>
      inOrder(id, async () => {
        const read = await reader.read(id)
        if (!read.ok) return read
        const waiting = waitingMessages(read.value.state.inbox).find(({ message }) => message.id === messageId)
        if (!waiting) {
          const message = `That message to ${id} does not wait any more: it was taken, or withdrawn already.`
          return fail(toolError('invalid_request', message, { field: 'message_id' }))
        }
        const written = await tree.appendNext(id, [removalDraft(waiting, now())])
        return written.ok ? ok(undefined) : written
      }),
    interrupt: async (id) => sessions.get(id)?.stopTurn('user'),
    async stop(id) {
      held.add(id)
      queue.delete(id)
      await sessions.get(id)?.end('stop')
      await working.get(id)
      await sessions.get(id)?.end('stop')
      changed(id)
    },
    answer: (id, requestId, optionId) => sessions.get(id)?.answer(requestId, optionId) ?? false,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      isClosing = true
      queue.clear()
      await Promise.all([...sessions.values()].map((session) => session.end('closing')))
      await Promise.all(working.values())
      // One that was just being started when the others were ended.
      await Promise.all([...sessions.values()].map((session) => session.end('closing')))
    },
  }
}
