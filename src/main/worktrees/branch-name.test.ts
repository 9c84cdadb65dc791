import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'
import { branchInTheWay, isBranchName } from './branch-name.ts'
import { slugOf } from './slug.ts'
import { temporaryFolder, TEST_ENVIRONMENT } from './testing/test-git.ts'

const NAMES = [
  'a',
  'harvest/2026.4',
  'treeline/straße-果园-0a1b2c3d',
  'a@b',
  'HEAD',
  'head',
  '-a',
  'a-',
  '.a',
  'a/.b',
  'a.',
  'a./b',
  'a..b',
  'a.lock',
  'a.lock/b',
  'a.lockb',
  'a//b',
  '/a',
  'a/',
  'a b',
  'a~b',
  'a^b',
  'a:b',
  'a?b',
  'a*b',
  'a[b',
  'a]b',
  'a\\b',
  'a@{b',
  'a{b',
  'a\u0001b',
  'a\u007fb',
  'a\u0085b',
]

/** Git's own answer. */
async function gitTakes(name: string, cwd: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('git', ['check-ref-format', '--branch', name], { cwd, env: TEST_ENVIRONMENT }, (error) => resolve(!error))
  })
}

test('a branch name is taken exactly when git takes it', async () => {
  const cwd = await temporaryFolder()
  const theirs = await Promise.all(NAMES.map(async (name) => [name, await gitTakes(name, cwd)] as const))
  expect(NAMES.map((name) => [name, isBranchName(name)])).toEqual(theirs)
  expect(isBranchName('')).toBe(false)
  // Git takes it for HEAD.
  expect(isBranchName('@')).toBe(false)
})

test('git takes every slug as a branch', async () => {
  const cwd = await temporaryFolder()
  const titles = [
    'release',
    '../x',
    'a..b',
    'x.lock',
    '@{',
    'x'.repeat(300),
    '👍🏽',
    '果园里的苹果',
    'हिन्दी',
    'HEAD',
    '\ud83d',
  ]
  const taken = await Promise.all(titles.map((title) => gitTakes(`treeline/${slugOf(title)}-0a1b2c3d`, cwd)))
  expect(taken).toEqual(titles.map(() => true))
})

test.each([
  ['harvest', ['harvest'], 'harvest'],
  ['harvest', ['Harvest'], 'Harvest'],
  ['harvest', ['harvest/2026.4'], 'harvest/2026.4'],
  ['harvest/winter', ['harvest'], 'harvest'],
  ['harvest/winter', ['HARVEST'], 'HARVEST'],
  ['harvest/two', ['Harvest/one'], 'Harvest/one'],
  ['a/b/c', ['a/B/d'], 'a/B/d'],
  ['caf\u00e9', ['cafe\u0301'], 'cafe\u0301'],
  ['harvest/two', ['harvest/one'], undefined],
  ['harvest', ['harvesting', 'harves'], undefined],
  ['a/b', ['a/bc', 'c/b'], undefined],
])('%s beside %j: in the way is %s', (wanted, branches, clash) => {
  expect(branchInTheWay(wanted, branches)).toBe(clash)
})
