import { describe, expect, it } from 'vitest'
import { NAVIGATOR_CALLS, TOOL_CALLS } from '../../shared/bridge.ts'
import { parseArguments } from './ipc-arguments.ts'

const id = 'session-0f080000-0000-4000-8000-000000000008'
const ALL = [...TOOL_CALLS, ...NAVIGATOR_CALLS]

describe('the arguments of calls', () => {
  it.each([
    ['session_create', [{ prompt: 'x' }]],
    ['session_create', [{ prompt: 'x' }, { as: id, call: 'c1' }]],
    ['session_create', [{ prompt: 'x' }, undefined]],
    ['session_status', [{}]],
    ['session_send', ['anything', { as: id }]],
    ['snapshot', []],
    ['details', [id]],
    ['read_log', [id, { lines: 100 }]],
    ['read_log', [id, { before: 0, lines: 100 }]],
    ['read_log', [id, { after: 12, lines: 1 }]],
    ['read_line', [id, 0]],
    ['watch', [[id], null]],
    ['watch', [[], id]],
    ['fork_preview', [{ session_id: id, worktree: true, prompt: '', title: 'x' }]],
    ['rename', [id, 'new']],
    ['show_session_menu', [id, { x: 1.5, y: 2 }]],
    ['copy', [id, 'branch']],
    ['import_start', ['choose']],
    ['import_start', [null]],
  ] as const)('%s takes %j as it is', (name, values) => {
    expect(parseArguments(name, values)).toEqual({ ok: true, value: values })
  })

  it.each([
    ['snapshot', ['more']],
    ['details', []],
    ['details', [id, id]],
    ['read_log', [id, { lines: 0 }]],
    ['read_log', [id, { lines: 1e9 }]],
    ['read_log', [id, { before: 1, after: 2, lines: 1 }]],
    ['read_log', [id, { before: -1, lines: 1 }]],
    ['read_log', [id, { before: Number.NaN, lines: 1 }]],
    ['read_log', [id, { after: 1, lines: 1, path: '/etc/passwd' }]],
    ['read_line', [id, 0.5]],
    ['watch', [id, null]],
    ['fork_preview', [{ session_id: id, worktree: 'yes', prompt: '' }]],
    ['rename', [id, 7]],
    ['show_session_menu', [id, { x: '1', y: 2 }]],
    ['copy', [id, 'password']],
    ['import_start', ['/etc']],
    ['open_link', [{ href: 'https://x' }]],
    ['session_create', [{ prompt: 'x' }, { as: id, admin: true }]],
    ['session_create', [{ prompt: 'x' }, { call: '' }]],
  ] as const)('%s refuses %j', (name, values) => {
    expect(parseArguments(name, values)).toMatchObject({ ok: false, error: { code: 'invalid_request' } })
  })

  it.each([
    ['details', ['../other'], 'details.0'],
    ['open_log', ['/etc/passwd'], 'open_log.0'],
    ['reveal_log', [7], 'reveal_log.0'],
    ['copy', [{ toString: id }, 'cwd'], 'copy.0'],
    ['watch', [[id, `${id}/..`], null], 'watch.0.1'],
    ['fork_preview', [{ session_id: '..', worktree: true, prompt: '' }], 'fork_preview.0.session_id'],
    ['rename', [`${id}\n`, 'x'], 'rename.0'],
  ] as const)('%s names the argument of %j that is no id', (name, values, field) => {
    expect(parseArguments(name, values)).toMatchObject({ ok: false, error: { code: 'invalid_session_id', field } })
  })

  it.each(ALL)('%s never throws on what it is not made for', (name) => {
    const odd = [null, undefined, Number.NaN, {}, [], 'x', { __proto__: null }, [[[]]]]
    for (const value of odd) expect(parseArguments(name, [value, value, value, value]).ok).toBe(false)
  })
})
