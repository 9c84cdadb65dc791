import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { RegistryFailure } from './failure.mjs'
import { lastLines, runProgram } from './run-program.mjs'

/**
 * How to start npm without a shell: npm-cli.js under this very Node. `npm` by name would be a .cmd file on Windows, which
 * cannot be spawned, and may belong to another Node than the one that was chosen.
 * @param {Record<string, string | undefined>} env
 * @param {string} execPath
 * @param {(path: string) => boolean} exists
 * @returns {{ command: string, args: string[] }}
 */
export function npmCommand(env = process.env, execPath = process.execPath, exists = existsSync) {
  const besideNode = [
    join(dirname(execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(dirname(execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ]
  // Only npm's own: under `pnpm start` npm_execpath is pnpm.
  const calledBy = env['npm_execpath']
  const candidates =
    calledBy !== undefined && basename(calledBy) === 'npm-cli.js' ? [calledBy, ...besideNode] : besideNode
  const cli = candidates.find(exists)
  return cli === undefined ? { command: 'npm', args: [] } : { command: execPath, args: [cli] }
}

/**
 * @param {string[]} args
 * @param {{ cwd?: string, signal?: AbortSignal }} [options]
 * @returns {Promise<import('./run-program.mjs').Outcome>} `missing` when this machine has no npm
 */
export function runNpm(args, options = {}) {
  const npm = npmCommand()
  // `npm run -s` and NODE_ENV=production reach a nested npm through the environment and would hide errors or leave out tools.
  const env = { ...process.env, npm_config_loglevel: 'error', NODE_ENV: '' }
  return runProgram(npm.command, [...npm.args, ...args], { ...options, env })
}

/**
 * Puts a failed npm call in words.
 * @param {import('./run-program.mjs').Outcome} outcome
 * @param {string} what the sentence's beginning: "npm could not download x"
 * @param {boolean} [stalled] it was given up because nothing came any more
 * @returns {RegistryFailure}
 */
export function npmTrouble(outcome, what, stalled = false) {
  if (outcome.missing) {
    return new RegistryFailure(
      `${what}: there is no npm beside ${process.execPath}`,
      'Install npm (it comes with Node).',
    )
  }
  return new RegistryFailure(
    stalled ? `${what}: nothing came from the registry for a minute` : what,
    'Check that this machine reaches the npm registry (npm ping; npm config get registry, proxy), then run the command again.',
    lastLines(outcome.output),
  )
}
