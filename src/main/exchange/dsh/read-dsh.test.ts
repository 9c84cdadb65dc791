import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import zlib from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../../shared/session-event.ts'
import { conversation, inBatches } from '../testing/conversation.ts'
import { openDshStore, type DshStore } from '../testing/dsh-store.ts'
import { readDshEvents, readDshHeader, type DshLogFile } from './read-dsh.ts'
import { portableDecoder, zlibDecoder, type ZstdDecoder } from './zstd-decoder.ts'

const ID = 'session-0f080000-0000-4000-8000-000000000008'
const HEADER = { id: ID, createdAt: 1_788_000_000_000, cwd: '/workspace/demo', agentPreset: 'standard' }
const HEADER_LINE = JSON.stringify({ type: 'session', version: 0, ...HEADER, delegationDepth: 0 })
const DECODERS: readonly [string, ZstdDecoder | undefined][] = [
  ['zlib', zlibDecoder()],
  ['fzstd', portableDecoder],
]

let root: string
let dsh: DshStore | undefined
beforeEach(async () => {
  dsh = undefined
  root = await mkdtemp(join(tmpdir(), 'read-dsh-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function written(
  compression: 'none' | 'zstd',
  packChunks: boolean,
  events: readonly SessionEvent[],
  batch = 40,
): Promise<DshLogFile> {
  const store = await openDshStore(root, { compression, packChunks })
  await store.write(HEADER, inBatches(events, batch))
  return { path: await onlyLog(root), encoding: compression === 'zstd' ? 'zstd' : 'plain' }
}

async function onlyLog(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true })
  const logs = names.filter((name) => /session\.jsonl/.test(name))
  expect(logs).toHaveLength(1)
  return join(folder, logs[0] ?? '')
}

async function read(file: DshLogFile, decoder?: ZstdDecoder, signal?: AbortSignal) {
  const events: SessionEvent[] = []
  for await (const event of readDshEvents(file, { decoder, signal })) {
    if (!event.ok) return { events, error: event.error }
    events.push(event.value)
  }
  return { events, error: undefined }
}

/** What DSH itself makes of the file: its stored events, or that it refuses them. */
async function asDsh(compression: 'none' | 'zstd'): Promise<readonly SessionEvent[] | 'refused'> {
  dsh ??= await openDshStore(root, { compression, packChunks: true })
  return dsh.stored(ID).catch(() => 'refused' as const)
}

async function plain(lines: readonly string[], end = '\n'): Promise<DshLogFile> {
  const path = join(root, '--workspace-demo--', ID, 'session.jsonl')
  await rm(dirname(path), { recursive: true, force: true })
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, lines.join('\n') + end)
  return { path, encoding: 'plain' }
}

function frameOf(text: string): Buffer {
  return zlib.zstdCompressSync(text, { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } })
}

function saidEvent(seq: number, words: string): string {
  const data = { content: [{ type: 'text', text: words }], source: { kind: 'user' }, role: 'user', id: 'a' }
  return JSON.stringify({ type: 'user/message', seq, time: 1, data, surfaceOp: 'append' })
}

describe('what DSH wrote', () => {
  test.each([
    ['plain, one event a line', 'none', false],
    ['plain, packed', 'none', true],
    ['zstd, packed', 'zstd', true],
  ] as const)('%s: the same header and events as DSH reads', async (_, compression, packed) => {
    const events = conversation(3)
    const file = await written(compression, packed, events)
    const text = file.encoding === 'plain' ? await readFile(file.path, 'utf8') : ''
    expect(text.includes('text-chunks')).toBe(file.encoding === 'plain' && packed)

    expect(await readDshHeader(file)).toMatchObject({ ok: true, value: { ...HEADER, delegationDepth: 0 } })
    const stored = await asDsh(compression)
    expect(stored).toEqual(events)
    for (const [, decoder] of DECODERS) expect(await read(file, decoder)).toEqual({ events: stored, error: undefined })
  })

  test.each(DECODERS)('a frame too large for one buffer comes in pieces, with %s', async (_, decoder) => {
    const long = 'x'.repeat(400_000)
    const events = conversation(1).map((event) =>
      event.type === 'tool/result' || event.type === 'turn/start'
        ? { ...event, data: { ...Object(event.data), long } }
        : event,
    )
    const many = [...events]
    while (many.length < 90) {
      many.push({ type: 'todo/note', seq: many.length, time: 1, ignorable: true, data: { long, n: many.length } })
    }
    const header = frameOf(`${HEADER_LINE}\n`)
    const body = frameOf(many.map((event) => `${JSON.stringify(event)}\n`).join(''))
    const path = join(root, 'session.jsonl.zstd')
    await writeFile(path, Buffer.concat([header, body]))
    expect(await read({ path, encoding: 'zstd' }, decoder)).toEqual({ events: many, error: undefined })
  })
})

describe('a cut log', () => {
  test('plain: at every byte of its end, what DSH would keep is kept', async () => {
    const file = await written('none', true, conversation(1))
    const { length } = await readFile(file.path)
    for (let cut = length; cut > length - 700; cut -= 31) {
      await truncate(file.path, cut)
      expect((await read(file)).events, `cut at ${cut}`).toEqual(await asDsh('none'))
    }
  })

  test('zstd: anywhere in the file, with either decoder, what DSH would keep is kept', async () => {
    const file = await written('zstd', true, conversation(2), 12)
    const { length } = await readFile(file.path)
    for (let cut = length; cut > 0; cut -= 173) {
      await truncate(file.path, cut)
      const stored = await asDsh('zstd')
      for (const [name, decoder] of DECODERS) {
        const ours = await read(file, decoder)
        expect(ours.error ? 'refused' : ours.events, `${name}, cut at ${cut}`).toEqual(stored)
      }
    }
  })
})

describe('a damaged log', () => {
  test.each(DECODERS)('zstd with one wrong byte anywhere is refused, with %s', async (_, decoder) => {
    const file = await written('zstd', true, conversation(1), 30)
    const sound = await readFile(file.path)
    for (let at = 3; at < sound.length; at += 83) {
      const bytes = Buffer.from(sound)
      bytes[at] = (bytes[at] ?? 0) ^ 0x40
      await writeFile(file.path, bytes)
      const ours = await read(file, decoder)
      const stored = await asDsh('zstd')
      // A length field made larger turns the rest of the file into one cut frame: DSH and we take that for a torn tail.
      expect(ours.error ? 'refused' : ours.events, `byte ${at}`).toEqual(stored)
      if (ours.error) expect(ours.error).toMatchObject({ code: 'log_damaged', path: file.path })
    }
  })

  test('plain: a bad record is a torn tail only while no turn ends behind it', async () => {
    const lines = [HEADER_LINE, ...conversation(2).map((event) => JSON.stringify(event))]
    const lastEnd = lines.findLastIndex((line) => line.includes('"turn/end"'))
    for (const bad of [5, lastEnd - 1, lastEnd, lines.length - 1]) {
      const file = await plain(lines.map((line, place) => (place === bad ? line.slice(0, -9) : line)))
      const stored = await asDsh('none')
      const ours = await read(file)
      expect(ours.error?.code ?? ours.events, `line ${bad}`).toEqual(stored === 'refused' ? 'log_damaged' : stored)
      if (ours.error) expect(ours.error.message).toContain(`line ${bad + 1}`)
    }
  })

  test('plain: a gap in seq, a doubled record and a record of an unknown shape are told with their line', async () => {
    const lines = [HEADER_LINE, ...conversation(1).map((event) => JSON.stringify(event))]
    const cases = [
      lines.filter((_, place) => place !== 4),
      lines.flatMap((line, place) => (place === 4 ? [line, line] : [line])),
      lines.map((line, place) => (place === 4 ? '{"type":"text-chunks","seq0":3,"time0":1,"data":{}}' : line)),
    ]
    for (const each of cases) {
      expect(await read(await plain(each))).toMatchObject({ error: { code: 'log_damaged' } })
      expect(await asDsh('none')).toBe('refused')
    }
  })

  test('an envelope DSH refuses, and an event it does not know and may not skip', async () => {
    const sound = conversation(1)
    const lines = [HEADER_LINE, ...sound.map((event) => JSON.stringify(event))]
    const more = (event: object) =>
      plain([...lines, JSON.stringify({ seq: sound.length, time: 1, data: {}, ...event })])
    expect(await read(await more({ type: 'todo/write', extra: 1 }))).toMatchObject({ error: { code: 'log_damaged' } })
    expect(await read(await more({ type: 'garden/watered' }))).toMatchObject({ error: { code: 'unknown_event' } })
    expect(await asDsh('none')).toBe('refused')
    expect((await read(await more({ type: 'garden/watered', ignorable: true }))).error).toBeUndefined()
  })

  test('no whole header: empty, torn, blank, marked, of UTF-16, of another version', async () => {
    const whole = [HEADER_LINE, JSON.stringify(conversation(1)[0])]
    expect((await read(await plain([], ''))).error?.code).toBe('log_damaged')
    expect((await read(await plain([HEADER_LINE], ''))).error?.message).toContain('no complete header line')
    expect((await read(await plain(['', ...whole]))).error?.code).toBe('log_damaged')
    expect((await read(await plain([`\uFEFF${HEADER_LINE}`]))).error?.code).toBe('log_damaged')
    const later = HEADER_LINE.replace('"version":0', '"version":3')
    expect((await read(await plain([later]))).error).toMatchObject({ code: 'unsupported_version', field: 'version' })
    const file = await plain(whole)
    await writeFile(file.path, Buffer.from(whole.join('\n'), 'utf16le'))
    expect((await read(file)).error?.code).toBe('log_damaged')
  })

  test.each([
    ['createdAt', -1],
    ['createdAt', 1.5],
    ['delegationDepth', undefined],
    ['cwd', null],
    ['cwd', ''],
    ['parentSession', 7],
    ['seedLength', -1],
    ['origin', 'fork'],
    ['agentPreset', null],
    ['approvalPolicy', 'never'],
    ['id', ''],
  ])('a header whose %s is %j is refused, and the field named', async (field, value) => {
    const line = JSON.stringify({ ...JSON.parse(HEADER_LINE), [field]: value })
    expect((await read(await plain([line]))).error).toMatchObject({ code: 'log_damaged', field })
  })
})

describe('what is no damage', () => {
  test('CRLF, line separators inside texts, half a surrogate pair, bytes that are not UTF-8', async () => {
    const file = await plain([
      HEADER_LINE,
      `${saidEvent(0, 'one')}\r`,
      saidEvent(1, 'a\u2028b\u0085c'),
      saidEvent(2, 'x').replace('"x"', '"\\ud83d"'),
    ])
    await writeFile(
      file.path,
      Buffer.concat([await readFile(file.path), Buffer.from(saidEvent(3, 'a#b')), Buffer.from('\n')]),
    )
    const bytes = await readFile(file.path)
    bytes[bytes.lastIndexOf('#')] = 0xff
    await writeFile(file.path, bytes)
    const { events, error } = await read(file)
    expect(error?.message).toBeUndefined()
    expect(events).toEqual(await asDsh('none'))
    expect(JSON.stringify(events[3])).toContain('\uFFFD')
  })

  test('a header and nothing else', async () => {
    expect(await read(await plain([HEADER_LINE]))).toEqual({ events: [], error: undefined })
  })
})

test('a file that is not there, and one that is stopped reading', async () => {
  expect((await read({ path: join(root, 'none'), encoding: 'plain' })).error?.code).toBe('io_failed')
  const file = await written('zstd', true, conversation(1))
  expect((await read(file, undefined, AbortSignal.abort())).error?.code).toBe('cancelled')
})
