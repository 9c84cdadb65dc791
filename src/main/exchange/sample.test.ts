import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../shared/session-event.ts'
import type { SessionFacts, SessionTree } from '../session-tree/session-tree.ts'
import { startDshBackend } from '../session-tree/testing/dsh-oracle.ts'
import { checkTree, type Finding } from '../session-tree/tree-check.ts'
import { openSessionTree } from '../session-tree/tree-provider.ts'
import { makeSample, type Sample } from './sample.ts'

const RESOURCES = fileURLToPath(new URL('../../../resources/sample', import.meta.url))
const run = promisify(execFile)

let parent: string
let sample: Sample
let tree: SessionTree
let sessions: readonly SessionFacts[]
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sample-test-'))
  const made = await makeSample(RESOURCES, parent)
  if (!made.ok) throw new Error(made.error.message)
  sample = made.value
  tree = openSessionTree(join(sample.home, 'session-tree'))
  const all: SessionFacts[] = []
  for await (const place of tree.places()) all.push(await tree.facts(place))
  sessions = all
})
afterAll(() => rm(parent, { recursive: true, force: true }))

function titled(title: string): SessionFacts {
  const found = sessions.find((session) => session.title === title)
  if (!found) throw new Error(`There is no session "${title}"`)
  return found
}

async function eventsOf(facts: SessionFacts): Promise<readonly SessionEvent[]> {
  const loaded = await tree.load(facts.place.id)
  if (!loaded.ok) throw new Error(loaded.error.message)
  const events: SessionEvent[] = []
  for await (const event of loaded.value.events) {
    if (!event.ok) throw new Error(event.error.message)
    events.push(event.value)
  }
  return events
}

async function git(folder: string, ...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: folder })).stdout.trim()
}

describe('the tree', () => {
  test('has a session for each template, all sound', async () => {
    const templates = (await readdir(join(RESOURCES, 'sessions'))).filter((name) => name.endsWith('.md'))
    expect(sessions).toHaveLength(templates.length)
    for (const { problem, settled, place } of sessions)
      expect({ id: place.id, problem, settled }).toMatchObject({ problem: undefined, settled: true })
  })

  test('shows what a tree can show: forks, three levels of subagents, every state a log can have', () => {
    const main = titled('Retry budget for the payment webhook')
    expect(main).toMatchObject({ waiting: true, status: 'cold', openTurn: false })
    const below = sessions.filter((session) => session.place.ancestors[0] === main.place.id)
    expect(below.filter((session) => session.place.kind === 'fork')).toHaveLength(3)
    expect(titled('Check the cron schedule').place.ancestors).toHaveLength(3)
    expect(sessions.filter((session) => session.status === 'failed').length).toBeGreaterThanOrEqual(2)
    expect(sessions.filter((session) => session.openTurn)).toHaveLength(1)
    expect(sessions.some((session) => session.title === undefined && session.firstPrompt !== undefined)).toBe(true)
    expect(sessions.some((session) => (session.title?.length ?? 0) > 100)).toBe(true)
    for (const script of [/\p{Script=Han}/u, /\p{Script=Arabic}/u, /\p{Extended_Pictographic}/u]) {
      expect(sessions.some((session) => script.test(session.title ?? ''))).toBe(true)
    }
  })

  test('the real DSH takes up every log, and adds nothing but to the one that is open', async () => {
    const dsh = await startDshBackend()
    try {
      for (const session of sessions) {
        const { events, repaired } = await dsh.load(session.place.logPath)
        const ours = await eventsOf(session)
        expect(events.slice(0, ours.length)).toEqual(ours)
        expect(repaired, session.title).toBe(session.openTurn)
      }
      expect(await dsh.list()).toHaveLength(sessions.length)
    } finally {
      await dsh.stop()
    }
  })

  test('a check of the tree finds one open turn and no fault', async () => {
    const findings: Finding[] = []
    for await (const finding of checkTree(tree.root)) findings.push(finding)
    expect(findings.map((finding) => finding.code)).toEqual(['open_turn'])
  })

  test('times make sense: order within a log, children within their parents’ time, forks after what they copied', async () => {
    const spans = new Map<string, { from: number; to: number }>()
    for (const session of sessions) {
      const events = await eventsOf(session)
      const times = events.map((event) => event.time)
      expect(times, session.title).toEqual(times.toSorted((a, b) => a - b))
      const own = events.slice(session.header?.seedLength ?? 0)
      spans.set(session.place.id, { from: own[0]?.time ?? 0, to: own.at(-1)?.time ?? 0 })
      const above = spans.get(session.place.ancestors.at(-1) ?? '')
      if (session.place.kind !== 'subagent' || !above) continue
      expect(own[0]?.time, `${session.title} begins`).toBeGreaterThanOrEqual(above.from)
      expect(own.at(-1)?.time, `${session.title} ends`).toBeLessThanOrEqual(above.to)
    }
    expect(Math.max(...[...spans.values()].map((span) => span.to))).toBeLessThanOrEqual(Date.now())
  })

  test('no placeholder is left, and every subagent that a log speaks of is there', async () => {
    for (const session of sessions) {
      const text = await readFile(session.place.logPath, 'utf8')
      expect(/\{\{(?:cwd|folder|session)/.test(text), session.title).toBe(false)
      const asked = [...text.matchAll(/"name":"subagent","arguments":"\{\\"description\\":\\"(.+?)\\"/g)].map(
        (match) => match[1],
      )
      const children = sessions
        .filter((child) => child.place.ancestors.at(-1) === session.place.id)
        .map((child) => child.title)
      if (session.place.kind !== 'fork') for (const title of asked) expect(children).toContain(title)
    }
  })
})

describe('the repositories', () => {
  test('are real, with history, by the same author whoever runs this', async () => {
    const repository = join(sample.folder, 'src', 'checkout-service')
    expect((await git(repository, 'log', '--format=%an')).split('\n')).toEqual([
      'Robin Ashe',
      'Robin Ashe',
      'Robin Ashe',
    ])
    expect(await git(repository, 'status', '--porcelain')).toBe('')
    expect(await git(repository, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('trunk')
  })

  test('a fork works in a real worktree that git knows, one commit ahead', async () => {
    const { header } = titled('Exponential backoff with jitter')
    const { path, branch, base, repository } = header?.worktree ?? { path: '', branch: '', base: '', repository: '' }
    expect(header?.cwd).toBe(path)
    expect(path.startsWith(join(sample.home, 'worktrees'))).toBe(true)
    expect(await git(path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe(branch)
    expect(await git(repository, 'rev-parse', 'trunk')).toBe(base)
    expect(await git(path, 'rev-list', '--count', `${base}..HEAD`)).toBe('1')
    expect(await git(repository, 'worktree', 'list', '--porcelain')).toContain(`worktree ${path}\n`)
  })

  test('another fork’s worktree is gone, its branch is not', async () => {
    const { header } = titled('Everything on the phone, no account')
    const { path, branch, repository } = header?.worktree ?? { path: '', branch: '', repository: '' }
    await expect(stat(path)).rejects.toThrow('ENOENT')
    expect(await git(repository, 'branch', '--list', branch)).toContain(branch)
  })

  test('every other session works in a folder that is there', async () => {
    for (const { header } of sessions) {
      if (header?.worktree === undefined) expect((await stat(header?.cwd ?? '')).isDirectory()).toBe(true)
    }
  })
})

describe('when it cannot be made', () => {
  test('no git: said in words, and nothing is left', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sample-none-'))
    const path = process.env['PATH']
    process.env['PATH'] = folder
    try {
      expect(await makeSample(RESOURCES, folder)).toMatchObject({ ok: false, error: { code: 'git_not_found' } })
    } finally {
      process.env['PATH'] = path
    }
    expect(await readdir(folder)).toEqual([])
    await rm(folder, { recursive: true })
  })

  test('no folder to make it in, or a file in its place', async () => {
    expect(await makeSample(RESOURCES, join(parent, 'none'))).toMatchObject({ ok: false, error: { code: 'io_failed' } })
    await writeFile(join(parent, 'file'), '')
    expect(await makeSample(RESOURCES, join(parent, 'file'))).toMatchObject({ ok: false, error: { code: 'io_failed' } })
  })
})
