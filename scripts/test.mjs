import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureBuild } from './setup/build.mjs'
import { describeFailure, runCommand } from './setup/command.mjs'
import { StepFailure } from './setup/failure.mjs'
import { runInForeground } from './setup/foreground.mjs'
import { npmCommand } from './setup/npm.mjs'
import { ensureOpencode } from './setup/opencode.mjs'
import { ensurePackages } from './setup/packages.mjs'
import { projectCache, projectRoot } from './setup/places.mjs'
import { prepare } from './setup/prepare.mjs'
import { planTests, playwrightCounts, summarize, testUsage, vitestCounts } from './test-plan.mjs'

const npm = npmCommand()
const noCounts = { passed: 0, failed: 0, skipped: 0 }
const checks = ['format', 'types', 'lint', 'unused']

// npm test: everything a change must pass, from a bare machine on. A stage runs even if one before it failed, unless it
// needs what that one was to make.
await runCommand(async (progress) => {
  const plan = planTests(process.argv.slice(2))
  if ('error' in plan) {
    process.stderr.write(`${plan.error}\n\n${testUsage}`)
    return 2
  }
  /** @type {import('./test-plan.mjs').StageResult[]} */
  const stages = []
  /**
   * @param {string} name
   * @param {() => Promise<Omit<import('./test-plan.mjs').StageResult, 'name' | 'seconds'> | void>} run
   * @returns {Promise<boolean>} whether it went well
   */
  const stage = async (name, run) => {
    progress.say(`\n== ${name}`)
    const start = performance.now()
    const result = await run().catch((error) => {
      if (!(error instanceof StepFailure)) throw error
      process.stderr.write(describeFailure(error))
      return { ok: false, ...noCounts }
    })
    const ended = result ?? { ok: true, ...noCounts }
    stages.push({ name, ...ended, seconds: (performance.now() - start) / 1000 })
    return ended.ok
  }

  if (await stage('packages', () => ensurePackages(progress))) {
    // Only the real app needs Electron and its libraries.
    const canRunApp = plan.e2e && (await stage('Electron', async () => void (await prepare(progress))))
    if (plan.check) {
      for (const check of checks) {
        await stage(`check: ${check}`, () => tool(npm.command, [...npm.args, 'run', '--silent', `check:${check}`]))
      }
    }
    if (plan.unit) {
      const env = { ...process.env }
      if (plan.opencode) {
        await stage('OpenCode', async () => {
          const found = await ensureOpencode(progress)
          if ('program' in found) env['TREELINE_TEST_OPENCODE'] = found.program
          else env['TREELINE_TEST_OPENCODE_MISSING'] = found.missing
          return {
            ok: true,
            ...noCounts,
            ...('missing' in found && { note: `its tests are pending: ${found.missing}` }),
          }
        })
      }
      await stage('unit and integration tests', () => unitTests(plan.unitFiles, env))
    }
    if (canRunApp && (await stage('build', () => ensureBuild(progress)))) {
      await stage('end-to-end tests', () => endToEndTests(plan.e2eFiles))
    }
  }
  const { failed, lines } = summarize(stages)
  progress.say(`\n${lines.join('\n')}`)
  return failed === 0 ? 0 : 1
})

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
async function tool(command, args, env = process.env) {
  const { code, stopped } = await runInForeground(command, args, { cwd: projectRoot, env })
  // Ctrl-C means all of it, not this stage.
  if (stopped) process.exit(code)
  return { ok: code === 0, ...noCounts }
}

/**
 * @param {string[]} files
 * @param {NodeJS.ProcessEnv} env
 */
async function unitTests(files, env) {
  const report = await freshReport('vitest.json')
  const vitest = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { ok } = await tool(process.execPath, [vitest, 'run', ...reporters, ...files], env)
  return { ok, ...vitestCounts(await readReport(report)) }
}

/** @param {string[]} files */
async function endToEndTests(files) {
  const report = await freshReport('playwright.json')
  const playwright = join(projectRoot, 'node_modules', '@playwright', 'test', 'cli.js')
  const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: report }
  const { ok } = await tool(process.execPath, [playwright, 'test', '--reporter=list,json', ...files], env)
  return { ok, ...playwrightCounts(await readReport(report)) }
}

/**
 * @param {string} name
 * @returns {Promise<string>} a path where no report of a former run lies
 */
async function freshReport(name) {
  const path = join(projectCache, name)
  await mkdir(projectCache, { recursive: true })
  await rm(path, { force: true })
  return path
}

/**
 * @param {string} path
 * @returns {Promise<Record<string, never>>} empty when the runner ended before it could write one
 */
async function readReport(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return {}
  }
}
