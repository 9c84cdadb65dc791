export const testUsage = `Usage: npm test [-- PART... | FILE...]

  --check   format, types, lint, import arrows, dead code
  --unit    unit and integration tests (vitest)
  --e2e     the real app (Playwright)
  FILE      only these test files, or those whose path contains this: src/main/tools, e2e/fork.spec.ts

Without any, everything runs.
`

/** The unit tests that need OpenCode, which is large and fetched for them alone. */
const opencodeTest = 'src/main/gateway/opencode.test.ts'

/**
 * What to run. `files` narrow the stage they belong to; `opencode`: its tests are among them.
 * @typedef {{ check: boolean, unit: boolean, opencode: boolean, e2e: boolean, unitFiles: string[], e2eFiles: string[] }} TestPlan
 */

/**
 * @param {string[]} args what follows \`npm test --\`
 * @returns {TestPlan | { error: string }}
 */
export function planTests(args) {
  const flags = args.filter((argument) => argument.startsWith('-'))
  const unknown = flags.filter((flag) => !['--check', '--unit', '--e2e'].includes(flag))
  if (unknown.length > 0) return { error: `unknown option: ${unknown.join(' ')}` }
  const files = args.filter((argument) => !argument.startsWith('-')).map((file) => file.replace(/^\.\//, ''))
  const e2eFiles = files.filter((file) => /^e2e(?:\/|$)/.test(file))
  const unitFiles = files.filter((file) => !e2eFiles.includes(file))
  const all = args.length === 0
  const unit = all || flags.includes('--unit') || unitFiles.length > 0
  return {
    check: all || flags.includes('--check'),
    unit,
    opencode: unit && (unitFiles.length === 0 || unitFiles.some((file) => opencodeTest.includes(file))),
    e2e: all || flags.includes('--e2e') || e2eFiles.length > 0,
    unitFiles,
    e2eFiles,
  }
}

/**
 * One stage's end. Counts are of tests; `check` and `build` have none.
 * @typedef {{ name: string, ok: boolean, seconds: number, passed: number, failed: number, skipped: number, note?: string }} StageResult
 */

/**
 * A stage that failed without a failed test (types, a build, a runner that could not start) counts as one failure, so that
 * "0 failed" never stands under a red run.
 * @param {StageResult[]} stages
 * @returns {{ passed: number, failed: number, lines: string[] }} the last line is `N passed, N failed`
 */
export function summarize(stages) {
  let passed = 0
  let failed = 0
  const lines = stages.map((stage) => {
    passed += stage.passed
    failed += stage.ok ? 0 : Math.max(stage.failed, 1)
    const counts = stage.passed + stage.failed > 0 ? `, ${stage.passed} passed, ${stage.failed} failed` : ''
    const skipped = stage.skipped > 0 ? `, ${stage.skipped} pending` : ''
    const note = stage.note === undefined ? '' : ` (${stage.note})`
    return `  ${stage.ok ? 'ok    ' : 'FAILED'}  ${stage.name}${counts}${skipped}, ${stage.seconds.toFixed(1)} s${note}`
  })
  return { passed, failed, lines: [...lines, `${passed} passed, ${failed} failed`] }
}

/**
 * @param {{ numPassedTests?: number, numFailedTests?: number, numPendingTests?: number, numTodoTests?: number }} report
 *   vitest's JSON report
 */
export function vitestCounts(report) {
  return {
    passed: report.numPassedTests ?? 0,
    failed: report.numFailedTests ?? 0,
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
  }
}

/**
 * @param {{ stats?: { expected?: number, unexpected?: number, flaky?: number, skipped?: number } }} report Playwright's JSON
 *   report; a flaky test is one that failed
 */
export function playwrightCounts({ stats = {} }) {
  return {
    passed: stats.expected ?? 0,
    failed: (stats.unexpected ?? 0) + (stats.flaky ?? 0),
    skipped: stats.skipped ?? 0,
  }
}
