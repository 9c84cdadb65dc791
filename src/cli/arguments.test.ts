import { describe, expect, it } from 'vitest'
import { parseCommandLine } from './arguments.ts'

const read = (line: string) => parseCommandLine(line === '' ? [] : line.split(' '))

describe('a command line', () => {
  it.each<[string, object]>([
    ['session create --prompt Go', { name: 'session create', request: { prompt: 'Go' } }],
    [
      '--home /h session create --prompt Go --title T --fork --worktree --preset p --model a/b:high --cwd /c --as session-1',
      {
        name: 'session create',
        home: '/h',
        as: 'session-1',
        request: {
          prompt: 'Go',
          title: 'T',
          fork: true,
          worktree: true,
          preset: 'p',
          model: { provider: 'a', model: 'b', reasoningEffort: 'high' },
          cwd: '/c',
        },
      },
    ],
    ['session status', { name: 'session status' }],
    [
      'session status --session session-1 --as session-2',
      { name: 'session status', session: 'session-1', as: 'session-2' },
    ],
    ['session send --session s --message m', { name: 'session send', session: 's', message: 'm' }],
    ['session list --home /h', { name: 'session list', home: '/h' }],
    ['import dsh', { name: 'import dsh', dryRun: false }],
    ['import dsh logs --dry-run', { name: 'import dsh', folder: 'logs', dryRun: true }],
    ['check', { name: 'check' }],
    ['serve --home /h', { name: 'serve', home: '/h' }],
    ['session tree session-1', { name: 'session tree', root: 'session-1', json: false }],
    [
      'session tree session-1 --json --out nodes --home /h',
      { name: 'session tree', root: 'session-1', json: true, out: 'nodes', home: '/h' },
    ],
    ['mcp', { name: 'mcp' }],
    ['--help', { name: 'help' }],
    ['session create -h', { name: 'help' }],
  ])('%s', (line, command) => {
    expect(read(line)).toEqual({ ok: true, value: command })
  })

  it('passes on what only a tool can judge', () => {
    const words = ['session', 'create', '--prompt', '', '--cwd', 'relative', '--as', '../other', '--worktree']
    expect(parseCommandLine(words)).toEqual({
      ok: true,
      value: { name: 'session create', as: '../other', request: { prompt: '', cwd: 'relative', worktree: true } },
    })
  })

  it.each([
    ['a/b', { provider: 'a', model: 'b' }],
    ['router/vendor/model', { provider: 'router', model: 'vendor/model' }],
    ['a/b:c:low', { provider: 'a', model: 'b:c', reasoningEffort: 'low' }],
    ['/b', { provider: '', model: 'b' }],
    ['a/b:', { provider: 'a', model: 'b', reasoningEffort: '' }],
  ])('reads the model %s', (text, model) => {
    const parsed = parseCommandLine(['session', 'create', '--prompt', 'Go', '--model', text])
    expect(parsed).toMatchObject({ ok: true, value: { request: { model } } })
  })

  it.each([
    ['', 'Say what to do'],
    ['session', 'There is no command "session"'],
    ['sessions list', 'There is no command'],
    ['constructor', 'There is no command'],
    ['session create', 'session create needs --prompt'],
    ['session create --prompt', 'prompt'],
    ['session create --prompt Go --model gpt', '--model is PROVIDER/MODEL'],
    ['session create --prompt Go --force', '--force'],
    ['session create --prompt Go extra', 'does not take "extra"'],
    ['session status --prompt Go', 'session status does not take --prompt'],
    ['session list --as session-1', 'session list does not take --as'],
    ['session send --message m', 'session send needs --session'],
    ['session send --session s', 'session send needs --message'],
    ['import dsh a b', 'does not take "b"'],
    ['check --dry-run', 'check does not take --dry-run'],
    ['session tree', 'session tree needs the id'],
    ['session tree a b', 'does not take "b"'],
    ['session tree a --out=', '--out needs a folder'],
    ['session list --json', 'session list does not take --json'],
    ['serve --as session-1', 'serve does not take --as'],
    ['mcp --home /h', 'mcp does not take --home'],
    ['session list --home=', '--home needs a folder'],
  ])('is refused: %s', (line, sentence) => {
    const refused = read(line)
    expect(refused.ok ? '' : refused.error.message).toContain(sentence)
  })
})
