import { expect, test } from 'vitest'
import { parseSessionId } from '../../shared/session-id.ts'
import { safeSessionId } from './safe-id.ts'

test.each([
  'session-0f080000-0000-4000-8000-000000000008',
  '0f080000-0000-4000-8000-000000000009',
  'session-1',
  'session-4096',
])('%s is kept as it is', (id) => {
  expect(safeSessionId(id)).toEqual({ id, derived: false })
})

const UNSAFE = [
  ' ',
  '.',
  '..',
  '../other',
  '/etc/passwd',
  'C:\\Windows\\win.ini',
  'session-1\u0000.jsonl',
  'session-1\n',
  ' session-1',
  'CON',
  'forks',
  'SESSION-0F080000-0000-4000-8000-000000000008',
  'session-\u202e1',
  '__proto__',
  '\ud83d',
  '\udc00',
  `session-${'0'.repeat(300)}`,
]

test.each(UNSAFE)('%j becomes an id that is safe, the same each time', (foreign) => {
  const { id, derived } = safeSessionId(foreign)
  expect(derived).toBe(true)
  expect(parseSessionId(id)).toEqual({ ok: true, value: id })
  expect(id).toMatch(/^session-[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(safeSessionId(foreign)).toEqual({ id, derived })
})

test('different texts give different ids, and what was derived once stays', () => {
  expect(new Set(UNSAFE.map((each) => safeSessionId(each).id)).size).toBe(UNSAFE.length)
  // A change here would make every earlier import of such a session come in a second time.
  expect(safeSessionId('my session').id).toBe('session-c55d2afa-7c52-876a-9972-de6482459ab9')
})
