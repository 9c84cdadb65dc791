import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readFacts } from './facts.ts'
import { childPlace, mainPlace } from './layout.ts'
import type { SessionPlace } from './session-tree.ts'
import { sampleLog, writeAt, type SampleLog } from './testing/sample-log.ts'
import { createIn, forkOf, makeTreeHome, sessionId, valueOf, type TreeHome } from './testing/tree-home.ts'
import { scanForTitle } from './title-scan.ts'

const ID = sessionId('session-0f010000-0000-4000-8000-000000000001')
const CHILD = sessionId('session-0f020000-0000-4000-8000-000000000002')
const FAILED = { kind: 'error', error: { message: 'no', code: 'X' } }

let home: TreeHome
let place: SessionPlace

beforeEach(() => {
  home = makeTreeHome()
  place = mainPlace(home.root, ID)
})

afterEach(() => home.remove())

function factsOf(content: SampleLog | string | Uint8Array) {
  writeAt(place.logPath, typeof content === 'string' || content instanceof Uint8Array ? content : content.text())
  return readFacts(place)
}

const titled = (log: SampleLog, title: unknown) =>
  log.add('session/title', { title, messageSeqs: [], source: { kind: 'user' } })
/** Chunks of answer: what fills the middle of a real log. */
function filled(log: SampleLog, bytes: number): SampleLog {
  log.turnStart().stepStart().user('more')
  for (let written = 0; written < bytes; written += 1000) log.add('assistant/chunk', { text: 'x'.repeat(940) })
  return log.stepEnd().turnEnd()
}

describe('facts of a long log', () => {
  test('come from its two ends; what they cannot settle is found by a scan', async () => {
    const log = filled(titled(sampleLog(ID).turn('First', 'A'), 'Early'), 400_000)
    expect(await factsOf(log)).toMatchObject({ title: 'Early', firstPrompt: 'First', settled: false, openTurn: false })
    titled(log, 'Middle').turnStart().stepStart()
    filled(log, 300_000)
    expect(await factsOf(log)).toMatchObject({ title: 'Early', settled: false })
    expect(valueOf(await scanForTitle(place))).toEqual({ title: 'Middle', firstPrompt: 'First' })
    titled(log, 'Late').turnStart().stepStart().stepEnd().turnEnd(FAILED)
    expect(await factsOf(log)).toMatchObject({ title: 'Late', firstPrompt: 'First', settled: true, status: 'failed' })
  })

  test.each([60_000, 64_000, 65_000, 66_000, 120_000, 128_000, 131_000, 132_000, 200_000])(
    'miss nothing at %i bytes',
    async (bytes) => {
      const log = titled(filled(titled(sampleLog(ID).turn('First', 'A'), 'Early'), bytes), 'Late')
      log.turnStart()
      expect(await factsOf(log)).toMatchObject({
        title: 'Late',
        firstPrompt: 'First',
        settled: true,
        openTurn: true,
        cutTail: false,
      })
      expect(await factsOf(log.text().slice(0, -3))).toMatchObject({ title: 'Late', openTurn: false, cutTail: true })
    },
  )

  test('whose seed is longer than a window begin where the seed ends', async () => {
    const main = await createIn(home.tree, { title: 'Parent', prompt: 'Parent’s' })
    const log = filled(titled(sampleLog(main.id).turn('Parent’s', 'A'), 'Parent'), 300_000)
    writeAt(main.logPath, log.text())
    const fork = await forkOf(home.tree, main.id, { prompt: 'Own', title: 'Own title' })
    expect(await home.tree.facts(fork)).toMatchObject({
      title: 'Own title',
      firstPrompt: 'Own',
      settled: true,
      waiting: true,
    })
    // A fork that does not say where its own part begins, as DSH makes them: never the parent's words.
    const foreign = childPlace(main, 'fork', CHILD)
    const text = readFileSync(fork.logPath, 'utf8')
      .replace(/,"seedBytes":\d+/, '')
      .replaceAll(fork.id, CHILD)
    writeAt(foreign.logPath, text.slice(0, text.indexOf('session/end-seed') - 9))
    const facts = await readFacts(foreign)
    expect(facts).toMatchObject({ settled: false })
    expect(facts).not.toHaveProperty('title')
    expect(facts).not.toHaveProperty('firstPrompt')
    expect(valueOf(await scanForTitle(foreign))).toEqual({})
  })

  test('whose last line is huge still know its time, and read little', async () => {
    const log = sampleLog(ID)
      .turnStart()
      .stepStart()
      .user('Q')
      .say('', ['big'])
      .call('big')
      .result('big', 'x'.repeat(12_000_000))
    expect(await factsOf(log)).toMatchObject({
      updatedAt: 1_788_000_000_600,
      firstPrompt: 'Q',
      settled: false,
      cutTail: false,
    })
    expect(valueOf(await scanForTitle(place))).toEqual({ firstPrompt: 'Q' })
  })

  test('whose first prompt is huge are scanned for it', async () => {
    const log = sampleLog(ID)
      .turnStart()
      .stepStart()
      .user(`Big ${'x'.repeat(2_000_000)}`)
      .user('Small')
      .stepEnd()
      .turnEnd()
    expect(await factsOf(log)).toMatchObject({ settled: false })
    expect(valueOf(await scanForTitle(place)).firstPrompt).toMatch(/^Big x{496}$/)
  })

  test('a scan can be cancelled', async () => {
    await factsOf(filled(sampleLog(ID), 100_000))
    expect(await scanForTitle(place, AbortSignal.abort())).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  })
})
