import { stat } from 'node:fs/promises'
import { ensureBuild } from './setup/build.mjs'
import { runCommand } from './setup/command.mjs'
import { hasDisplay, startVirtualDisplay } from './setup/display.mjs'
import { chromiumArguments, isDesktopNoise, sandboxRemedy } from './setup/electron-arguments.mjs'
import { runInForeground } from './setup/foreground.mjs'
import { callersFolder, projectRoot } from './setup/places.mjs'
import { prepare } from './setup/prepare.mjs'
import { parseStartOptions, startUsage } from './start-options.mjs'

/** A picture takes seconds; a window that never shows its tree must not hang whoever waits for it. */
const captureLimit = 120_000

// npm start: set up what is missing, build what has changed, open the app.
await runCommand(async (progress) => {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    process.stdout.write(startUsage)
    return 0
  }
  const options = parseStartOptions(args, callersFolder())
  if ('error' in options) {
    process.stderr.write(`${options.error}\n\n${startUsage}`)
    return 2
  }
  const runtime = await prepare(progress)
  await ensureBuild(progress)

  const display = hasDisplay() ? undefined : await startVirtualDisplay()
  if (display !== undefined && options.capture === undefined) {
    progress.say(
      'There is no display here, so the window opens on a virtual one and nobody sees it. For a picture of it: ' +
        'npm start -- --capture window.png',
    )
  }
  const { args: flags, said } = chromiumArguments({ virtualDisplay: display !== undefined })
  if (said !== undefined) progress.say(said)
  /** @type {string | undefined} */
  let remedy
  try {
    const outcome = await runInForeground(runtime.executable, [...runtime.args, ...flags, ...options.appArguments], {
      cwd: projectRoot,
      env: { ...process.env, ...display?.env },
      quietLine: (line) => {
        remedy ??= sandboxRemedy(line, runtime.executable)
        return isDesktopNoise(line)
      },
      ...(options.capture === undefined ? {} : { timeLimit: captureLimit }),
    })
    if (outcome.late)
      process.stderr.write('The window did not show its tree within two minutes; there is no picture.\n')
    if (outcome.late) return 1
    if (outcome.stopped) return outcome.code
    if (outcome.code !== 0) {
      process.stderr.write(`The app ended with code ${outcome.code}. ${remedy ?? ''}\n`)
      return outcome.code
    }
    return options.capture === undefined ? 0 : await reportPicture(options.capture, progress)
  } finally {
    display?.stop()
  }
})

/**
 * @param {string} file
 * @param {import('./setup/progress.mjs').Progress} progress
 * @returns {Promise<number>}
 */
async function reportPicture(file, progress) {
  const size = await stat(file).then(
    (picture) => picture.size,
    () => 0,
  )
  if (size === 0) {
    process.stderr.write(`The app ended without saving ${file}.\n`)
    return 1
  }
  progress.say(`Saved ${file}`)
  return 0
}
