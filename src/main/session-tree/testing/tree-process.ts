// A process of its own that writes to a tree, for tests of limits and of sudden death. Its answers are JSON lines.
// node tree-process.ts ROOT rename ID LENGTH | create LENGTH | fork PARENT | append PARENT COUNT
import { setImmediate as nextTurn } from 'node:timers/promises'
import { appendFileSync } from 'node:fs'
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
if (command === 'append') {
  // As a foreign program would: whole steps, in pieces that end anywhere.
  const { logPath } = valueOf(await tree.locate(sessionId(first)))
  let seq = Number(second)
  let turn = 1
  answer('ready')
  for (;;) {
    const lines = (
      [
        ['turn/start', { turn }],
        ['step/start', { turn, step: 1 }],
        ['tool/call', { turn, step: 1, callId: `call-${turn}`, name: 'bash', arguments: '{}' }],
        ['tool/result', { turn, step: 1, message: resultOf(`call-${turn}`) }],
        ['step/end', { turn, step: 1 }],
        ['turn/end', { turn, reason: { kind: 'completed' } }],
      ] as const
    ).map(([type, data]) => {
      const surface = type === 'tool/result' ? { surfaceOp: 'append' } : {}
      return `${JSON.stringify({ type, seq: seq++, time: 1, data, ...surface })}\n`
    })
    const text = lines.join('')
    const cut = (turn * 37) % text.length
    appendFileSync(logPath, text.slice(0, cut))
    await nextTurn()
    appendFileSync(logPath, text.slice(cut))
    turn++
  }
}

function resultOf(callId: string) {
  const block = { type: 'tool-result', toolCallId: callId, content: [{ type: 'text', text: 'ok' }] }
  return { role: 'user', id: `result-${callId}`, source: { kind: 'tool', callId }, content: [block] }
}
