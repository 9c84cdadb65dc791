import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newSessionId } from '../session-tree/session-id.ts'
import { errorOf, valueOf } from '../session-tree/testing/tree-home.ts'
import { chooseStart, createPresets, findPreset, presetForNew, SHELL_PRESET, type PresetList } from './presets.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'treeline-presets-'))
  path = join(folder, 'presets.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function listOf(text: string): Promise<PresetList> {
  await writeFile(path, text)
  return createPresets(path, {})()
}

const SOUND = { id: 'mine', label: 'Mine', kind: 'acp', command: 'agent', args: ['--acp'], env: { A: '1' } }

describe('the presets there are', () => {
  test('without a file: the shell', async () => {
    expect(await createPresets(path, {})()).toEqual({ presets: [SHELL_PRESET], problems: [] })
  })

  test('all fields of the file, as a list or under "presets"', async () => {
    const whole = {
      ...SOUND,
      model: { provider: 'p', model: 'm' },
      budget: 1000,
      scope: ['src/**'],
      role: 'gardener',
      permission: 'allow_once',
      timeLimit: 60_000,
      stepLimit: 5,
    }
    const expected = { presets: [{ ...whole, source: 'file' }, SHELL_PRESET], problems: [] }
    expect(await listOf(JSON.stringify([whole]))).toEqual(expected)
    expect(await listOf(JSON.stringify({ presets: [whole] }))).toEqual(expected)
  })

  test('known agents that can be run, by PATH; the person’s own of that name goes before', async () => {
    const bin = join(folder, 'bin')
    await mkdir(bin)
    for (const name of ['opencode', 'gemini', 'dsh', 'qwen']) await writeFile(join(bin, name), '#!/bin/sh\n')
    for (const name of ['opencode', 'gemini', 'dsh']) await chmod(join(bin, name), 0o755)
    await writeFile(path, JSON.stringify([{ ...SOUND, id: 'gemini' }]))
    const list = await createPresets(path, { PATH: `relative:${bin}` })()
    const { presets } = list
    expect(presets.map(({ id, source }) => `${id} ${source}`)).toEqual([
      'gemini file',
      'opencode found',
      'shell built-in',
    ])
    expect(presets[1]).toMatchObject({ kind: 'acp', command: join(bin, 'opencode'), args: ['acp'] })
    // DSH is here, and it is said why it cannot be used.
    expect(list.unusable).toEqual([
      { id: 'dsh', label: 'DeepSeek Harness', why: 'its ACP server takes no MCP servers' },
    ])
    expect(errorOf(findPreset(list, 'dsh')).message).toBe(
      'There is no agent preset named "dsh". DeepSeek Harness is here and cannot be used: its ACP server takes no MCP ' +
        'servers. There are: gemini, opencode, shell.',
    )
  })

  test.each([
    ['{"presets": [\n  {"id": "a",,}\n]}', 2, 'not valid JSON'],
    ['[\n\n{"id": "a"', 3, 'not valid JSON'],
    ['7', 1, 'must hold a list'],
  ])('%j is no list: line and reason, and the shell works', async (text, line, reason) => {
    const { presets, problems } = await listOf(text)
    expect(presets).toEqual([SHELL_PRESET])
    expect(problems).toMatchObject([{ code: 'preset_invalid', path }])
    expect(problems[0]?.message).toContain(`Line ${line} of ${path}`)
    expect(problems[0]?.message).toContain(reason)
  })

  test.each([
    [{ label: 7 }, 5, '"label" must be a text'],
    [{ budjet: 5 }, 12, '"budjet" is not a field of a preset'],
    [{ budget: 0 }, 12, '"budget" must be more than 0'],
    [{ kind: 'robot' }, 6, '"kind" must be "acp" or "shell"'],
    [{ command: undefined }, 3, '"command" is missing'],
    [{ env: { TREELINE_TOKEN: 'x' } }, 10, 'names a variable of Treeline’s own'],
    [{ id: '../x' }, 4, '"id" must be of letters'],
    [{ id: 'shell' }, 6, '"kind" must be "shell"'],
  ])('a preset with %j is left out, by line and reason; its neighbours work', async (change, line, reason) => {
    const bad = JSON.stringify({ ...SOUND, id: 'bad', ...change, args: [] }, null, 1)
    const { presets, problems } = await listOf(`[\n${JSON.stringify({ ...SOUND, label: '{"[,' })},\n${bad}\n]`)
    expect(presets.map(({ id }) => id)).toEqual(['mine', 'shell'])
    expect(problems).toHaveLength(1)
    expect(problems[0]?.message).toContain(reason)
    expect(problems[0]?.message).toContain(`Line ${line} of`)
  })

  test('the second of two with one id is left out', async () => {
    const { presets, problems } = await listOf(JSON.stringify([SOUND, { ...SOUND, label: 'Other' }]))
    expect(presets.map(({ label }) => label)).toEqual(['Mine', 'Shell'])
    expect(problems[0]?.message).toContain('another preset named "mine"')
  })
})

const LIST: PresetList = {
  presets: [{ id: 'mine', label: 'Mine', kind: 'acp', command: 'x', source: 'file' }, SHELL_PRESET],
  problems: [],
}
const DSH_ID = 'session-5905de1b-0530-4afa-8c88-326eb5c0dc18'

test('an unknown preset is an error that lists those there are', () => {
  const error = errorOf(findPreset(LIST, 'nobody'))
  expect(error).toMatchObject({ code: 'unknown_preset', field: 'preset' })
  expect(error.message).toContain('There are: mine, shell.')
})

describe('a new session gets', () => {
  const shellParent = { id: newSessionId(), agentPreset: 'shell' }
  test.each([
    ['the one asked for', { asked: 'shell', chosen: 'mine' }, 'shell'],
    ['its parent’s', { parent: shellParent, chosen: 'mine' }, 'shell'],
    ['the one chosen', { chosen: 'mine' }, 'mine'],
    [
      'the one chosen, where the parent is an import',
      { parent: { id: DSH_ID, agentPreset: 'standard' }, chosen: 'mine' },
      'mine',
    ],
    ['none, where only the shell was chosen: it is never guessed', { chosen: 'shell' }, undefined],
    ['none', {}, undefined],
  ])('%s', (_what, wanted, expected) => {
    expect(valueOf(presetForNew(LIST, wanted))?.id).toBe(expected)
  })
  test('an error for one that is not there', () => {
    expect(errorOf(presetForNew(LIST, { asked: 'nobody' })).code).toBe('unknown_preset')
  })
})

describe('the agent of a session that is there is', () => {
  const own = newSessionId()
  test.each([
    ['the one it names', { id: own, agentPreset: 'shell' }, 'mine', 'shell'],
    ['the one chosen', { id: own }, 'mine', 'mine'],
    ['the one chosen, for an import', { id: DSH_ID, agentPreset: 'standard' }, 'mine', 'mine'],
  ])('%s', (_what, header, chosen, expected) => {
    expect(valueOf(chooseStart(LIST, header, chosen)).id).toBe(expected)
  })
  test.each([
    ['nothing was chosen', { id: own }, undefined],
    ['only the shell was chosen', { id: own }, 'shell'],
    ['an import names the shell', { id: DSH_ID, agentPreset: 'shell' }, 'shell'],
    [
      'an import names the shell, under one of our ids',
      { id: own, agentPreset: 'shell', legacy: { reason: 'x' } },
      undefined,
    ],
    ['its preset is gone', { id: own, agentPreset: 'gone' }, 'mine'],
  ])('none, and the message waits, where %s', (_what, header, chosen) => {
    expect(errorOf(chooseStart(LIST, header, chosen)).code).toBe('unknown_preset')
  })
})
