import { readFileSync } from 'node:fs'

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

/** @returns {string} what to do where the kernel forbids Chromium's sandbox (Ubuntu 24.04 on); else nothing */
export function sandboxRemedy() {
  try {
    const restricted = readFileSync('/proc/sys/kernel/apparmor_restrict_unprivileged_userns', 'utf8').trim() === '1'
    if (!restricted || process.getuid?.() === 0) return ''
    return (
      ' If it says above that the sandbox is not configured: this kernel forbids it to programs it does not know.' +
      '\nAllow it until the next restart, then start again:\n  sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0'
    )
  } catch {
    return ''
  }
}
