import { describe } from 'vitest'
import { ODD_REPOSITORIES } from './testing/odd-repositories.ts'
import { temporaryFolder } from './testing/test-git.ts'
import { testWorktreeFaults } from './testing/worktree-faults.ts'

describe('worktree faults over odd repositories', () => {
  testWorktreeFaults(async (shape) => {
    const out = await temporaryFolder()
    await ODD_REPOSITORIES[shape](out)
    return out
  })
})
