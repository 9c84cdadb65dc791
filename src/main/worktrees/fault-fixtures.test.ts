import { execFile } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe } from 'vitest'
import { TEST_ENVIRONMENT } from './testing/test-git.ts'
import { testWorktreeFaults } from './testing/worktree-faults.ts'

/** Beside the project, where it was made; a clone has none. */
const MAKE_REPOS = resolve(dirname(fileURLToPath(import.meta.url)), '../../../../shared/fixtures/faults/make-repos.sh')

describe.runIf(existsSync(MAKE_REPOS))('worktree faults over the fault fixtures', () => {
  let out = ''
  beforeAll(async () => {
    out = await realpath(await mkdtemp(join(tmpdir(), 'treeline-make-repos-')))
    await promisify(execFile)('sh', [MAKE_REPOS, out], { env: TEST_ENVIRONMENT })
    // Some hundred git processes on a machine that may do other things as well.
  }, 180_000)
  afterAll(() => rmSync(out, { recursive: true, force: true }))
  testWorktreeFaults(() => Promise.resolve(out))
})
