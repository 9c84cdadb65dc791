import { describe, expect, it } from 'vitest'
import { parseArguments } from './event-data.ts'
import { toolGist } from './tool-gist.ts'

const gist = (value: unknown, cwd?: string): string => {
  const raw = typeof value === 'string' ? value : JSON.stringify(value)
  return toolGist(parseArguments(raw), raw, cwd)
}

describe('toolGist', () => {
  it.each([
    [{ description: 'List files', command: 'ls -la\ncat x' }, 'ls -la cat x'],
    [{ pattern: 'greet', path: '/work/app/src' }, 'greet in src'],
    [{ file_path: '/work/app/src/a.ts', content: 'long' }, 'src/a.ts'],
    [{ file_path: '/work/application/a.ts' }, '/work/application/a.ts'],
    [{ unknown: 'first text', n: 3 }, 'first text'],
    [{ n: 3 }, ''],
  ])('%j is %s', (value, shown) => {
    expect(gist(value, '/work/app')).toBe(shown)
  })

  it('shows arguments that were cut while they were streamed', () => {
    expect(gist('{"command":"npm te')).toBe('{"command":"npm te')
  })

  it('is short, whatever it is given', () => {
    expect(gist({ command: 'x'.repeat(1_000_000) }).length).toBeLessThan(250)
  })
})
