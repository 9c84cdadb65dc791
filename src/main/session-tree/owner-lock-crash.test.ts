import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { acquireHome, readOwner, type OwnedLock } from './owner-lock.ts'
import { lockFiles, type LockFiles } from './owner-lock-files.ts'
import { kill, killCompetitors, startCompetitor, tell } from './testing/lock-competitors.ts'
import type { Answer } from './testing/lock-process.ts'

let home: string
let lockFolder: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'owner-lock-'))
  lockFolder = join(home, 'treeline', 'lock')
})

afterEach(async () => {
  await killCompetitors()
  await rm(home, { recursive: true, force: true })
})

async function acquire(files?: LockFiles): Promise<OwnedLock> {
  const acquired = await acquireHome(lockFolder, { app: 'window' }, files)
  if (!acquired.ok) throw new Error(acquired.error.message)
  return acquired.value
}

/** Counts the operations of one acquisition and release, so that each can be the last. */
async function countSteps(): Promise<number> {
  let steps = 0
  const counted = <Args extends unknown[], Value>(operation: (...args: Args) => Promise<Value>) => {
    return (...args: Args): Promise<Value> => {
      steps += 1
      return operation(...args)
    }
  }
  const lock = await acquire({
    makeFolder: counted(lockFiles.makeFolder),
    names: counted(lockFiles.names),
    read: counted(lockFiles.read),
    changedAt: counted(lockFiles.changedAt),
    write: counted(lockFiles.write),
    link: counted(lockFiles.link),
    rename: counted(lockFiles.rename),
    remove: counted(lockFiles.remove),
  })
  await lock.release()
  return steps
}

describe('a killed process leaves the home free', () => {
  test.each(['before', 'half'])(
    'at every step of acquiring and releasing (%s)',
    async (moment) => {
      const steps = await countSteps()
      expect(steps).toBeGreaterThanOrEqual(9)
      for (let step = 1; step <= steps; step += 1) {
        const child = await startCompetitor(lockFolder, 'die', String(step), ...(moment === 'half' ? ['half'] : []))
        const ended = once(child, 'exit')
        child.on('message', (answer: Answer) => {
          if (answer.got === 'owned') child.send('release')
        })
        child.send('go')
        expect(await ended).toEqual([null, 'SIGKILL'])
        expect(await readOwner(lockFolder)).toBeUndefined()
        const next = await acquire()
        expect((await readdir(lockFolder)).filter((name) => name.endsWith('.tmp'))).toEqual([])
        await next.release()
      }
    },
    120_000,
  )

  test('while it owns the home', async () => {
    const child = await startCompetitor(lockFolder)
    expect(await tell(child, 'go')).toEqual({ got: 'owned' })
    await kill(child)
    await acquire()
  })
})
