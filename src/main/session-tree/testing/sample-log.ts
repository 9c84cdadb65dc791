import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** A log in the making, in the shapes that the real DSH writes (dsh-format §5). */
export interface SampleLog {
  /** Header and events as text, one line each, newline-ended. */
  text(): string
  /** The lines without newlines; the first is the header. */
  readonly lines: string[]
  add(type: string, data: unknown, more?: Record<string, unknown>): SampleLog
  /** One whole turn of one step, without tools. */
  turn(prompt: string, answer: string): SampleLog
  turnStart(): SampleLog
  stepStart(): SampleLog
  user(text: string, source?: string): SampleLog
  /** An assistant message that asks for these calls. */
  say(text: string, calls?: readonly string[]): SampleLog
  call(id: string): SampleLog
  result(id: string, text?: string): SampleLog
  stepEnd(): SampleLog
  turnEnd(reason?: Record<string, unknown>): SampleLog
}

/** Begins a log. `header` adds to, or replaces, the fields of a main without a tree around it. */
export function sampleLog(id: string, header: Record<string, unknown> = {}): SampleLog {
  const createdAt = 1_788_000_000_000
  const first = {
    type: 'session',
    version: 0,
    id,
    createdAt,
    cwd: '/home/dev/orchard',
    delegationDepth: 0,
    kind: 'main',
    root_session_id: id,
    ...header,
  }
  const lines = [JSON.stringify(first)]
  let seq = 0
  let turn = 0
  let step = 0
  const messageId = () => `message-${seq}`
  const log: SampleLog = {
    lines,
    text: () => lines.map((line) => `${line}\n`).join(''),
    add(type, data, more = {}) {
      lines.push(JSON.stringify({ type, seq, time: createdAt + 100 * (seq + 1), data, ...more }))
      seq++
      return log
    },
    turn(prompt, answer) {
      return log.turnStart().stepStart().user(prompt).say(answer).stepEnd().turnEnd()
    },
    turnStart() {
      turn++
      step = 0
      return log.add('turn/start', { turn })
    },
    stepStart() {
      step++
      return log.add('step/start', { turn, step })
    },
    user(text, source = 'user') {
      const message = { role: 'user', id: messageId(), content: [{ type: 'text', text }], source: { kind: source } }
      return log.add('user/message', message, { surfaceOp: 'append' })
    },
    say(text, calls = []) {
      const content = [
        { type: 'text', text },
        ...calls.map((call) => ({ type: 'tool-call', id: call, name: 'bash', arguments: '{}' })),
      ]
      const source = { kind: 'model', provider: 'example', model: 'example-small' }
      const message = { role: 'assistant', id: messageId(), content, source }
      return log.add('assistant/message', { turn, step, message }, { sourceEventSeqs: [], surfaceOp: 'append' })
    },
    call: (callId) => log.add('tool/call', { turn, step, callId, name: 'bash', arguments: '{"command":"ls"}' }),
    result(callId, text = 'done') {
      const block = { type: 'tool-result', toolCallId: callId, content: [{ type: 'text', text }], isError: false }
      const message = { source: { kind: 'tool', callId }, content: [block], role: 'user', id: messageId() }
      return log.add('tool/result', { turn, step, message }, { surfaceOp: 'append' })
    },
    stepEnd: () => log.add('step/end', { turn, step }),
    turnEnd: (reason = { kind: 'completed' }) => log.add('turn/end', { turn, reason }),
  }
  return log
}

/** Writes a file and the folders above it. */
export function writeAt(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
