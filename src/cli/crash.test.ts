import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCrashes } from './testing/crash/run.ts'
import { seeded } from './testing/crash/seeded.ts'

// The short version of `npm run test:crash`.
it('an owner that is killed at random moments loses nothing it had acknowledged, and leaves nothing behind', async () => {
  const report = await runCrashes({
    kills: 10,
    program: join(import.meta.dirname, 'treeline.ts'),
    random: seeded(Date.now()),
    longest: 4000,
  })
  expect(report.faults).toEqual([])
  expect(report.kills).toBe(10)
  expect(report.acknowledged.sessions).toBeGreaterThan(5)
  expect(report.acknowledged.worktrees).toBeGreaterThan(0)
}, 300_000)
