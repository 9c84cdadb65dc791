import { describe, expect, test } from 'vitest'
import { planTests, playwrightCounts, summarize, vitestCounts } from './test-plan.mjs'

describe('what npm test runs', () => {
  test('everything, when nothing is named', () => {
    expect(planTests([])).toEqual({
      check: true,
      unit: true,
      opencode: true,
      e2e: true,
      unitFiles: [],
      e2eFiles: [],
    })
  })

  test('a part, when it is named', () => {
    expect(planTests(['--unit'])).toMatchObject({ check: false, unit: true, e2e: false })
    expect(planTests(['--check', '--e2e'])).toMatchObject({ check: true, unit: false, e2e: true })
  })

  test('files go to the runner they belong to', () => {
    expect(planTests(['./src/main/tools', 'e2e/fork.spec.ts'])).toEqual({
      check: false,
      unit: true,
      opencode: false,
      e2e: true,
      unitFiles: ['src/main/tools'],
      e2eFiles: ['e2e/fork.spec.ts'],
    })
    expect(planTests(['e2e-helper.test.ts'])).toMatchObject({ unit: true, e2e: false })
  })

  test('OpenCode is fetched only where its tests run', () => {
    expect(planTests(['--unit'])).toMatchObject({ opencode: true })
    expect(planTests(['src/main/gateway'])).toMatchObject({ opencode: true })
    expect(planTests(['opencode'])).toMatchObject({ opencode: true })
    expect(planTests(['--check', '--e2e'])).toMatchObject({ opencode: false })
    expect(planTests(['e2e/fork.spec.ts'])).toMatchObject({ opencode: false })
  })

  test('an unknown option is an error', () => {
    expect(planTests(['--quick'])).toEqual({ error: 'unknown option: --quick' })
  })
})

describe('the summary', () => {
  const stage = { name: 'x', ok: true, seconds: 1, passed: 0, failed: 0, skipped: 0 }

  test('adds up, and its last line says so', () => {
    const { lines, failed } = summarize([
      { ...stage, ok: false, passed: 3, failed: 2 },
      { ...stage, passed: 4, skipped: 1 },
    ])
    expect(lines.at(-1)).toBe('7 passed, 2 failed')
    expect(failed).toBe(2)
    expect(lines[1]).toContain('1 pending')
  })

  test('a stage that failed without a failed test is a failure', () => {
    expect(
      summarize([
        { ...stage, passed: 5 },
        { ...stage, ok: false },
      ]).lines.at(-1),
    ).toBe('5 passed, 1 failed')
    expect(summarize([{ ...stage, ok: false, passed: 5 }]).failed).toBe(1)
  })

  test('counts come from the runners’ own reports, and a flaky test has failed', () => {
    expect(vitestCounts({ numPassedTests: 5, numFailedTests: 1, numPendingTests: 2, numTodoTests: 3 })).toEqual({
      passed: 5,
      failed: 1,
      skipped: 5,
    })
    expect(playwrightCounts({ stats: { expected: 4, unexpected: 1, flaky: 1, skipped: 2 } })).toEqual({
      passed: 4,
      failed: 2,
      skipped: 2,
    })
    expect(vitestCounts({})).toEqual({ passed: 0, failed: 0, skipped: 0 })
    expect(playwrightCounts({})).toEqual({ passed: 0, failed: 0, skipped: 0 })
  })
})
