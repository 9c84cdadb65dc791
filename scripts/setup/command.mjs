import { delimiter, dirname } from 'node:path'
import { StepFailure } from './failure.mjs'
import { runInForeground } from './foreground.mjs'
import { ensureNode } from './node.mjs'
import { canBuild } from './node-version.mjs'
import { progressOn } from './progress.mjs'

/**
 * What every command of this project does around its work: runs it under a Node that is new enough, and turns a failed step
 * into words and an exit code.
 * @param {(progress: import('./progress.mjs').Progress) => Promise<number>} work resolves to the exit code
 * @param {{ stream?: NodeJS.WriteStream }} [options] where progress is shown
 */
export async function runCommand(work, { stream = process.stdout } = {}) {
  const progress = progressOn(stream)
  try {
    process.exitCode = canBuild(process.versions.node) ? await work(progress) : await runUnderNewerNode(progress)
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error
    process.stderr.write(describeFailure(error))
    process.exitCode = 1
  }
}

/**
 * @param {StepFailure} failure
 * @returns {string}
 */
export function describeFailure(failure) {
  const step = failure.step === undefined ? '' : `${failure.step}: `
  const output = failure.output === '' ? '' : `\n\n${failure.output.replace(/^/gm, '  | ')}`
  return `\n${step}${failure.message}\n${failure.remedy}${output}\n`
}

/**
 * @param {import('./progress.mjs').Progress} progress
 * @returns {Promise<number>}
 */
async function runUnderNewerNode(progress) {
  const node = await ensureNode(progress)
  const script = process.argv[1] ?? ''
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` }
  const { code } = await runInForeground(node, [script, ...process.argv.slice(2)], { env })
  return code
}
