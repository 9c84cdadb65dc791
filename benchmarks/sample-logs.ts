import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The same sessions twice: in our tree's layout, and in the DSH JSONL backend's own. */
export interface SessionsOnDisk {
  readonly tree: string
  readonly dsh: string
}

const CWD = '/workspace/benchmark'
const FIRST_TIME = 1_790_000_000_000

/** A session id with `number` in it, in DSH's own shape. */
function sessionId(number: number): string {
  return `session-00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}

/** A header line as both readers take it. */
function headerLine(id: string): string {
  const header = {
    type: 'session',
    version: 0,
    id,
    createdAt: FIRST_TIME,
    cwd: CWD,
    delegationDepth: 0,
    kind: 'main',
    root_session_id: id,
  }
  return `${JSON.stringify(header)}\n`
}

/** The lines of one finished turn with `size` bytes of answer; `seq` is its first event's. */
function turnLines(turn: number, seq: number, size: number): string[] {
  const time = FIRST_TIME + seq
  const message = (id: string) => `${id}-${turn}`
  return [
    { type: 'turn/start', data: { turn } },
    { type: 'step/start', data: { turn, step: 1 } },
    {
      type: 'user/message',
      data: {
        id: message('user'),
        role: 'user',
        source: { kind: 'user' },
        content: [{ type: 'text', text: `Prompt ${turn}: count the apples in the orchard.` }],
      },
      surfaceOp: 'append',
    },
    {
      type: 'assistant/message',
      data: {
        turn,
        step: 1,
        message: {
          id: message('assistant'),
          role: 'assistant',
          source: { kind: 'model', provider: 'example', model: 'example-small' },
          content: [{ type: 'text', text: 'Twelve apples. '.repeat(Math.ceil(size / 15)) }],
        },
        usage: { inputTokens: 10, outputTokens: 10 },
      },
      sourceEventSeqs: [],
      surfaceOp: 'append',
    },
    { type: 'step/end', data: { turn, step: 1 } },
    { type: 'turn/end', data: { turn, reason: { kind: 'completed' } } },
  ].map((event, index) => {
    const { type, ...rest } = event
    return `${JSON.stringify({ type, seq: seq + index, time, ...rest })}\n`
  })
}

async function writeBoth(at: SessionsOnDisk, id: string, log: string): Promise<void> {
  const ours = join(at.tree, id)
  const theirs = join(at.dsh, '--workspace-benchmark--', id)
  await mkdir(ours, { recursive: true })
  await mkdir(theirs, { recursive: true })
  await writeFile(join(ours, 'session.jsonl'), log)
  await writeFile(join(theirs, 'session.jsonl'), log)
}

/** Writes `count` sessions of five turns (about 8 KB each) below `folder`. */
export async function writeSessions(folder: string, count: number): Promise<SessionsOnDisk> {
  const at = { tree: join(folder, 'session-tree'), dsh: join(folder, 'dsh') }
  for (let first = 0; first < count; first += 100) {
    const numbers = Array.from({ length: Math.min(100, count - first) }, (_, index) => first + index)
    await Promise.all(
      numbers.map(async (number) => {
        const id = sessionId(number)
        const turns = [1, 2, 3, 4, 5].flatMap((turn) => turnLines(turn, (turn - 1) * 6, 600))
        await writeBoth(at, id, headerLine(id) + turns.join(''))
      }),
    )
  }
  return at
}

/** Writes one session of about `bytes` bytes, in 4 KB answers, in both layouts. Answers its id. */
export async function writeLargeSession(
  folder: string,
  bytes: number,
): Promise<SessionsOnDisk & { readonly id: string }> {
  const at = { tree: join(folder, 'session-tree'), dsh: join(folder, 'dsh') }
  const id = sessionId(1)
  const logs = [join(at.tree, id), join(at.dsh, '--workspace-benchmark--', id)]
  for (const directory of logs) {
    await mkdir(directory, { recursive: true })
    const file = await open(join(directory, 'session.jsonl'), 'w')
    let written = (await file.write(headerLine(id))).bytesWritten
    for (let turn = 1; written < bytes;) {
      const block: string[] = []
      for (let size = 0; size < 1_000_000; turn++) {
        const lines = turnLines(turn, (turn - 1) * 6, 4000).join('')
        block.push(lines)
        size += lines.length
      }
      written += (await file.write(block.join(''))).bytesWritten
    }
    await file.sync()
    await file.close()
  }
  return { ...at, id }
}
