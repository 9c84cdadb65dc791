import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createGit } from '../git.ts'
import { createGitWorktrees } from '../git-worktrees.ts'
import { undoIntents, type IntentReport } from '../pending-intents.ts'
import { makeRepository, temporaryFolder, TEST_ENVIRONMENT, traces, tracesByGit } from './test-git.ts'

export interface HomeWithRepository {
  readonly home: string
  readonly pending: string
  readonly repository: string
  readonly look: () => Promise<object>
  /** What the next owner of the home does. */
  readonly nextOwner: () => Promise<IntentReport>
}

export async function homeWithRepository(): Promise<HomeWithRepository> {
  const folder = await temporaryFolder()
  const home = join(folder, 'home')
  await mkdir(home)
  const repository = await makeRepository(join(folder, 'r'))
  const pending = join(home, 'treeline', 'pending')
  return {
    home,
    pending,
    repository,
    look: async () => ({
      onDisk: await traces(join(repository, '.git'), join(home, 'worktrees')),
      byGit: await tracesByGit(repository),
    }),
    nextOwner: () => {
      const worktrees = createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) })
      return undoIntents(pending, worktrees, (id) => Promise.resolve(existsSync(join(home, 'session-tree', id))))
    },
  }
}
