import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startDshBackend, type DshBackend } from '../session-tree/testing/dsh-oracle.ts'
import { eventsIn, valueOf } from '../session-tree/testing/tree-home.ts'
import { MASK } from './masking.ts'
import { groupRuns } from './process-group.ts'
import { lastResult, logOf, makeAgentHome, untilLogged, type AgentHome } from './testing/agent-home.ts'

let home: AgentHome
let dsh: DshBackend

beforeEach(async () => {
  home = makeAgentHome()
  dsh = await startDshBackend()
})
afterEach(async () => {
  await dsh.stop()
  await home.remove()
})

const typesOf = (place: { logPath: string }) => eventsIn(place.logPath).map(({ type }) => type)

describe('a shell session', () => {
  test('is one turn with one bash call, in DSH’s order, and the real DSH loads it', async () => {
    const place = await home.session('echo apples')
    await home.settle(place.id)
    expect(typesOf(place)).toEqual([
      'agent/inbox/spliced',
      'session-tree/turn',
      'turn/start',
      'agent/inbox/spliced',
      'step/start',
      'user/message',
      'assistant/message',
      'tool/call',
      'session-tree/output',
      'tool/result',
      'step/end',
      'turn/end',
      'session-tree/end',
    ])
    expect(lastResult(place)).toMatchObject({ text: 'apples\n', isError: false, meta: { exitCode: 0, signal: null } })
    expect(logOf(place).at(-1)?.data).toMatchObject({ reason: 'done', outcome: 'completed' })
    const reading = await dsh.load(place.logPath)
    expect(reading.repaired).toBe(false)
    expect(reading.events.map(({ type }) => type)).toEqual(typesOf(place))
  })

  test('runs message after message, in order', async () => {
    const place = await home.session('echo one >> order')
    valueOf(await home.tree.queuePrompt(place.id, 'echo two >> order'))
    valueOf(await home.tree.queuePrompt(place.id, 'echo three >> order'))
    await home.settle(place.id)
    expect(readFileSync(join(home.cwd, 'order'), 'utf8')).toBe('one\ntwo\nthree\n')
    const turns = logOf(place).filter(({ type }) => type === 'turn/start')
    expect(turns.map(({ data }) => data['turn'])).toEqual([1, 2, 3])
    expect((await dsh.load(place.logPath)).repaired).toBe(false)
  })

  test('says how a command failed, and what it wrote to stderr', async () => {
    const place = await home.session('echo oh no >&2; exit 3')
    await home.settle(place.id)
    expect(lastResult(place)).toMatchObject({ text: 'oh no\n\n[exit code 3]', isError: true, meta: { exitCode: 3 } })
    const killed = await home.session('kill -9 $$')
    await home.settle(killed.id)
    expect(lastResult(killed)).toMatchObject({ isError: true, meta: { exitCode: null, signal: 'SIGKILL' } })
  })

  test('has the gateway in its environment, and nothing of another’s; its token is masked wherever it is cut', async () => {
    const place = await home.session(
      'echo "$TREELINE_SOCKET $PATH"; printf %.20s "$TREELINE_TOKEN"; sleep 0.2; echo "$TREELINE_TOKEN" | cut -c21-; env',
    )
    await home.settle(place.id)
    const { text } = lastResult(place)
    const [token] = home.tokens
    expect(text).toContain(`${join(home.cwd, '..', 'tools.sock')} ${join(home.cwd, '..', 'bin')}:`)
    expect(text).toContain(`${MASK}\n`)
    expect(text).toContain(`TREELINE_TOKEN=${MASK}`)
    expect(text).not.toContain('of-somebody-else')
    expect(readFileSync(place.logPath, 'utf8')).not.toContain(token)
  })

  test('keeps the beginning and the end of a long output, and counts the rest', async () => {
    const place = await home.session(
      'i=0; while [ $i -lt 60000 ]; do echo "line $i of the long output"; i=$((i+1)); done',
    )
    await home.settle(place.id)
    const { text, meta } = lastResult(place)
    expect(text.startsWith('line 0 of')).toBe(true)
    expect(text.endsWith('line 59999 of the long output\n')).toBe(true)
    expect(text.length).toBeLessThan(300_000)
    const all = Array.from({ length: 60_000 }, (_, index) => `line ${index} of the long output\n`).join('').length
    expect(meta).toMatchObject({ outputBytes: all, omittedLetters: all - 256 * 1024 })
    const pieces = logOf(place).filter(({ type }) => type === 'session-tree/output')
    for (const { data } of pieces) expect(String(data['text']).length).toBeLessThanOrEqual(16 * 1024)
    expect(pieces.map(({ data }) => data['text']).join('')).toBe(text.slice(0, 192 * 1024))
    expect((await dsh.load(place.logPath)).repaired).toBe(false)
  })

  test('runs a command that is longer than an argument may be', async () => {
    const place = await home.session(`: ${'x'.repeat(300_000)}\necho ran`)
    await home.settle(place.id)
    expect(lastResult(place).text).toBe('ran\n')
  })

  test('is stopped with everything it has started, also what does not want to', async () => {
    const place = await home.session(
      '(trap "" TERM; echo $$ > new; mv new child; while :; do sleep 0.1; done) & sleep 60',
    )
    home.host.wake(place.id)
    await untilLogged(place, ({ type }) => type === 'tool/call')
    while (!existsSync(join(home.cwd, 'child'))) await new Promise((resolve) => setTimeout(resolve, 20))
    const pid = Number(readFileSync(join(home.cwd, 'child'), 'utf8'))
    expect(await groupRuns(pid)).toBe(true)
    await home.host.interrupt(place.id)
    expect(await groupRuns(pid)).toBe(false)
    expect(lastResult(place)).toMatchObject({ text: '[stopped]', isError: true })
    expect(
      logOf(place)
        .slice(-2)
        .map(({ data }) => data),
    ).toMatchObject([{ turn: 1, reason: { kind: 'aborted', reason: { kind: 'user' } } }, { reason: 'interrupt' }])
    expect(home.host.status(place.id)?.state).toBe('idle')
    expect((await dsh.load(place.logPath)).repaired).toBe(false)
  })

  test('fails in words where its folder is gone, and is failed', async () => {
    const place = await home.session('echo apples')
    rmSync(home.cwd, { recursive: true })
    await home.settle(place.id)
    expect(lastResult(place)).toMatchObject({ isError: true, text: expect.stringContaining(home.cwd) })
    expect((await home.tree.facts(place)).status).toBe('failed')
    expect(logOf(place).at(-1)?.data).toMatchObject({ reason: 'error' })
    expect((await dsh.load(place.logPath)).repaired).toBe(false)
  })

  test('does not wait for what a command leaves in the background, and ends it with the agent', async () => {
    const place = await home.session('sleep 60 & echo started; echo $$ > background')
    await home.settle(place.id)
    expect(lastResult(place).text).toBe('started\n')
    const pid = Number(readFileSync(join(home.cwd, 'background'), 'utf8'))
    expect(await groupRuns(pid)).toBe(true)
    await home.host.stop(place.id)
    expect(await groupRuns(pid)).toBe(false)
    expect(home.host.status(place.id)).toBeUndefined()
    expect(home.revoked).toEqual(home.tokens)
    expect(readdirSync(home.paths.agents)).toEqual([])
  })

  test('a zero byte is no command', async () => {
    const place = await home.session('echo a\0b')
    await home.settle(place.id)
    expect(lastResult(place)).toMatchObject({ isError: true, text: expect.stringContaining('zero byte') })
  })
})
