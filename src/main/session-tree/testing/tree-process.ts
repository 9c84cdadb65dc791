// A process of its own that writes to a tree, for tests of limits and of sudden death. Its answers are JSON lines.
// node tree-process.ts ROOT rename ID LENGTH | create LENGTH | fork PARENT | measured-fork PARENT | append PARENT
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openSessionTree } from '../tree-provider.ts'
import { forkOf, newSession, sessionId, valueOf } from './tree-home.ts'

const [root = '', command, first = '', second = ''] = process.argv.slice(2)
const tree = openSessionTree(root)

function answer(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

if (command === 'rename') answer(await tree.rename(sessionId(first), 'x'.repeat(Number(second))))
if (command === 'create') answer(await tree.create(newSession({ prompt: 'x'.repeat(Number(first)) })))
if (command === 'fork') answer(await forkOf(tree, sessionId(first)))
if (command === 'measured-fork') {
  const before = process.memoryUsage().rss
  const { logPath } = await forkOf(tree, sessionId(first))
  // The peak is what the system says it was at most, in KiB.
  answer({ grown: process.resourceUsage().maxRSS * 1024 - before, logPath })
}
if (command === 'append') {
  // As a foreign program would: whole steps, in pieces that end anywhere. So many turns as each line that it is sent says.
  const { logPath } = valueOf(await tree.locate(sessionId(first)))
  let turn = 0
  answer('ready')
  for await (const count of createInterface(process.stdin)) {
    for (let left = Number(count); left > 0; left--) {
      const text = turnText(turn++)
      const cut = (turn * 37) % text.length
      appendFileSync(logPath, text.slice(0, cut))
      await nextTurn()
      appendFileSync(logPath, text.slice(cut))
    }
  }
}

function turnText(index: number): string {
  const turn = index + 1
  const callId = `call-${turn}`
  const events = [
    { type: 'turn/start', data: { turn } },
    { type: 'step/start', data: { turn, step: 1 } },
    { type: 'tool/call', data: { turn, step: 1, callId, name: 'bash', arguments: '{}' } },
    { type: 'tool/result', data: { turn, step: 1, message: resultOf(callId) }, surfaceOp: 'append' },
    { type: 'step/end', data: { turn, step: 1 } },
    { type: 'turn/end', data: { turn, reason: { kind: 'completed' } } },
  ]
  return events
    .map(({ type, data, ...rest }, at) =>
      JSON.stringify({ type, seq: index * events.length + at, time: 1, data, ...rest }),
    )
    .map((line) => `${line}\n`)
    .join('')
}

function resultOf(callId: string) {
  const block = { type: 'tool-result', toolCallId: callId, content: [{ type: 'text', text: 'ok' }] }
  return { role: 'user', id: `result-${callId}`, source: { kind: 'tool', callId }, content: [block] }
}
