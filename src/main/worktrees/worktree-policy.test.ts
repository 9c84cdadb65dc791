import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pathLengthProblem } from './path-length.ts'
import {
  candidateNames,
  fillPolicy,
  namePartsOf,
  parseWorktreePolicy,
  type WorktreeTemplates,
} from './worktree-policy.ts'

const DEFAULTS: WorktreeTemplates = { worktreePath: null, worktreeBranch: null }
const PARTS = namePartsOf('My App', 'Fix the parser', 'session-0199f0a0-0000-7000-8000-0000deadbeef')

function filled(templates: Partial<WorktreeTemplates>): { path: string; branch: string } {
  const policy = parseWorktreePolicy('/home/dev/.dsh', { ...DEFAULTS, ...templates })
  if (!policy.ok) throw new Error(policy.error.message)
  return fillPolicy(policy.value, PARTS)
}

test('the default policy', () => {
  expect(filled({})).toEqual({
    path: '/home/dev/.dsh/worktrees/My-App/fix-the-parser-deadbeef',
    branch: 'treeline/fix-the-parser-deadbeef',
  })
})

test('templates of one’s own', () => {
  expect(filled({ worktreePath: '/srv/{repository}/{id}', worktreeBranch: 'feature/{slug}' })).toEqual({
    path: '/srv/My-App/deadbeef',
    branch: 'feature/fix-the-parser',
  })
  expect(filled({ worktreePath: '~/w/{slug}/' }).path).toBe(join(homedir(), 'w', 'fix-the-parser'))
})

test.each([
  ['worktreePath', '', 'empty'],
  ['worktreePath', 'w/{slug}', 'must begin with'],
  ['worktreePath', '{home}/w', 'needs {slug} or {id}'],
  ['worktreePath', '{home}/{slug}/here', 'last folder'],
  ['worktreePath', '{home}/../{slug}', '".."'],
  ['worktreePath', '{home}/{title}', '{title} is not known'],
  ['worktreePath', '{home}/{slug', 'no partner'],
  ['worktreePath', '{home}/\n{slug}', 'control sign'],
  ['worktreeBranch', '{home}/{slug}', '{home} is not known'],
  ['worktreeBranch', 'treeline', 'needs {slug} or {id}'],
  ['worktreeBranch', 'a b/{slug}', 'git takes no branch'],
  ['worktreeBranch', '{slug}.lock', 'git takes no branch'],
  ['worktreeBranch', '-{slug}', 'git takes no branch'],
  ['worktreeBranch', '{slug}/', 'git takes no branch'],
] as const)('%s %j is refused: %s', (field, template, why) => {
  const policy = parseWorktreePolicy('/home/dev/.dsh', { ...DEFAULTS, [field]: template })
  expect(policy).toMatchObject({ ok: false, error: { code: 'settings_invalid', field } })
  expect(!policy.ok && policy.error.message).toContain(why)
})

test('names to try: numbered, then with the branch’s folders flattened', () => {
  const names = [...candidateNames({ path: '/w/x', branch: 'a/x' })]
  expect(names.slice(0, 2)).toEqual([
    { path: '/w/x', branch: 'a/x' },
    { path: '/w/x-2', branch: 'a/x-2' },
  ])
  expect(names[20]).toEqual({ path: '/w/x', branch: 'a-x' })
  expect(new Set(names.map((name) => name.branch)).size).toBe(40)
})

test('a path is measured in bytes, against the system’s limits', () => {
  const path = `/${'果'.repeat(80)}`
  expect(pathLengthProblem(path, 4095 - 242, 'linux')).toBeUndefined()
  expect(pathLengthProblem(path, 4095 - 241, 'linux')?.code).toBe('path_too_long')
  expect(pathLengthProblem(path, 800, 'darwin')?.code).toBe('path_too_long')
  expect(pathLengthProblem('/w/x', 300, 'win32')?.code).toBe('path_too_long')
  expect(pathLengthProblem(`/w/${'x'.repeat(256)}`, 1, 'linux')?.code).toBe('path_too_long')
  expect(pathLengthProblem(`/w/${'x'.repeat(255)}`, 1, 'linux')).toBeUndefined()
})
