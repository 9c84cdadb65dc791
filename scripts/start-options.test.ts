import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseStartOptions } from './start-options.mjs'

describe('options of npm start', () => {
  test('relative paths are the caller’s', () => {
    expect(parseStartOptions(['--home', 'h', '--capture', '../a b.png'], '/work/here')).toEqual({
      appArguments: ['--home', resolve('/work/here/h'), '--capture', resolve('/work/a b.png')],
      capture: resolve('/work/a b.png'),
    })
  })

  test('--name=value is the same', () => {
    expect(parseStartOptions(['--home=/h=1'], '/w')).toEqual({
      appArguments: ['--home', resolve('/h=1')],
      capture: undefined,
    })
  })

  test('--sample stands alone, and without options there are none', () => {
    expect(parseStartOptions(['--sample'], '/w')).toEqual({ appArguments: ['--sample'], capture: undefined })
    expect(parseStartOptions([], '/w')).toEqual({ appArguments: [], capture: undefined })
  })

  test('--start-phases is passed on', () => {
    expect(parseStartOptions(['--start-phases', '--home', '/h'], '/w')).toMatchObject({
      appArguments: ['--start-phases', '--home', resolve('/h')],
    })
  })

  test.each([
    [['--home'], '--home needs a value'],
    [['--home', '--sample'], '--home needs a value'],
    [['--home='], '--home needs a value'],
    [['--capture', 'picture.jpg'], 'name it FILE.png'],
    [['--sample', '--home', 'h'], 'a home of its own'],
    [['--sample=yes'], 'unknown option: --sample=yes'],
    [['--sample', '--sample'], 'given twice'],
    [['--fullscreen'], 'unknown option: --fullscreen'],
    [['somewhere'], 'unknown option: somewhere'],
  ])('%j is refused: %s', (args, message) => {
    expect(parseStartOptions(args, '/w')).toEqual({ error: expect.stringContaining(message) })
  })
})
