import { chmod, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A post-checkout hook that a test holds in its hand, so that nothing about a slow worktree is left to time. */
export interface HeldHook {
  /** Whether git has come to the hook. */
  readonly started: () => Promise<boolean>
  /** Lets the hook, and all that run later, end well. */
  readonly letGo: () => Promise<void>
}

/** Puts a hook into a repository that starts, and then waits until it is let go. */
export async function holdHook(repository: string): Promise<HeldHook> {
  const started = join(repository, '.git', 'hook-started')
  const gate = join(repository, '.git', 'hook-gate')
  await writeHook(repository, `: > "${started}"\nwhile [ ! -e "${gate}" ]; do sleep 0.05; done`)
  return {
    started: () =>
      stat(started).then(
        () => true,
        () => false,
      ),
    letGo: () => writeFile(gate, ''),
  }
}

/** Puts a post-checkout hook of these shell lines into a repository. */
export async function writeHook(repository: string, lines: string): Promise<void> {
  const folder = join(repository, '.git', 'hooks')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'post-checkout'), `#!/bin/sh\n${lines}\n`)
  await chmod(join(folder, 'post-checkout'), 0o755)
}
