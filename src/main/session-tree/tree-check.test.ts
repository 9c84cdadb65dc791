import { existsSync } from 'node:fs'
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EventDraft } from '../../shared/session-event.ts'
import type { Result } from '../../shared/result.ts'
import { newSessionId } from './session-id.ts'
import type { SessionPlace, SessionTree } from './session-tree.ts'
import { checkTree, type Finding } from './tree-check.ts'
import { openSessionTree } from './tree-provider.ts'

const FIXTURES = fileURLToPath(new URL('../../../../shared/fixtures/', import.meta.url))

let root: string
let tree: SessionTree

beforeEach(async () => {
  root = join(await mkdtemp(join(tmpdir(), 'tree-check-')), 'session-tree')
  tree = openSessionTree(root)
})

afterEach(() => rm(join(root, '..'), { recursive: true, force: true }))

async function check(at = root): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const finding of checkTree(at)) findings.push(finding)
  return findings
}

async function mustHave<Value>(result: Promise<Result<Value>>): Promise<Value> {
  const got = await result
  if (!got.ok) throw new Error(got.error.message)
  return got.value
}

const session = { cwd: '/somewhere', createdAt: 1_788_000_000_000, prompt: 'Mend the roof' }

const createMain = (): Promise<SessionPlace> => mustHave(tree.create({ ...session, id: newSessionId(), kind: 'main' }))

const createChild = (parent: SessionPlace, kind: 'subagent' = 'subagent'): Promise<SessionPlace> =>
  mustHave(tree.create({ ...session, id: newSessionId(), kind, parent: parent.id }))

async function createFork(main: SessionPlace): Promise<SessionPlace> {
  const boundary = await mustHave(tree.boundary(main.id))
  return mustHave(tree.create({ ...session, id: newSessionId(), kind: 'fork', parent: main.id, boundary }))
}

const draft = (type: string, data: unknown): EventDraft => ({ type, time: 1_788_000_000_100, data })
const TURN = [
  draft('turn/start', { turn: 1 }),
  draft('step/start', { turn: 1, step: 1 }),
  draft('step/end', { turn: 1, step: 1 }),
]
const TURN_END = draft('turn/end', { turn: 1, reason: { kind: 'completed' } })

/** A main with a finished turn, a fork of it, a subagent of each, and one below that. */
async function soundTree() {
  const main = await createMain()
  await mustHave(tree.appendNext(main.id, [...TURN, TURN_END]))
  const fork = await createFork(main)
  const subagent = await createChild(main)
  const nested = await createChild(await createChild(fork))
  return { main, fork, subagent, nested }
}

/** Changes the header as an editor would. */
async function editHeader(place: SessionPlace, change: Record<string, unknown>): Promise<void> {
  const [first = '', ...rest] = (await readFile(place.logPath, 'utf8')).split('\n')
  await writeFile(place.logPath, [JSON.stringify({ ...JSON.parse(first), ...change }), ...rest].join('\n'))
}

describe('a sound tree', () => {
  test('has nothing to say, and is left as it is', async () => {
    const { main } = await soundTree()
    const before = await stat(main.logPath)
    expect(await check()).toEqual([])
    expect(await stat(main.logPath)).toMatchObject({ mtimeMs: before.mtimeMs, size: before.size })
  })

  test('that is not there, or empty, has nothing to say', async () => {
    expect(await check()).toEqual([])
    expect(existsSync(root)).toBe(false)
    await mkdir(root)
    expect(await check()).toEqual([])
  })

  test('may have legacy roots', async () => {
    const main = await createMain()
    await editHeader(main, { legacy: { parentSession: 'session-1', reason: 'its parent is not there' } })
    expect(await check()).toEqual([])
  })

  test('an open turn and a line being written are notes', async () => {
    const { main } = await soundTree()
    await mustHave(
      tree.appendNext(
        main.id,
        TURN.map((event) => ({ ...event, data: { turn: 2, step: 1 } })),
      ),
    )
    await appendFile(main.logPath, '{"type":"todo/wr')
    const findings = await check()
    expect(findings.map(({ code, severity, session_id }) => [code, severity, session_id])).toEqual([
      ['open_turn', 'note', main.id],
      ['log_cut', 'note', main.id],
    ])
    expect(await readFile(main.logPath, 'utf8')).toMatch(/todo\/wr$/)
  })
})

async function appendUnknown(place: SessionPlace): Promise<void> {
  const lines = (await readFile(place.logPath, 'utf8')).split('\n').length - 2
  await appendFile(place.logPath, `{"type":"x/y","seq":${lines},"time":1,"data":{}}\n`)
}

describe('one fault each', () => {
  const faults: readonly [
    string,
    Finding['code'],
    (sound: Awaited<ReturnType<typeof soundTree>>) => Promise<unknown>,
  ][] = [
    ['a log that is gone', 'log_missing', ({ nested }) => rm(nested.logPath)],
    ['an empty log', 'log_damaged', ({ nested }) => truncate(nested.logPath)],
    ['a header cut in half', 'log_damaged', ({ nested }) => truncate(nested.logPath, 40)],
    ['a header of another kind', 'layout_mismatch', ({ nested }) => editHeader(nested, { kind: 'main' })],
    [
      'a header with another parent',
      'layout_mismatch',
      ({ nested, main }) => editHeader(nested, { parent_session_id: main.id }),
    ],
    [
      'a header with another root',
      'layout_mismatch',
      ({ nested }) => editHeader(nested, { root_session_id: nested.id }),
    ],
    ['another version', 'unsupported_version', ({ nested }) => editHeader(nested, { version: 3 })],
    ['a line that is no JSON', 'log_damaged', ({ nested }) => appendFile(nested.logPath, '{"type":\n')],
    [
      'a gap in seq',
      'log_damaged',
      ({ nested }) => appendFile(nested.logPath, '{"type":"turn/start","seq":99,"time":1,"data":{"turn":1}}\n'),
    ],
    [
      'an event nobody knows',
      'unknown_event',
      ({ main }) => mustHave(tree.appendNext(main.id, [draft('x/y', {})])).catch(() => appendUnknown(main)),
    ],
    ['a seedLength beyond the log', 'log_damaged', ({ fork }) => editHeader(fork, { seedLength: 500 })],
    ['a seedBytes inside a line', 'log_damaged', ({ fork }) => editHeader(fork, { seedBytes: 1500 })],
    ['a seedBytes beyond the log', 'log_damaged', ({ fork }) => editHeader(fork, { seedBytes: 10_000_000 })],
    ['a stray file among mains', 'stray', () => writeFile(join(root, 'notes.txt'), '')],
    ['a stray folder among mains', 'stray', () => mkdir(join(root, 'old sessions'))],
    ['a file named like a session', 'stray', () => writeFile(join(root, newSessionId()), '')],
    ['a packed log beside the log', 'stray', ({ main }) => writeFile(join(main.directory, 'session.jsonl.zstd'), '')],
    ['forks below a subagent', 'misplaced_forks', ({ nested }) => mkdir(join(nested.directory, 'forks'))],
  ]

  test.each(faults)('%s: %s', async (_what, code, spoil) => {
    await spoil(await soundTree())
    const findings = await check()
    expect(findings.map((finding) => [finding.code, finding.severity])).toEqual([[code, 'fault']])
    expect(findings[0]?.message).toContain(findings[0]?.path)
  })

  test('what begins at seedBytes is not the first own event', async () => {
    const { fork } = await soundTree()
    const text = await readFile(fork.logPath, 'utf8')
    const header = JSON.parse(text.slice(0, text.indexOf('\n')))
    // One event earlier: as many digits keep the header as long as it was.
    const last = text.lastIndexOf('\n', header.seedBytes - 2) + 1
    expect(String(last)).toHaveLength(String(header.seedBytes).length)
    await editHeader(fork, { seedBytes: last })
    const [finding] = await check()
    expect(finding).toMatchObject({ code: 'log_damaged', session_id: fork.id, path: fork.logPath })
    expect(finding?.message).toContain(`what begins there is event ${header.seedLength - 1}, not ${header.seedLength}`)
  })

  test('a session that is there twice', async () => {
    const { main, subagent } = await soundTree()
    const copy = join(main.directory, 'forks', subagent.id)
    await cp(subagent.directory, copy, { recursive: true })
    const findings = await check()
    expect(findings.map((finding) => finding.code).toSorted()).toEqual(['duplicate_session', 'layout_mismatch'])
    const twice = findings.find((finding) => finding.code === 'duplicate_session')
    expect(twice?.message).toContain(copy)
    expect(twice?.message).toContain(subagent.directory)
  })

  test('a main moved below another: it and what is below it disagree with their headers', async () => {
    const [one, other] = [await soundTree(), await createMain()]
    await mkdir(join(other.directory, 'subagents'))
    await rename(one.fork.directory, join(other.directory, 'subagents', one.fork.id))
    expect((await check()).map((finding) => finding.code)).toEqual(Array(3).fill('layout_mismatch'))
  })

  test('a creation under way is nothing, what one left behind is a fault', async () => {
    const { main } = await soundTree()
    const left = join(main.directory, 'forks', '.new-0b3a')
    await mkdir(left)
    expect(await check()).toEqual([])
    const long = new Date(Date.now() - 3_600_000)
    await utimes(left, long, long)
    expect(await check()).toMatchObject([{ code: 'unpublished', severity: 'fault', path: left }])
  })

  test('one bad session hides none of its neighbours', async () => {
    const sound = [await soundTree(), await soundTree(), await soundTree()]
    await Promise.all(sound.map(({ fork }) => truncate(fork.logPath)))
    expect(new Set((await check()).map((finding) => finding.session_id))).toEqual(
      new Set(sound.map(({ fork }) => fork.id)),
    )
  })
})

describe.runIf(existsSync(FIXTURES))('the fixtures', () => {
  test('logs of the real DSH in a tree are sound', async () => {
    expect(await check(join(FIXTURES, 'dsh', 'tree'))).toEqual([])
  })

  test('field fault F22: the helper that lacks its kind is named, and nobody else', async () => {
    const findings = await check(join(FIXTURES, 'faults', 'f22-tree'))
    expect(findings.map(({ code, session_id }) => [code, session_id])).toEqual([
      ['layout_mismatch', 'session-0f630000-0000-4000-8000-000000000063'],
    ])
  })

  test('field fault F04: each damaged log is found, each odd but whole one is not', async () => {
    const folder = join(FIXTURES, 'faults')
    const verdicts = new Map<string, string>()
    for (const name of (await readdir(folder)).filter((each) => each.startsWith('f04-'))) {
      const text = await readFile(join(folder, name), 'latin1')
      const id = /"id":"([^"]+)"/.exec(text)?.[1] ?? newSessionId()
      const home = join(root, name)
      await mkdir(join(home, id), { recursive: true })
      // The fixtures are logs of the host; in our tree a header says where it stands.
      const ours = text.replace('"type":"session",', `"type":"session","kind":"main","root_session_id":"${id}",`)
      await writeFile(join(home, id, 'session.jsonl'), ours, 'latin1')
      verdicts.set(name, (await check(home)).map(({ severity, code }) => `${severity} ${code}`).join(', '))
    }
    expect(Object.fromEntries(verdicts)).toMatchInlineSnapshot(`
      {
        "f04-blank-lines.jsonl": "",
        "f04-empty.jsonl": "fault log_damaged",
        "f04-glued.jsonl": "fault log_damaged",
        "f04-good.jsonl": "",
        "f04-header-only.jsonl": "",
        "f04-header-torn.jsonl": "fault log_damaged",
        "f04-nul-middle.jsonl": "fault log_damaged",
        "f04-nul-tail.jsonl": "note log_cut",
        "f04-spliced.jsonl": "fault log_damaged",
        "f04-tail-no-newline.jsonl": "note open_turn, note log_cut",
        "f04-torn-tail.jsonl": "note open_turn, note log_cut",
      }
    `)
  })
})
