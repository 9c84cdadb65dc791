import { dirname, join } from 'node:path'

/**
 * Command-line switches that Chromium needs on this machine.
 * @param {{ virtualDisplay: boolean }} where
 * @param {{ platform?: NodeJS.Platform, root?: boolean, env?: Record<string, string | undefined> }} [machine]
 * @returns {{ args: string[], said?: string }} `said`: a sentence that the person must be told
 */
export function chromiumArguments(
  { virtualDisplay },
  { platform = process.platform, root = process.getuid?.() === 0, env = process.env } = {},
) {
  if (platform !== 'linux') return { args: [] }
  const waylandOnly = !virtualDisplay && (env['DISPLAY'] ?? '') === ''
  const args = [
    ...(root ? ['--no-sandbox'] : []),
    // A virtual display has no GPU; looking for one costs a second and a page of errors.
    ...(virtualDisplay ? ['--disable-gpu'] : []),
    // The floor takes X11 unless it is told otherwise.
    ...(waylandOnly ? ['--ozone-platform=wayland'] : []),
  ]
  const said = 'Running as root, where Chromium has no sandbox: started with --no-sandbox.'
  return root ? { args, said } : { args }
}

/**
 * Chromium reports services that containers and minimal desktops do not have; none of it matters to the app.
 * @param {string} line
 * @returns {boolean}
 */
export function isDesktopNoise(line) {
  return /:(?:ERROR|WARNING):(?:bus|object_proxy|viz_main_impl|gl_display|gpu_process_host|gl_factory)\.cc/.test(line)
}

/**
 * Distributions more and more forbid the kernel's own sandbox to programs they do not know (Ubuntu 24.04 on); Chromium then wants
 * its helper to be root's, which no download can be.
 * @param {string} line what the app printed
 * @param {string} executable
 * @returns {string | undefined} what to do about it, when that is what the line says
 */
export function sandboxRemedy(line, executable) {
  if (!line.includes('The SUID sandbox helper binary was found, but is not configured correctly')) return undefined
  const helper = join(dirname(executable), 'chrome-sandbox')
  return (
    "This system does not allow Chromium's sandbox to programs it does not know. Allow it to this one, then start again:\n" +
    `  sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`
  )
}
