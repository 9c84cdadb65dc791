import { describe, expect, it } from 'vitest'
import { argumentsWithoutFlags, parseFlags } from './flags.ts'

describe('flags', () => {
  it('finds its own among those of Electron and Playwright, in either form', () => {
    const values = [
      '--inspect=0',
      '--remote-debugging-port=0',
      '--no-sandbox',
      '.',
      '--home',
      '/h ö/x',
      '--capture=a=b.png',
    ]
    expect(parseFlags(values)).toEqual({
      ok: true,
      value: { home: '/h ö/x', capture: 'a=b.png', sample: false, startPhases: false },
    })
    expect(parseFlags(['--sample', '--start-phases'])).toEqual({
      ok: true,
      value: { sample: true, startPhases: true },
    })
    expect(parseFlags([])).toEqual({ ok: true, value: { sample: false, startPhases: false } })
  })

  it.each([[['--home']], [['--home', '--sample']], [['--home=']], [['--capture', '']]])(
    'misses a value in %j',
    (values) => {
      expect(parseFlags(values)).toMatchObject({ ok: false, error: { code: 'invalid_request' } })
    },
  )

  it('refuses a home for the sample', () => {
    expect(parseFlags(['--sample', '--home', '/h'])).toMatchObject({ ok: false, error: { field: '--sample' } })
  })

  it('leaves the rest for another process of the app', () => {
    const values = [
      '--inspect=0',
      '--remote-debugging-port=0',
      '--no-sandbox',
      '.',
      '--home',
      '/h',
      '--capture=x',
      '--sample',
    ]
    expect(argumentsWithoutFlags(values)).toEqual(['--no-sandbox', '.'])
  })
})
