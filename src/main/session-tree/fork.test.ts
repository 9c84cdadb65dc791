import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeHugeLog } from './testing/huge-log.ts'
import { sampleLog, writeAt } from './testing/sample-log.ts'
import {
  createIn,
  errorOf,
  eventsIn,
  forkOf,
  makeTreeHome,
  newSession,
  turnDrafts,
  valueOf,
  type TreeHome,
} from './testing/tree-home.ts'

const PROCESS = fileURLToPath(new URL('./testing/tree-process.ts', import.meta.url))

let home: TreeHome

beforeEach(() => {
  home = makeTreeHome()
})

afterEach(() => home.remove())

/** A main with one finished turn, a finished step of an open turn, and calls that are not answered yet. */
async function openMain() {
  const main = await createIn(home.tree)
  const log = sampleLog(main.id).turn('Count the apples.', 'Seven.')
  log.turnStart().stepStart().user('Now the pears.').say('Reading.', ['read']).call('read').result('read').stepEnd()
  log.stepStart().say('Both ways.', ['slow', 'fork']).call('slow').call('fork')
  writeAt(main.logPath, log.text())
  return { main, log }
}

describe('a fork', () => {
  test('has the parent’s lines byte for byte, then its own: closer, end of seed, prompt', async () => {
    const { main, log } = await openMain()
    const before = readFileSync(main.logPath)
    const fork = await forkOf(home.tree, main.id, { prompt: 'Try the other way.', createdAt: 99 })
    const lines = readFileSync(fork.logPath, 'utf8').trimEnd().split('\n')
    expect(lines.slice(1, 14)).toEqual(log.lines.slice(1, 14))
    expect(lines.slice(14).map((line) => JSON.parse(line))).toEqual([
      { type: 'turn/end', seq: 13, time: 1_788_000_001_300, data: { turn: 2, reason: { kind: 'interrupted' } } },
      { type: 'session/end-seed', seq: 14, time: 99, data: {} },
      expect.objectContaining({ type: 'agent/inbox/spliced', seq: 15, time: 99 }),
    ])
    expect(lines[16]).toContain('Try the other way.')
    expect(readFileSync(main.logPath)).toEqual(before)
    expect(readFileSync(main.logPath, 'utf8')).not.toContain('Try the other way.')
  })

  test('says in its header how much is copied, in events and in bytes', async () => {
    const { main } = await openMain()
    const fork = await forkOf(home.tree, main.id)
    const { header } = await home.tree.facts(fork)
    expect(header).toMatchObject({ seedLength: 13, kind: 'fork', delegationDepth: 0, parent_session_id: main.id })
    const bytes = readFileSync(fork.logPath)
    expect(bytes[(header?.seedBytes ?? 0) - 1]).toBe(10)
    expect(bytes.subarray(header?.seedBytes).toString()).toMatch(/^\{"type":"turn\/end","seq":13,/)
  })

  test('of a parent where nothing is complete copies nothing', async () => {
    const main = await createIn(home.tree)
    valueOf(await home.tree.appendNext(main.id, turnDrafts(1, 'Begin.').slice(0, 4)))
    const fork = await forkOf(home.tree, main.id, { prompt: 'Begin differently.' })
    expect(eventsIn(fork.logPath)).toHaveLength(1)
    expect((await home.tree.facts(fork)).header).toMatchObject({ seedLength: 0 })
    const unseeded = await createIn(home.tree, { kind: 'fork', parent: main.id })
    expect((await home.tree.facts(unseeded)).header).toMatchObject({ seedLength: 0 })
  })

  test('of a log with blank lines and carriage returns leaves the blank lines out', async () => {
    const { main, log } = await openMain()
    const [header = '', ...events] = log.lines
    writeAt(main.logPath, [header, '', ...events.slice(0, 6), '', '\r', '', ...events.slice(6), ''].join('\n'))
    const fork = await forkOf(home.tree, main.id)
    const lines = readFileSync(fork.logPath, 'utf8').trimEnd().split('\n')
    expect(lines.slice(1, 14)).toEqual(log.lines.slice(1, 14))
    const { seedBytes } = (await home.tree.facts(fork)).header ?? {}
    expect(readFileSync(fork.logPath).subarray(seedBytes).toString()).toMatch(/^\{"type":"turn\/end","seq":13,/)
  })

  test('is independent of its parent from then on', async () => {
    const { main } = await openMain()
    const fork = await forkOf(home.tree, main.id)
    const [parentBytes, forkBytes] = [readFileSync(main.logPath), readFileSync(fork.logPath)]
    valueOf(await home.tree.rename(fork.id, 'Fork'))
    expect(readFileSync(main.logPath)).toEqual(parentBytes)
    valueOf(await home.tree.rename(main.id, 'Main'))
    expect(readFileSync(fork.logPath).subarray(0, forkBytes.length)).toEqual(forkBytes)
  })

  test('is refused if the parent got shorter since its boundary was found', async () => {
    const { main } = await openMain()
    const boundary = valueOf(await home.tree.boundary(main.id))
    truncateSync(main.logPath, boundary.to - 50)
    expect(errorOf(await home.tree.create(newSession({ kind: 'fork', parent: main.id, boundary }))).code).toBe(
      'log_changed',
    )
    expect(readdirSync(main.directory)).toEqual(['session.jsonl'])
  })

  test('cancelled while it copies leaves nothing', async () => {
    const main = await createIn(home.tree)
    const log = sampleLog(main.id).turn('Count.', 'x'.repeat(40_000_000))
    writeAt(main.logPath, log.text())
    const boundary = valueOf(await home.tree.boundary(main.id))
    const cancel = new AbortController()
    const creating = home.tree.create(newSession({ kind: 'fork', parent: main.id, boundary }), cancel.signal)
    const forks = join(main.directory, 'forks')
    // Cancelled once the copy is seen to be under way.
    const copying = () => {
      try {
        const [name = ''] = readdirSync(forks)
        return statSync(join(forks, name, 'session.jsonl')).size > 2_000_000
      } catch {
        return false
      }
    }
    while (!copying()) await new Promise(setImmediate)
    cancel.abort()
    expect(errorOf(await creating).code).toBe('cancelled')
    expect(readdirSync(main.directory)).toEqual(['session.jsonl'])
  })
})

test('while another program appends, 200 forks all end at a finished step', async () => {
  const main = await createIn(home.tree)
  writeAt(main.logPath, sampleLog(main.id).text())
  const writer = spawn(process.execPath, [PROCESS, home.root, 'append', main.id], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    await once(writer.stdout, 'data')
    const lengths = new Set<number>()
    for (let count = 0; count < 200; count++) {
      writer.stdin.write('10\n')
      const fork = await forkOf(home.tree, main.id)
      const { seedLength = 0 } = (await home.tree.facts(fork)).header ?? {}
      const seed = eventsIn(fork.logPath).slice(0, seedLength)
      expect(seed.map((event) => event.seq)).toEqual(seed.map((_, index) => index))
      if (seedLength > 0) expect(['step/end', 'turn/end']).toContain(seed.at(-1)?.type)
      const called = seed.filter((event) => event.type === 'tool/call').length
      expect(seed.filter((event) => event.type === 'tool/result')).toHaveLength(called)
      lengths.add(seedLength)
    }
    // The parent did grow meanwhile.
    expect(lengths.size).toBeGreaterThan(20)
  } finally {
    writer.kill('SIGKILL')
    await once(writer, 'close')
  }
}, 120_000)

test('memory does not grow with the log: a fork of 200 MB takes under 64 MB', async () => {
  const main = await createIn(home.tree)
  writeHugeLog(main.logPath, main.id, 200_000_000, 50_000)
  const child = spawn(process.execPath, [PROCESS, home.root, 'measured-fork', main.id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (text) => (output += String(text)))
  await once(child, 'close')
  const { grown, logPath }: { grown: number; logPath: string } = JSON.parse(output)
  expect(grown).toBeLessThan(64 * 1024 * 1024)
  expect(statSync(logPath).size).toBeGreaterThan(200_000_000)
}, 120_000)
