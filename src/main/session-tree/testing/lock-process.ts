import { writeFile } from 'node:fs/promises'
import { acquireHome } from '../owner-lock.ts'
import { lockFiles, type LockFiles } from '../owner-lock-files.ts'

/*
 * One competitor for a home, for the lock's tests: `node lock-process.ts <lock folder> [die <n> [half]]`.
 * It answers `ready`, acquires when told `go`, answers what came of it, and then lives until it is killed or told to
 * `release`. With `die` it kills itself, the hard way, in front of its n-th file operation; with `half` it writes half of
 * what that operation would have written first.
 */

export type Answer =
  | { readonly got: 'ready' | 'owned' | 'released' }
  | { readonly got: 'refused'; readonly code: string }

const [lockFolder = '', , dieAt = '0', half] = process.argv.slice(2)
const lock = acquireWhenTold()

process.on('message', (told) => {
  if (told === 'release') void lock.then((held) => held?.release()).then(() => answer({ got: 'released' }))
})
answer({ got: 'ready' })

async function acquireWhenTold() {
  await new Promise<void>((resolve) => {
    process.on('message', (told) => {
      if (told === 'go') resolve()
    })
  })
  const acquired = await acquireHome(lockFolder, { app: 'command line' }, mortal(Number(dieAt), half === 'half'))
  if (acquired.ok) answer({ got: 'owned' })
  else answer({ got: 'refused', code: acquired.error.code })
  return acquired.ok ? acquired.value : undefined
}

function answer(message: Answer): void {
  process.send?.(message)
}

function mortal(at: number, writesHalf: boolean): LockFiles {
  let count = 0
  const step = async (): Promise<void> => {
    count += 1
    if (count !== at) return
    process.kill(process.pid, 'SIGKILL')
    // The signal may need a moment; nothing may happen until it is there.
    await new Promise(() => undefined)
  }
  return {
    makeFolder: (path) => step().then(() => lockFiles.makeFolder(path)),
    names: (path) => step().then(() => lockFiles.names(path)),
    read: (path) => step().then(() => lockFiles.read(path)),
    changedAt: (path) => step().then(() => lockFiles.changedAt(path)),
    async write(path, text) {
      if (writesHalf && count + 1 === at) await writeFile(path, text.slice(0, text.length / 2))
      await step()
      await lockFiles.write(path, text)
    },
    link: (from, to) => step().then(() => lockFiles.link(from, to)),
    rename: (from, to) => step().then(() => lockFiles.rename(from, to)),
    remove: (path) => step().then(() => lockFiles.remove(path)),
  }
}
