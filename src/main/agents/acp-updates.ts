import type { TokenUsage, TurnLog } from './agent.ts'
import { jsonWithin, textOfContent, todosOf } from './acp-content.ts'
import { fieldsOf, wordOf, type Fields } from './fields.ts'
import { createMessage, type StreamedMessage } from './acp-message.ts'
import {
  argumentsOf,
  isReady,
  isSettled,
  merge,
  newToolCall,
  outputOf,
  resultOf,
  type ToolCallSoFar,
} from './acp-tool-call.ts'
import { OUTPUT_EVENT, UPDATE_EVENT } from './own-events.ts'

/** One turn's `session/update`s on their way into the log, as DSH events. */
export interface TurnUpdates {
  take(update: Fields): void
  /** An update that is not this turn's: of another session of the agent's, or one that came between turns. */
  keep(update: unknown, about: Fields): void
  /** The agent asks about a call: it stands in the log before it is decided. Returns all that is known of it. */
  ask(toolCall: Fields): Fields
  /** Writes what is still held back, and answers each call that is open. */
  finish(how: { readonly isInterrupted: boolean; readonly usage?: TokenUsage | undefined }): void
}

const NOTE_LETTERS = 16_000
/** A flood of updates that say nothing to a reader is counted, not kept. */
const MOST_NOTES = 500
/** Some agents never say that a call runs: one whose input is there is shown when nothing was added to it for so long. */
const PENDING_MS = 500
/** So many letters of a tool's output are shown while it runs. */
const MOST_SHOWN = 64_000

/**
 * ACP knows messages and tool calls; DSH wants steps, one for each request to the model. A step begins with what the model
 * says once every call of the step before was answered, and within it a message stands before the calls it asks for.
 * @param parts.secrets masked also where one begins in one piece of a message and ends in another.
 * @param parts.answered ids of calls that are over, kept by the agent through its turns.
 * @param parts.model what a message is said to be written by.
 */
export function createTurnUpdates(parts: {
  readonly log: TurnLog
  readonly secrets: readonly string[]
  readonly answered: Set<string>
  readonly provider: string
  readonly model: () => string
}): TurnUpdates {
  const { log, secrets, answered, provider } = parts
  const calls = new Map<string, ToolCallSoFar>()
  let message: StreamedMessage | undefined
  let hasResults = false
  let notes = 0
  let context: Fields | undefined
  let pending: NodeJS.Timeout | undefined

  function keep(update: unknown, about: Fields = {}): void {
    notes += 1
    if (notes > MOST_NOTES) return
    const kept: unknown = JSON.parse(jsonWithin(update, NOTE_LETTERS))
    log.note(UPDATE_EVENT, { ...about, update: kept })
  }

  /** The model speaks: in a new step, where the last one is done. */
  function speak(messageId?: string): void {
    if (message && !message.takes(messageId)) writeMessage()
    if (message || !hasResults || calls.size > 0) return
    log.startStep()
    hasResults = false
  }

  function writeMessage(
    asked: readonly ToolCallSoFar[] = [],
    more: { usage?: TokenUsage; interrupted?: boolean } = {},
  ): void {
    const content = [
      ...(message?.end() ?? []),
      ...asked.map((call) => ({
        type: 'tool-call',
        id: call.callId,
        name: call.name,
        arguments: argumentsOf(call),
      })),
    ]
    message = undefined
    if (content.length > 0 || more.usage) log.assistantMessage({ content, provider, model: parts.model(), ...more })
  }

  /** Writes a call, and with it those others whose input is known: they were asked for in the same message. */
  function logCall(call: ToolCallSoFar): void {
    if (call.isLogged) return
    const asked = [...calls.values()].filter((other) => !other.isLogged && (other === call || isReady(other)))
    writeMessage(asked)
    for (const one of asked) {
      log.toolCall({ callId: one.callId, name: one.name, arguments: argumentsOf(one) })
      one.isLogged = true
    }
  }

  function answer(call: ToolCallSoFar, isCancelled = false): void {
    logCall(call)
    log.toolResult(resultOf(call, isCancelled))
    calls.delete(call.callId)
    answered.add(call.callId)
    hasResults = true
  }

  function callOf(update: Fields): ToolCallSoFar | undefined {
    const callId = wordOf(update['toolCallId'])
    if (callId === undefined || answered.has(callId)) return undefined
    const known = calls.get(callId)
    if (known) {
      merge(known, update)
      return known
    }
    speak()
    const { sessionUpdate: _, ...first } = update
    const made = newToolCall(callId, first)
    calls.set(callId, made)
    return made
  }

  function takeCall(update: Fields): void {
    const call = callOf(update)
    if (!call) keep(update)
    else if (isSettled(call)) answer(call)
    else if (call.said['status'] === 'in_progress') {
      logCall(call)
      showOutput(call)
    } else if (!call.isLogged) {
      clearTimeout(pending)
      pending = setTimeout(showPending, PENDING_MS)
    }
  }

  function showPending(): void {
    const call = [...calls.values()].find((one) => !one.isLogged && isReady(one))
    if (call) logCall(call)
  }

  function takePiece(kind: 'text' | 'reasoning', update: Fields): void {
    const piece = textOfContent(update['content'])
    if (piece === '') return
    const id = wordOf(update['messageId'])
    speak(id)
    message ??= createMessage(log, secrets)
    message.add(kind, piece, id)
  }

  /** Output is told whole each time; what was added is shown. */
  function showOutput(call: ToolCallSoFar): void {
    const text = outputOf(call).slice(0, MOST_SHOWN)
    if (text.length <= call.shown.length || !text.startsWith(call.shown)) return
    log.note(OUTPUT_EVENT, { callId: call.callId, stream: 'stdout', text: text.slice(call.shown.length) })
    call.shown = text
  }

  function takePlan(update: Fields): void {
    const todos = todosOf(update['entries'] ?? fieldsOf(update['plan'])['entries'])
    if (todos) log.todos(todos)
    else keep(update)
  }

  return {
    take(update) {
      switch (update['sessionUpdate']) {
        case 'agent_message_chunk':
          takePiece('text', update)
          return
        case 'agent_thought_chunk':
          takePiece('reasoning', update)
          return
        case 'tool_call':
        case 'tool_call_update':
          takeCall(update)
          return
        case 'plan':
        case 'plan_update':
          takePlan(update)
          return
        case 'usage_update':
          // It comes with every message, and the last one says it all.
          context = update
          return
        case 'user_message_chunk':
          // The person's message stands in the log already.
          return
        default:
          keep(update)
      }
    },
    keep,
    ask(toolCall) {
      const call = callOf(toolCall)
      if (!call) return toolCall
      logCall(call)
      return call.said
    },
    finish({ isInterrupted, usage }) {
      clearTimeout(pending)
      for (const call of calls.values()) logCall(call)
      writeMessage([], { ...(usage && { usage }), ...(isInterrupted && message && { interrupted: true }) })
      for (const call of calls.values()) answer(call, isInterrupted)
      if (context) keep(context)
      if (notes > MOST_NOTES) log.note(UPDATE_EVENT, { omittedUpdates: notes - MOST_NOTES })
    },
  }
}
