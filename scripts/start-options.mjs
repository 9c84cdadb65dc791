import { resolve } from 'node:path'

export const startUsage = `Usage: npm start [-- OPTIONS]

  --home DIR           open the sessions of another DSH home (default: $DSH_HOME, else ~/.dsh)
  --sample             open a sample tree made for this start, in a temporary home
  --capture FILE.png   save a picture of the window once it shows the tree, and end
  --start-phases      print when each phase of the start was reached, in milliseconds
`

/**
 * @typedef {{ appArguments: string[], capture: string | undefined }} StartOptions
 */

/**
 * @param {string[]} args what follows \`npm start --\`
 * @param {string} folder what relative paths are relative to: the caller's folder
 * @returns {StartOptions | { error: string }} `appArguments` are for the app's main process, with absolute paths
 */
export function parseStartOptions(args, folder) {
  /** @type {string[]} */
  const appArguments = []
  /** @type {Map<string, string>} */
  const given = new Map()
  for (let index = 0; index < args.length; index++) {
    const [name, inline] = splitOnce(args[index] ?? '')
    if (given.has(name)) return { error: `${name} is given twice` }
    if ((name === '--sample' || name === '--start-phases') && inline === undefined) {
      given.set(name, '')
      appArguments.push(name)
    } else if (name === '--home' || name === '--capture') {
      const value = inline ?? args[++index] ?? ''
      if (value === '' || value.startsWith('--')) return { error: `${name} needs a value` }
      if (name === '--capture' && !value.endsWith('.png')) return { error: '--capture makes a PNG: name it FILE.png' }
      given.set(name, resolve(folder, value))
      appArguments.push(name, resolve(folder, value))
    } else return { error: `unknown option: ${args[index]}` }
  }
  if (given.has('--home') && given.has('--sample')) return { error: '--sample has a home of its own: leave out --home' }
  return { appArguments, capture: given.get('--capture') }
}

/**
 * @param {string} argument
 * @returns {[string, string?]} `--name=value` in two
 */
function splitOnce(argument) {
  const at = argument.indexOf('=')
  return argument.startsWith('--') && at > 0 ? [argument.slice(0, at), argument.slice(at + 1)] : [argument]
}
