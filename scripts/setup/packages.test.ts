import { describe, expect, test } from 'vitest'
import { isInstalled } from './packages.mjs'

const wanted = {
  packages: {
    '': { version: '0.1.0' },
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/other-system': { version: '2.0.0', integrity: 'sha512-o', optional: true },
  },
}

describe('whether the packages are those of the lock file', () => {
  test('they are when all but other systems’ are there', () => {
    expect(isInstalled(wanted, { packages: { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } } })).toBe(
      true,
    )
  })

  test.each([
    ['nothing is installed', undefined],
    ['a package is missing', { packages: {} }],
    ['a version is another', { packages: { 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } } }],
    ['the content is another', { packages: { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-b' } } }],
    ['the record is of another form', {}],
  ])('they are not when %s', (_, installed) => {
    expect(isInstalled(wanted, installed)).toBe(false)
  })

  test('an optional package of another version is not', () => {
    const installed = {
      packages: { ...wanted.packages, 'node_modules/other-system': { version: '1.9.0', integrity: 'sha512-o' } },
    }
    expect(isInstalled(wanted, installed)).toBe(false)
  })
})
