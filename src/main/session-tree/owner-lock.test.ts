import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { acquireHome, readOwner, type OwnedLock } from './owner-lock.ts'
import { generationPath, lockFiles, parseRecord, type LockFiles, type OwnerRecord } from './owner-lock-files.ts'
import { kill, killCompetitors, startCompetitor, tell } from './testing/lock-competitors.ts'

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

async function recordOf(generation: number): Promise<OwnerRecord> {
  const record = parseRecord(await readFile(generationPath(lockFolder, generation), 'utf8'))
  if (record === undefined) throw new Error(`generation ${generation} is damaged`)
  return record
}

const writeRecord = (generation: number, record: OwnerRecord): Promise<void> =>
  writeFile(generationPath(lockFolder, generation), JSON.stringify(record))

describe('one owner', () => {
  test('of twenty starts at once one owns the home, round after round, each round after a kill', async () => {
    for (let round = 0; round < 2; round += 1) {
      const competitors = await Promise.all(Array.from({ length: 20 }, () => startCompetitor(lockFolder)))
      const answers = await Promise.all(competitors.map((child) => tell(child, 'go')))
      expect(answers.filter((answer) => answer.got === 'owned')).toHaveLength(1)
      expect(answers.filter((answer) => answer.got === 'refused' && answer.code === 'home_owned')).toHaveLength(19)
      const winner = competitors[answers.findIndex((answer) => answer.got === 'owned')]
      expect(await readOwner(lockFolder)).toMatchObject({ pid: winner?.pid, app: 'command line' })
      await Promise.all(competitors.map(kill))
      expect(await readOwner(lockFolder)).toBeUndefined()
    }
  }, 120_000)

  test('the refusal says who owns the home, since when, and what to do', async () => {
    const child = await startCompetitor(lockFolder)
    await tell(child, 'go')
    const refused = await acquireHome(lockFolder, { app: 'window' })
    expect(refused).toMatchObject({ ok: false, error: { code: 'home_owned', path: home, owner: { pid: child.pid } } })
    if (refused.ok) return
    expect(refused.error.message).toContain(`A treeline command (process ${child.pid}, since 20`)
    expect(refused.error.message).toContain('close it and try again')
  })

  test('is free again after a release, without the process ending', async () => {
    const child = await startCompetitor(lockFolder)
    await tell(child, 'go')
    expect(await tell(child, 'release')).toEqual({ got: 'released' })
    expect(await readOwner(lockFolder)).toBeUndefined()
    await acquire()
    expect(await readOwner(lockFolder)).toMatchObject({ pid: process.pid, app: 'window' })
  })

  test('a second release, and an announcement after it, leave the next owner alone', async () => {
    const first = await acquire()
    await first.release()
    const second = await acquire()
    await first.announce('/tmp/first.sock')
    await first.release()
    expect(await readOwner(lockFolder)).toEqual(second.owner)
  })

  test('the owner can say later where it listens', async () => {
    const lock = await acquire()
    expect(await readOwner(lockFolder)).not.toHaveProperty('socket')
    expect(await lock.announce(join(home, 'owner.sock'))).toMatchObject({ ok: true })
    expect(await readOwner(lockFolder)).toEqual({ ...lock.owner, socket: join(home, 'owner.sock') })
  })

  test('looking creates nothing', async () => {
    expect(await readOwner(lockFolder)).toBeUndefined()
    expect(await readdir(home)).toEqual([])
  })

  test('in one process many who come and go never overlap', async () => {
    let holders = 0
    let turns = 0
    const comeAndGo = async (): Promise<void> => {
      while (turns < 150) {
        const acquired = await acquireHome(lockFolder, { app: 'serve' })
        if (!acquired.ok) {
          expect(acquired.error.code).toBe('home_owned')
          continue
        }
        holders += 1
        turns += 1
        expect(holders).toBe(1)
        await readdir(lockFolder)
        expect(holders).toBe(1)
        holders -= 1
        await acquired.value.release()
      }
    }
    await Promise.all(Array.from({ length: 12 }, comeAndGo))
    expect((await readdir(lockFolder)).length).toBeLessThan(12)
  })
})

describe('who lives', () => {
  test('a number given to another process is not the owner', async () => {
    const child = await startCompetitor(lockFolder)
    await tell(child, 'go')
    const record = await recordOf(1)
    await writeRecord(1, { ...record, started: String(Number(record.started) + 100_000) })
    expect(await readOwner(lockFolder)).toBeUndefined()
    await acquire()
  })

  test('an owner from before the machine was started again is gone', async () => {
    await acquire()
    const record = await recordOf(1)
    await writeRecord(1, { ...record, boot: 'another boot' })
    await acquire()
  })

  test.each([
    { where: 'on another machine', difference: { boot: 'another boot', machine: 'attic 0123' } },
    { where: 'in another container', difference: { space: 'pid:[1]' } },
  ])('an owner $where is believed, and the remedy is named', async ({ difference }) => {
    await acquire()
    await writeRecord(1, { ...(await recordOf(1)), ...difference, pid: 2 ** 22 })
    const refused = await acquireHome(lockFolder, { app: 'window' })
    expect(refused).toMatchObject({ ok: false, error: { code: 'home_owned' } })
    expect(refused.ok || refused.error.message).toContain(`delete the folder ${lockFolder}`)
  })

  test.runIf(process.platform === 'linux')('a process that ended but was not collected is gone', async () => {
    // The shell becomes `sleep`, which never collects the child it inherited.
    const script = `"$0" "$1" "$2" & echo $!; exec sleep 60`
    const child = spawn('sh', ['-c', script, process.execPath, '-e', ''], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [shown] = await once(child.stdout, 'data')
    const pid = Number(String(shown))
    const stat = (): Promise<string> => readFile(`/proc/${pid}/stat`, 'utf8')
    await expect.poll(stat, { timeout: 20_000 }).toContain(') Z ')
    await acquire()
    const ticks = (await stat()).split(') ')[1]?.split(' ')[19] ?? ''
    await writeRecord(1, { ...(await recordOf(1)), pid, started: ticks })
    expect(await readOwner(lockFolder)).toBeUndefined()
    await kill(child)
  })
})

describe('who slept', () => {
  test('cannot take a number that others have used and removed since', async () => {
    await (await acquire()).release()
    const asleep = Promise.withResolvers<void>()
    const hasSeen = Promise.withResolvers<void>()
    const linked: string[] = []
    const sleeper = acquireHome(
      lockFolder,
      { app: 'window' },
      {
        ...lockFiles,
        async link(from, to) {
          hasSeen.resolve()
          await asleep.promise
          await lockFiles.link(from, to)
          linked.push(to)
        },
      },
    )
    await hasSeen.promise
    for (let others = 0; others < 12; others += 1) await (await acquire()).release()
    const owner = await acquire()
    expect(await readdir(lockFolder)).not.toContain('2.json')
    asleep.resolve()
    expect(await sleeper).toMatchObject({ ok: false, error: { code: 'home_owned', owner: owner.owner } })
    // The old number was free to be taken: only the second look keeps the sleeper out.
    expect(linked).toEqual([generationPath(lockFolder, 2)])
    expect(await readdir(lockFolder)).not.toContain('2.json')
    expect(await readOwner(lockFolder)).toEqual(owner.owner)
  })

  test('and lost what it had prepared, prepares it again', async () => {
    let swept = false
    const lock = await acquire({
      ...lockFiles,
      async link(from, to) {
        if (!swept) await lockFiles.remove(from)
        swept = true
        await lockFiles.link(from, to)
      },
    })
    expect(await readOwner(lockFolder)).toEqual(lock.owner)
  })
})

describe('a damaged lock', () => {
  test.each(['', '{"pid":', '{"pid":"4"}', 'null', '\0'.repeat(200)])(
    '%#: young and not to be read: refused, with the file named',
    async (text) => {
      await (await acquire()).release()
      await writeFile(generationPath(lockFolder, 2), text)
      const refused = await acquireHome(lockFolder, { app: 'window' })
      expect(refused).toMatchObject({ ok: false, error: { code: 'home_owned', path: generationPath(lockFolder, 2) } })
      expect(await readOwner(lockFolder)).toBeUndefined()
    },
  )

  test('older than the running system: free, since no process is older', async () => {
    await (await acquire()).release()
    await writeFile(generationPath(lockFolder, 2), '')
    await utimes(generationPath(lockFolder, 2), new Date(2001, 1), new Date(2001, 1))
    await acquire()
    expect(await readdir(lockFolder)).toContain('3.json')
  })

  test('files that are no generations mean nothing', async () => {
    await (await acquire()).release()
    for (const name of ['99.json.bak', '007.json', 'x.json', '.DS_Store', '-3.json']) {
      await writeFile(join(lockFolder, name), 'x')
    }
    await acquire()
    expect(await readdir(lockFolder)).toContain('2.json')
  })

  test('a generation that can never be read ends in an error, not in a loop', async () => {
    await (await acquire()).release()
    await symlink(join(home, 'nowhere'), generationPath(lockFolder, 2))
    expect(await acquireHome(lockFolder, { app: 'window' })).toMatchObject({ ok: false, error: { code: 'io_failed' } })
  })

  test('a lock folder that cannot be made is said in words', async () => {
    await writeFile(join(home, 'treeline'), 'a file where the folder should be')
    const refused = await acquireHome(lockFolder, { app: 'window' })
    expect(refused).toMatchObject({ ok: false, error: { code: 'io_failed', path: lockFolder } })
  })
})
