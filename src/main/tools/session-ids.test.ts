import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostCaller } from './caller.ts'
import { renameSession } from './session-rename.ts'
import { HOST, makeMain, makeTestHome, snapshotOf, type TestHome } from './testing/test-home.ts'

/** F08: ids that are paths, ids that are no text, and what the host writes, at every entry of the tools. */
const PATHS = ['.', '..', '../other', '..\\other', 'a/../../etc/passwd', '/etc/passwd', 'C:\\Windows\\win.ini', '~']
const NEARLY = [
  'session-1/session-2',
  'session-1\0.jsonl',
  'session-1\n',
  ' session-1',
  'session-1 ',
  'session-1.',
  'session-..',
  'SESSION-0F080000-0000-4000-8000-000000000008',
  `session-${'0'.repeat(300)}`,
]
const OTHER = ['', ' ', '%2e%2e%2fother', '-rf', '--help', '$(touch x)', 'CON', 'forks', '__proto__', 'constructor']
const NOT_TEXT = [null, 0, 1, true, [], ['session-1'], { id: 'session-1' }]
const ACCEPTED = [
  'session-0f080000-0000-4000-8000-000000000008',
  'session-4096',
  '0f080000-0000-4000-8000-000000000009',
]

const fixture = join(import.meta.dirname, '../../../../shared/fixtures/faults/f08-ids.json')

let home: TestHome

beforeAll(async () => {
  home = await makeTestHome()
  await makeMain(home)
})
afterAll(() => home.remove())

/** Every entry that takes an id from outside; each must say which field was wrong. */
const entries = {
  'session_status session_id': (id: unknown) => home.tools.session_status({ session_id: id }, HOST),
  'session_send session_id': (id: unknown) => home.tools.session_send({ session_id: id, message: 'Go' }, HOST),
  'rename session_id': (id: unknown) => renameSession(home.tree, id, 'Title'),
  'acting as': async (id: unknown) => hostCaller(id),
}

async function refusesAll(ids: readonly unknown[]): Promise<void> {
  const before = await snapshotOf(join(home.paths.home, '..'))
  for (const [entry, take] of Object.entries(entries)) {
    const field = entry.split(' ').at(-1)
    for (const id of ids) {
      const refused = await take(id)
      expect([entry, id, refused]).toMatchObject([
        entry,
        id,
        { ok: false, error: { code: 'invalid_session_id', field } },
      ])
    }
  }
  expect(await snapshotOf(join(home.paths.home, '..'))).toEqual(before)
}

async function acceptsAll(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    expect(await entries['session_status session_id'](id)).toMatchObject({ error: { code: 'unknown_session' } })
    expect(await entries['session_send session_id'](id)).toMatchObject({ error: { code: 'unknown_session' } })
    expect(await entries['rename session_id'](id)).toMatchObject({ error: { code: 'unknown_session' } })
    expect(await entries['acting as'](id)).toEqual({ ok: true, value: { kind: 'host', as: id } })
  }
}

describe('an id that is none is refused before any path is made', () => {
  it('at every entry', () => refusesAll([...PATHS, ...NEARLY, ...OTHER, ...NOT_TEXT]))
  it('and no id at all', async () => {
    const error = { code: 'invalid_request', field: 'session_id', message: 'session_id is missing.' }
    expect(await home.tools.session_send({ message: 'Go' }, HOST)).toEqual({ ok: false, error })
  })
  it('while what the host writes is taken', () => acceptsAll(ACCEPTED))
})

describe.runIf(existsSync(fixture))('the same with the ids seen in the field', () => {
  it('F08', async () => {
    const ids: { accept: string[]; reject: string[]; notText: unknown[] } = JSON.parse(await readFile(fixture, 'utf8'))
    await refusesAll([...ids.reject, ...ids.notText])
    await acceptsAll(ids.accept)
  })
})
