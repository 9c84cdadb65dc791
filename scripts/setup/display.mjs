import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StepFailure } from './failure.mjs'

/**
 * @param {NodeJS.Platform} platform
 * @param {Record<string, string | undefined>} env
 * @returns {boolean} whether a window would be seen
 */
export function hasDisplay(platform = process.platform, env = process.env) {
  if (platform !== 'linux') return true
  return (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== ''
}

/**
 * @param {Buffer | string} content
 * @returns {Buffer} its length in two bytes, then the content
 */
function counted(content) {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

/**
 * A cookie file as X clients and servers read it: one entry, for any host (family 0xffff) and any display.
 * @param {Buffer} cookie 16 bytes
 * @returns {Buffer}
 */
export function xAuthority(cookie) {
  const anyHost = Buffer.from([0xff, 0xff])
  return Buffer.concat([anyHost, counted(''), counted(''), counted('MIT-MAGIC-COOKIE-1'), counted(cookie)])
}

/**
 * Starts Xvfb for the programs that this process starts. The server picks a free display number itself, which two test runs
 * at once both survive; xvfb-run looks for one first, and leaves its server behind when it is killed.
 * @returns {Promise<{ env: { DISPLAY: string, XAUTHORITY: string }, stop: () => void }>} it also stops when this process ends
 */
export async function startVirtualDisplay() {
  const folder = mkdtempSync(join(tmpdir(), 'treeline-display-'))
  const authority = join(folder, 'Xauthority')
  writeFileSync(authority, xAuthority(randomBytes(16)), { mode: 0o600 })
  const log = join(folder, 'log')
  const output = openSync(log, 'w')
  const args = ['-displayfd', '3', '-screen', '0', '1920x1200x24', '-nolisten', 'tcp', '-auth', authority]
  // Its output goes to a file: a pipe would keep this process alive, and closing it would end the server at its next word.
  const server = spawn('Xvfb', args, { stdio: ['ignore', output, output, 'pipe'] })
  closeSync(output)
  const stop = () => {
    process.off('exit', stop)
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', stop)
  try {
    const number = await displayNumber(server)
    server.unref()
    return { env: { DISPLAY: `:${number}`, XAUTHORITY: authority }, stop }
  } catch (error) {
    const reason = `${error instanceof Error ? error.message : String(error)} ${readFileSync(log, 'utf8').trim()}`
    stop()
    throw new StepFailure(`no virtual display could be started: ${reason}`, 'Install xvfb (apt-get install xvfb).')
  }
}

/**
 * @param {import('node:child_process').ChildProcess} server writes its number to its fourth stream once it takes clients
 * @returns {Promise<string>} rejects when it ends instead
 */
function displayNumber(server) {
  return new Promise((settle, fail) => {
    let told = ''
    const stream = server.stdio[3]
    stream?.on('data', (text) => {
      told += String(text)
      // Number and line end are two writes; closing the pipe between them would end the server.
      if (!told.endsWith('\n')) return
      stream.destroy()
      settle(told.trim())
    })
    server.once('error', fail)
    server.once('exit', (code) => fail(new Error(`Xvfb ended with ${code}.`)))
  })
}
