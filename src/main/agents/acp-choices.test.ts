import { afterEach, describe, expect, test } from 'vitest'
import type { SessionPlace } from '../session-tree/session-tree.ts'
import { eventsIn, forkOf } from '../session-tree/testing/tree-home.ts'
import { startDshBackend } from '../session-tree/testing/dsh-oracle.ts'
import type { Preset } from './agent.ts'
import { dataOf, makeAcpHome, messagesOf, reasonOf, typesOf, type AcpHome } from './testing/acp-home.ts'
import { untilLogged } from './testing/agent-home.ts'

/* What a preset, a session and a person choose for an agent: what it may do, its model, how its tokens are counted. */

let home: AcpHome

afterEach(() => home.remove())

function open(options: readonly string[] = [], more: Partial<Preset> = {}): void {
  home = makeAcpHome(options, more)
}

describe('permission', () => {
  test('a question has the agent’s own choices, waits for a person, and stands behind its call', async () => {
    open()
    const place = await asked()
    const [request] = home.host.status(place.id)?.requests ?? []
    expect(request).toMatchObject({
      title: 'rm',
      detail: 'rm x',
      options: [
        { id: 'no', label: 'No', kind: 'reject' },
        { id: 'allow-it', label: 'Yes', kind: 'allow' },
        { id: 'never', label: 'Never', kind: 'reject' },
      ],
    })
    expect(home.host.answer(place.id, request?.id ?? '', 'no-such-choice')).toBe(false)
    expect(home.host.answer(place.id, request?.id ?? '', 'allow-it')).toBe(true)
    await home.settle(place.id)
    expect(lastWords(place)).toBe('You said allow-it.')
    const types = typesOf(place)
    expect(types.indexOf('tool/call')).toBeLessThan(types.indexOf('approval/asked'))
    expect(decisions(place)).toEqual(['approved'])
    const dsh = await startDshBackend()
    const reading = await dsh.load(place.logPath).finally(() => dsh.stop())
    expect(reading.repaired).toBe(false)
    expect(reading.events).toHaveLength(eventsIn(place.logPath).length)
  })

  test('a preset may reject without asking; the one that rejects for good is not what it takes', async () => {
    open([], { permission: 'reject' })
    const place = await home.play('asks')
    expect(lastWords(place)).toBe('You said no.')
    expect(decisions(place)).toEqual(['denied'])
    expect(dataOf(place, 'tool/result')).toHaveLength(1)
  })

  test('a preset may allow without asking, once and each time', async () => {
    open([], { permission: 'allow_once' })
    const place = await home.play('asks')
    expect(lastWords(place)).toBe('You said allow-it.')
    await home.say(place, 'asks')
    expect(decisions(place)).toEqual(['approved', 'approved'])
  })

  test('where an agent can only be allowed for good, a person is asked whatever the preset says', async () => {
    open(['allows-always'], { permission: 'allow_once' })
    const place = await asked()
    const [request] = home.host.status(place.id)?.requests ?? []
    expect(request?.options.map(({ kind }) => kind)).toEqual(['reject', 'allow_always', 'reject'])
    home.host.answer(place.id, request?.id ?? '', 'allow-all')
    await home.settle(place.id)
    expect(lastWords(place)).toBe('You said allow-all.')
  })

  test('a stopped turn cancels the question', async () => {
    open()
    const place = await asked()
    await home.host.interrupt(place.id)
    expect(lastWords(place)).toBe('You said cancelled.')
    expect(decisions(place)).toEqual(['cancelled'])
    expect(reasonOf(place)).toMatchObject({ kind: 'aborted' })
  })
})

describe('the model', () => {
  test('of the preset is chosen where the agent offers it', async () => {
    open([], { model: { provider: 'maker', model: 'large' } })
    const place = await home.play('hello')
    expect(home.received('session/set_config_option')).toMatchObject([{ configId: 'llm', value: 'maker/large' }])
    expect(sourceOf(place)).toMatchObject({ model: 'maker/large' })
    expect(dataOf(place, 'session-tree/acp-model')).toEqual([])
  })

  test('that was asked for with the session goes before the preset’s, also after a restart', async () => {
    open([], { model: { provider: 'any', model: 'small' } })
    const model = { provider: 'maker', model: 'large', reasoningEffort: 'high' }
    const place = await home.play('hello', { model })
    const chosen = [
      { configId: 'llm', value: 'maker/large' },
      { configId: 'effort', value: 'high' },
    ]
    expect(home.received('session/set_config_option')).toMatchObject(chosen)
    await home.host.stop(place.id)
    await home.say(place, 'hello again')
    expect(home.received('session/set_config_option')).toMatchObject([...chosen, ...chosen])
    expect(sourceOf(place)).toMatchObject({ model: 'maker/large' })
  })

  test('that the agent does not offer is named in the log with those it offers, and the turn goes on', async () => {
    open()
    const place = await home.play('hello', { model: { provider: 'maker', model: 'huge', reasoningEffort: 'endless' } })
    expect(dataOf(place, 'session-tree/acp-model')).toMatchObject([
      {
        message:
          'The agent does not offer the model huge. It offers: small, maker/large. ' +
          'The agent does not offer the reasoning effort endless. It offers: low, high.',
        used: 'small',
      },
    ])
    expect(lastWords(place)).toBe('echo: hello')
    expect(reasonOf(place)).toEqual({ kind: 'completed' })
    await home.say(place, 'hello again')
    expect(dataOf(place, 'session-tree/acp-model')).toHaveLength(1)
  })
})

describe('tokens', () => {
  test('told with a prompt are that prompt’s', async () => {
    open()
    const place = await home.play('counts 10 5')
    await home.say(place, 'counts 30 7')
    expect(tokens(place)).toEqual([
      [10, 5],
      [30, 7],
    ])
    expect(await spent(place)).toBe(52)
  })

  test('of an agent that counts the session through are what came on top, over a restart and in a fork', async () => {
    open(['fork'], { usage: 'session' })
    const place = await home.play('counts 10 5')
    await home.say(place, 'counts 30 7')
    await home.host.stop(place.id)
    await home.say(place, 'counts 31 8')
    expect(tokens(place)).toEqual([
      [10, 5],
      [20, 2],
      [1, 1],
    ])
    expect(await spent(place)).toBe(39)
    const fork = await forkOf(home.tree, place.id, { prompt: 'counts 35 9', agentPreset: 'acp', cwd: home.cwd })
    await home.settle(fork.id)
    expect(tokens(fork).at(-1)).toEqual([4, 1])
    expect(await spent(fork)).toBe(5)
    // One that begins anew in its new process tells less than before.
    await home.host.stop(fork.id)
    await home.say(fork, 'counts 2 1')
    expect(await spent(fork)).toBe(8)
  })
})

function lastWords(place: SessionPlace): unknown {
  return Object(messagesOf(place).at(-1)?.at(-1)).text
}

async function asked(): Promise<SessionPlace> {
  const place = await home.acpSession('asks')
  home.host.wake(place.id)
  await untilLogged(place, ({ type }) => type === 'approval/asked')
  return place
}

const decisions = (place: SessionPlace) => dataOf(place, 'approval/decided').map(({ outcome }) => outcome)

const sourceOf = (place: SessionPlace) => Object(dataOf(place, 'assistant/message').at(-1)?.['message']).source

const tokens = (place: SessionPlace) =>
  dataOf(place, 'assistant/message').map(({ usage }) => [Object(usage).inputTokens, Object(usage).outputTokens])

async function spent(place: SessionPlace): Promise<number | undefined> {
  const reading = await home.reader.read(place.id)
  return reading.ok ? reading.value.state.spent : undefined
}
