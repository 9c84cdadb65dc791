import { MessageTooLargeError, methods, type ClientContext } from '@agentclientprotocol/sdk/unstable'
import { setTimeout as pause } from 'node:timers/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import type { Agent, AgentStart, TurnLog } from './agent.ts'
import { connectTo, type AcpConnection, type AcpListener } from './acp-connection.ts'
import { turnEndOf } from './acp-content.ts'
import { fieldsOf, type Fields } from './fields.ts'
import { requestFailure } from './acp-failure.ts'
import { createHeldUpdates } from './acp-held-updates.ts'
import { introduction } from './acp-history.ts'
import { chooseModel, currentModel, type ChosenModel } from './acp-model.ts'
import { outcomeOf, questionOf } from './acp-permission.ts'
import { startAcpProcess, type AcpProcess } from './acp-process.ts'
import { greet, openSession, type OpenedSession } from './acp-session.ts'
import { createTurnUpdates, type TurnUpdates } from './acp-updates.ts'
import { createUsageCounter } from './acp-usage.ts'
import { wordsOf } from './live-agent.ts'
import { HISTORY_EVENT, OTHER_MODEL_EVENT, USAGE_EVENT } from './own-events.ts'

/** An agent that is fetched first (`npx …`) takes its time; one that says nothing for so long is given up. */
const START_MS = 120_000
/** A process that has closed its output is given so long to end by itself. */
const LEAVE_MS = 1000

/** What an agent says again when it takes up a session, or forks one: it stands in the log already. */
const SAID_BEFORE: ReadonlySet<unknown> = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
  'plan_update',
])

interface CurrentTurn {
  readonly updates: TurnUpdates
  readonly signal: AbortSignal
}

/**
 * Starts an agent that speaks the Agent Client Protocol over stdio, in the session's folder, with the three tools as an MCP
 * server (design §7), and opens or takes up its session.
 * Fails with `cwd_missing`, `preset_invalid` or `agent_failed`, with the agent's last words where it died.
 */
export async function startAcpAgent(start: AgentStart): Promise<Result<Agent>> {
  const started = await startAcpProcess(start)
  if (!started.ok) return started
  const agentProcess = started.value
  const secrets = [start.gateway.token]
  const held = createHeldUpdates()
  const answered = new Set<string>()
  let turn: CurrentTurn | undefined
  let isFirst = true
  let sessionId: string | undefined
  let model: string | undefined

  const listener: AcpListener = {
    update(session, update) {
      // Nobody has asked it anything yet.
      if (isFirst && SAID_BEFORE.has(update['sessionUpdate'])) return
      if (update['sessionUpdate'] === 'config_option_update') model = currentModel(update['configOptions']) ?? model
      if (!turn) held.add(update)
      else if (session === sessionId) turn.updates.take(update)
      else turn.updates.keep(update, { agentSession: session })
    },
    notice(method, params) {
      if (turn) turn.updates.keep(params, { method })
      else held.add({ method, params })
    },
    async permission(request, signal) {
      const asked = fieldsOf(request['toolCall'])
      const call = turn ? turn.updates.ask(asked) : asked
      const stop = turn ? AbortSignal.any([signal, turn.signal]) : signal
      return outcomeOf(await start.ask(questionOf(request, call), stop))
    },
  }
  const connection = connectTo(agentProcess, listener, secrets)
  void connection.closed.then(() => endSilent(agentProcess))
  const failureOf = (failure: ToolError) => wordsOfFailure(failure, connection, agentProcess)

  const opened = await withinTime(open(connection.agent, start))
  if (!opened.ok) {
    // One that answered with an error lives on, and is ended; one that died says why.
    const error = await failureOf(opened.error)
    connection.close()
    await agentProcess.stop()
    return fail(error)
  }
  const { session, chosen } = opened.value
  const counter = createUsageCounter(start.preset.usage, session.how === 'new' ? undefined : start.usageBefore)
  sessionId = session.sessionId
  model ??= chosen.model
  start.onAgentSession(sessionId)

  /** What is said before the first prompt, until the agent has got it. */
  let before = session.how === 'new' && start.history ? introduction(start.history) : undefined

  function beginLog(log: TurnLog, updates: TurnUpdates): void {
    for (const update of held.take()) updates.keep(update, { betweenTurns: true })
    if (!isFirst) return
    isFirst = false
    // Said once, with the first turn that can be written to.
    if (start.history || session.how !== 'new') log.note(HISTORY_EVENT, historyNote(session, start, before?.bytes))
    if (chosen.trouble !== undefined) log.note(OTHER_MODEL_EVENT, { message: chosen.trouble, used: model ?? null })
  }

  return ok({
    ended: agentProcess.ended,
    async stop() {
      connection.close()
      await agentProcess.stop()
    },
    async prompt({ text }, log, signal) {
      if (signal.aborted) return { kind: 'aborted' }
      const provider = start.preset.id
      const updates = createTurnUpdates({ log, secrets, answered, provider, model: () => model ?? start.preset.label })
      turn = { updates, signal }
      beginLog(log, updates)
      const { agent } = connection
      const cancel = () => {
        // It answers the prompt when it has stopped. One that has gone away needs no telling.
        void agent.notify(methods.agent.session.cancel, { sessionId: session.sessionId }).catch(() => undefined)
      }
      signal.addEventListener('abort', cancel, { once: true })
      try {
        const prompt = [...(before ? [before.text] : []), text].map((part) => ({ type: 'text' as const, text: part }))
        const answer = fieldsOf(
          await agent.request(methods.agent.session.prompt, { sessionId: session.sessionId, prompt }),
        )
        before = undefined
        const end = turnEndOf(answer['stopReason'])
        updates.finish({ isInterrupted: end.kind === 'aborted', usage: counter.take(answer['usage']) })
        if (start.preset.usage === 'session' && answer['usage'] != null)
          log.note(USAGE_EVENT, { told: answer['usage'] })
        return end
      } catch (error) {
        updates.finish({ isInterrupted: true })
        if (signal.aborted) return { kind: 'aborted' }
        const { message, code } = await failureOf(requestFailure('could not go on', error))
        return { kind: 'error', message, code }
      } finally {
        turn = undefined
        signal.removeEventListener('abort', cancel)
      }
    },
  })
}

async function open(
  agent: ClientContext,
  start: AgentStart,
): Promise<Result<{ readonly session: OpenedSession; readonly chosen: ChosenModel }>> {
  const abilities = await greet(agent)
  if (!abilities.ok) return abilities
  const session = await openSession(agent, abilities.value, start)
  if (!session.ok) return session
  return ok({ session: session.value, chosen: await chooseModel(agent, session.value, start.model) })
}

async function withinTime<Value>(opening: Promise<Result<Value>>): Promise<Result<Value>> {
  const over = new AbortController()
  const late = pause(START_MS, undefined, { signal: over.signal }).then(
    () => {
      const message = `The agent did not open a session within ${START_MS / 1000} seconds, so it was ended.`
      return fail(toolError('agent_failed', message))
    },
    () => opening,
  )
  return Promise.race([opening, late]).finally(() => over.abort())
}

/** An agent that can no longer be spoken with is of no use: it is given a moment to end by itself, with its own code. */
async function endSilent(agentProcess: AcpProcess): Promise<void> {
  const over = new AbortController()
  await Promise.race([agentProcess.ended, pause(LEAVE_MS, undefined, { signal: over.signal }).catch(() => undefined)])
  over.abort()
  await agentProcess.stop()
}

/** What went wrong: the agent's death with its last words, where it died; else what it answered. */
async function wordsOfFailure(
  failure: ToolError,
  connection: AcpConnection,
  agentProcess: AcpProcess,
): Promise<ToolError> {
  if (connection.isOpen()) return failure
  const exit = await agentProcess.ended
  const cause = await connection.closed
  // What broke the connection is the cause of the end, where something did.
  const broke = cause instanceof MessageTooLargeError ? `${requestFailure('was ended', cause).message} ` : ''
  return toolError('agent_failed', broke + wordsOf(exit))
}

/** How the agent came to know what was said before, for the log. */
function historyNote({ how, notResumed }: OpenedSession, { history }: AgentStart, bytes: number | undefined): Fields {
  return {
    how: bytes === undefined ? how : 'text',
    ...(bytes !== undefined && { bytes, logPath: history?.logPath }),
    ...(notResumed !== undefined && { reason: notResumed }),
  }
}
