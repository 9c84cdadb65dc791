import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { interruptedTurnClosers } from '@deepseek-ai/dsh-session'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SessionPlace } from '../session-tree/session-tree.ts'
import { startDshBackend, type DshBackend } from '../session-tree/testing/dsh-oracle.ts'
import { eventsIn, turnDrafts, valueOf } from '../session-tree/testing/tree-home.ts'
import { groupRuns } from './process-group.ts'
import { recoverAgents } from './recover-agents.ts'
import { makeAgentHome, untilLogged, type AgentHome } from './testing/agent-home.ts'

const PROCESS = fileURLToPath(new URL('testing/host-process.ts', import.meta.url))

let home: AgentHome
let dsh: DshBackend
let owner: ChildProcess | undefined

beforeEach(async () => {
  home = makeAgentHome()
  dsh = await startDshBackend()
})
afterEach(async () => {
  owner?.kill('SIGKILL')
  await dsh.stop()
  await home.remove()
})

/** Runs these sessions in a process of its own until `isThere`, then kills it at once. */
async function killWhen(sessions: readonly SessionPlace[], isThere: () => Promise<unknown>): Promise<void> {
  const started = spawn(process.execPath, [PROCESS, dirname(home.cwd), ...sessions.map(({ id }) => id)], {
    stdio: 'inherit',
  })
  owner = started
  await isThere()
  const gone = once(started, 'exit')
  started.kill('SIGKILL')
  await gone
}

const recover = () => recoverAgents({ tree: home.tree, recordsFolder: home.paths.agents })

/** The pid that a command has put into a file, whole. */
async function pidIn(name: string): Promise<number> {
  const path = join(home.cwd, name)
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 20))
  return Number(readFileSync(path, 'utf8'))
}

test('a host killed in the middle of a turn: its agent is ended, the turn closed as DSH closes it, the inbox as it was', async () => {
  const place = await home.session('echo $$ > new; mv new leader; echo once >> runs; sleep 300')
  valueOf(await home.tree.queuePrompt(place.id, 'echo twice >> runs'))
  let leader = 0
  await killWhen([place], async () => {
    leader = await pidIn('leader')
    await untilLogged(place, ({ type }) => type === 'tool/call')
  })
  expect(await groupRuns(leader)).toBe(true)
  const before = eventsIn(place.logPath)

  const reports = await recover()
  expect(reports).toEqual([expect.stringContaining(`${place.id} was interrupted`)])
  expect(await groupRuns(leader)).toBe(false)
  const after = eventsIn(place.logPath)
  const expected = interruptedTurnClosers(JSON.parse(JSON.stringify(before)))
  expect(after.slice(0, before.length)).toEqual(before)
  expect(after.slice(before.length, -1)).toEqual(JSON.parse(JSON.stringify(expected)))
  expect(after.at(-1)).toMatchObject({ type: 'session-tree/end', data: { reason: 'killed' } })
  expect((await dsh.load(place.logPath)).repaired).toBe(false)
  expect(readdirSync(home.paths.agents)).toEqual([])
  expect(readFileSync(join(home.cwd, 'runs'), 'utf8')).toBe('once\n')

  // What was claimed is not run again by itself; what waits is.
  await home.settle(place.id)
  expect(readFileSync(join(home.cwd, 'runs'), 'utf8')).toBe('once\ntwice\n')
  expect(await recover()).toEqual([])
})

test('a torn last line is cut, and the turn closed behind what is whole', async () => {
  const place = await home.session('echo $$ > new; mv new leader; sleep 300')
  await killWhen([place], () => pidIn('leader'))
  const before = eventsIn(place.logPath)
  appendFileSync(place.logPath, '{"type":"session-tree/output","seq":8,"ti')
  await recover()
  expect(eventsIn(place.logPath).slice(0, before.length)).toEqual(before)
  expect((await dsh.load(place.logPath)).repaired).toBe(false)
})

test('what an agent has started in a session of its own is ended as well', async () => {
  const place = await home.session('setsid sh -c "echo \\$\\$ > new; mv new away; sleep 300" & sleep 300')
  let away = 0
  await killWhen([place], async () => {
    away = await pidIn('away')
  })
  await recover()
  expect(await groupRuns(away)).toBe(false)
})

test('open turns of other writers are left as they are', async () => {
  const place = await home.session('echo apples')
  valueOf(await home.tree.appendNext(place.id, turnDrafts(1, 'echo apples').slice(0, 4)))
  const before = readFileSync(place.logPath)
  expect(await recover()).toEqual([])
  expect(readFileSync(place.logPath).equals(before)).toBe(true)
})

test('a session that is gone, and a record that is none, hold nobody up', async () => {
  const place = await home.session('echo $$ > new; mv new leader; sleep 300')
  await killWhen([place], () => pidIn('leader'))
  appendFileSync(join(home.paths.agents, 'half.json.tmp'), '{"sess')
  rmSync(place.directory, { recursive: true })
  const [report] = await recover()
  expect(report).toContain('could not be closed')
  expect(readdirSync(home.paths.agents)).toEqual([])
})
