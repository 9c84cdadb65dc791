import { readFile, writeFile } from 'node:fs/promises'
import { writeSubagent, type SessionFixture } from './fixtures.ts'

/** Logs that are not as they should be, or only rarely are. */

/** Takes fields out of a log's header, as a program that did not know them would have written it. */
export async function stripKind(session: SessionFixture, fields: readonly string[]): Promise<void> {
  await changeHeader(session, (header) => {
    for (const field of fields) delete header[field]
  })
}

/** A subagent that began with a copy of its parent's events (DSH's `subagent_fork` makes such). */
export async function writeSeededSubagent(parent: SessionFixture, prompt: string): Promise<SessionFixture> {
  const made = await writeSubagent(parent, { turns: [{ prompt }] })
  const [, ...seed] = lines(await readFile(parent.logPath, 'utf8'))
  const [header = '{}', ...own] = lines(await readFile(made.logPath, 'utf8'))
  const turns = seed.filter((line) => line.startsWith('{"type":"turn/start"')).length
  const moved = [JSON.stringify({ type: 'session/end-seed', seq: 0, time: Date.now(), data: {} }), ...own].map(
    (line, index) => {
      const event = JSON.parse(line)
      if (typeof event.data.turn === 'number') event.data.turn += turns
      return JSON.stringify({ ...event, seq: seed.length + index })
    },
  )
  const first = JSON.stringify({ ...JSON.parse(header), seedLength: seed.length })
  await writeFile(made.logPath, `${[first, ...seed, ...moved].join('\n')}\n`)
  return made
}

/** Puts something else in the place of a log's n-th line; the first is the header. */
export async function replaceLine(session: SessionFixture, line: number, text: string): Promise<void> {
  const all = lines(await readFile(session.logPath, 'utf8'))
  all[line - 1] = text
  await writeFile(session.logPath, `${all.join('\n')}\n`)
}

/** Takes a log's n-th line out, which leaves a gap in `seq`. */
export async function removeLine(session: SessionFixture, line: number): Promise<void> {
  const all = lines(await readFile(session.logPath, 'utf8'))
  await writeFile(session.logPath, `${all.toSpliced(line - 1, 1).join('\n')}\n`)
}

async function changeHeader(session: SessionFixture, change: (header: Record<string, unknown>) => void): Promise<void> {
  const [first = '{}', ...rest] = lines(await readFile(session.logPath, 'utf8'))
  const header = JSON.parse(first)
  change(header)
  await writeFile(session.logPath, `${[JSON.stringify(header), ...rest].join('\n')}\n`)
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}
