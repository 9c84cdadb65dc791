import { expect, it } from 'vitest'
import type { PresetsView } from '../../shared/agent-view.ts'
import type { SessionSummary } from '../../shared/navigator-view.ts'
import { budgetFault, EMPTY_DRAFT, likelyFolder, modelFault, presetShown, typedModel } from './new-session-draft.ts'

const session = (more: Partial<SessionSummary>): SessionSummary => ({
  session_id: 'session-1',
  kind: 'main',
  root_session_id: 'session-1',
  status: 'cold',
  group: { key: '/src/app', kind: 'repository', name: 'app' },
  subagents: { count: 0 },
  waiting: false,
  ...more,
})
const view: PresetsView = {
  presets: [
    { id: 'dsh', label: 'DSH', kind: 'acp', source: 'found' },
    { id: 'shell', label: 'Shell', kind: 'shell', source: 'built-in' },
  ],
  chosen: null,
  problems: [],
}

it('begins in the folder of the open session, never in a worktree or a folder that is gone', () => {
  expect(likelyFolder(session({ cwd: '/src/app/lib' }), [])).toBe('/src/app/lib')
  const worktree = { path: '/w/one', branch: 'b', base: 'c', repository: '/src/app' }
  expect(likelyFolder(session({ cwd: '/w/one', worktree }), [])).toBe('/src/app')
  const gone = session({ cwd: '/gone', warning: { kind: 'folder_missing', message: 'x' } })
  const others = [session({ cwd: '/a', updated_at: 1 }), session({ cwd: '/b', updated_at: 2 }), gone]
  expect(likelyFolder(gone, others)).toBe('/b')
  expect(likelyFolder(undefined, [])).toBe('')
})

it('takes the agent from settings where none was chosen, and never guesses the shell', () => {
  expect(presetShown(EMPTY_DRAFT, view)).toBe('')
  expect(presetShown(EMPTY_DRAFT, { ...view, chosen: 'dsh' })).toBe('dsh')
  expect(presetShown(EMPTY_DRAFT, { ...view, chosen: 'shell' })).toBe('')
  expect(presetShown({ ...EMPTY_DRAFT, preset: 'shell' }, view)).toBe('shell')
  expect(presetShown({ ...EMPTY_DRAFT, preset: '' }, { ...view, chosen: 'dsh' })).toBe('')
})

it.each([
  ['', true],
  ['150000', true],
  ['150,000', true],
  ['0', false],
  ['-1', false],
  ['1.5', false],
  ['much', false],
])('takes %j as a budget: %s', (typed, isSound) => {
  expect(budgetFault(typed) === undefined).toBe(isSound)
})

it.each([
  ['anthropic/claude-sonnet', { provider: 'anthropic', model: 'claude-sonnet' }],
  [' openrouter/google/gemini-3 ', { provider: 'openrouter', model: 'google/gemini-3' }],
  ['claude-sonnet', undefined],
  ['/claude', undefined],
  ['anthropic/', undefined],
  ['a b/c', undefined],
])('takes %j as a model: %j', (typed, model) => {
  expect(typedModel(typed)).toEqual(model)
  expect(modelFault(typed) === undefined).toBe(model !== undefined)
})

it('takes no model for the agent’s own', () => {
  expect(modelFault('  ')).toBeUndefined()
  expect(typedModel('  ')).toBeUndefined()
})
