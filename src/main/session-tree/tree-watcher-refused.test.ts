import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mainPlace } from './layout.ts'
import { newSessionId } from './session-id.ts'
import { consumer, create, eventually, stampOf } from './testing/watched-tree.ts'
import type { Told } from './testing/watcher-process.ts'

const FIXTURE = fileURLToPath(new URL('../../../../shared/fixtures/faults/f25-watch-enospc.cjs', import.meta.url))

let home: string
let root: string
let stops: (() => unknown)[]

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tree-watcher-'))
  root = join(home, 'session-tree')
  stops = []
})

afterEach(async () => {
  for (const stop of stops) stop()
  await rm(home, { recursive: true, force: true })
})

const createMain = () => create(mainPlace(root, newSessionId()))

/** The same stand-in as the fixture's: the first N watches are had, the next are refused as by a full table. */
const REFUSING = `
  const fs = require('node:fs')
  const real = fs.watch
  let left = Number(process.env.FAULT_WATCHES)
  fs.watch = (path, ...rest) => {
    if (left-- > 0) return real.call(fs, path, ...rest)
    const code = process.env.FAULT_WATCH_CODE ?? 'ENOSPC'
    throw Object.assign(new Error(code + ': System limit for number of file watchers reached'), { code })
  }
`

const PRELOADS = [
  { whose: 'our own', fixture: undefined },
  ...(existsSync(FIXTURE) ? [{ whose: "the fixture's", fixture: FIXTURE }] : []),
]

describe.each(PRELOADS)('field fault F25: watches run out, by $whose stand-in', ({ fixture }) => {
  test.each([{ FAULT_WATCHES: '0' }, { FAULT_WATCHES: '3' }, { FAULT_WATCHES: '0', FAULT_WATCH_CODE: 'EMFILE' }])(
    'after $FAULT_WATCHES of them: what happens shows within 5 s, and that is said once',
    async (environment) => {
      const preload = fixture ?? join(home, 'refusing.cjs')
      if (fixture === undefined) await writeFile(preload, REFUSING)
      const places = [await createMain(), await createMain(), await createMain(), await createMain()]
      const [first, second, third, fourth] = places
      if (!first || !second || !third || !fourth) throw new Error('four were created')
      const told = consumer()
      const notices: string[] = []
      let isReady = false
      const program = fileURLToPath(new URL('./testing/watcher-process.ts', import.meta.url))
      const child = fork(program, [root], { execArgv: ['-r', preload], env: { ...process.env, ...environment } })
      stops.push(() => child.kill('SIGKILL'))
      child.on('message', (message: Told) => {
        if ('change' in message) told.take(message.change)
        else if ('notice' in message) notices.push(message.notice)
        else isReady = true
      })
      await eventually(() => isReady).toBe(true)
      expect(new Set(told.known.keys())).toEqual(new Set(places.map(({ id }) => id)))

      const startedAt = performance.now()
      const created = await createMain()
      await appendFile(first.logPath, 'more\n')
      await truncate(second.logPath, 2)
      await writeFile(`${third.logPath}.new`, '{"type":"session"}\n')
      await rename(`${third.logPath}.new`, third.logPath)
      await rm(fourth.directory, { recursive: true })
      const stamps = [
        await stampOf(created),
        await stampOf(first),
        await stampOf(second),
        await stampOf(third),
        undefined,
      ]
      await eventually(() =>
        [created, first, second, third, fourth].map(({ id }) => told.known.get(id)?.stamp),
      ).toEqual(stamps)
      // Within 5 s; the rest is for a machine that is busy with other tests.
      expect(performance.now() - startedAt).toBeLessThan(10_000)
      expect(notices).toHaveLength(1)
      expect(notices[0]).toContain('Live updates are slower')
      expect(child.exitCode).toBeNull()
    },
  )
})
