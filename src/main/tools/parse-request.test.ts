import { describe, expect, it } from 'vitest'
import { sessionCreateRequest, sessionSendRequest, sessionStatusRequest } from '../../shared/tools.ts'
import { parseRequest } from './parse-request.ts'

const create = (request: unknown) => parseRequest(sessionCreateRequest, 'session_create', request)

describe('a request', () => {
  it('comes out as it went in', () => {
    const request = {
      prompt: ' Fix it \n',
      title: 'Fix',
      fork: true,
      worktree: false,
      preset: 'p',
      model: { provider: 'deepseek', model: 'v4', reasoningEffort: 'high' },
      cwd: '/tmp',
    }
    expect(create(request)).toEqual({ ok: true, value: request })
  })

  const empty = ['', ' ', '\t\n', '\u200b\u2060\ufeff', '\u0000']
  it.each([
    ...['prompt', 'title', 'preset', 'cwd'].flatMap((field) =>
      empty.map((value) => [field, { [field]: value }] as const),
    ),
    ...empty.map((value) => ['model.provider', { model: { provider: value, model: 'm' } }] as const),
    ...empty.map((value) => ['model.model', { model: { provider: 'p', model: value } }] as const),
    ...empty.map(
      (v) => ['model.reasoningEffort', { model: { provider: 'p', model: 'm', reasoningEffort: v } }] as const,
    ),
  ])('with an empty %s is refused: %j', (field, change) => {
    const refused = create({ prompt: 'Go', ...change })
    expect(refused).toEqual({
      ok: false,
      error: { code: 'invalid_request', field, message: `${field} must not be empty.` },
    })
  })

  it.each([
    ['prompt', {}, 'prompt is missing.'],
    ['prompt', { prompt: 7 }, 'prompt must be text, not a number.'],
    ['prompt', { prompt: null }, 'prompt must be text, not null.'],
    ['prompt', { prompt: 'x'.repeat(1_048_577) }, 'prompt must be at most 1 MiB long.'],
    ['title', { prompt: 'Go', title: ['a'] }, 'title must be text, not a list.'],
    ['title', { prompt: 'Go', title: 'x'.repeat(4001) }, 'title must be at most 4000 letters long.'],
    ['fork', { prompt: 'Go', fork: 'yes' }, 'fork must be true or false, not text.'],
    ['worktree', { prompt: 'Go', worktree: 1 }, 'worktree must be true or false, not a number.'],
    ['model', { prompt: 'Go', model: 'gpt' }, 'model must be an object, not text.'],
    ['model.model', { prompt: 'Go', model: { provider: 'p' } }, 'model.model is missing.'],
    ['as', { prompt: 'Go', as: 'session-1' }, 'session_create has no field "as". It takes prompt, '],
    ['session_name', { prompt: 'Go', session_name: 'x' }, 'session_create has no field "session_name".'],
    [
      'model.effort',
      { prompt: 'Go', model: { provider: 'p', model: 'm', effort: 'x' } },
      'has no field "model.effort".',
    ],
  ])('is refused for %s: %#', (field, request, sentence) => {
    const refused = create(request)
    expect(refused).toMatchObject({ ok: false, error: { code: 'invalid_request', field } })
    expect(refused.ok ? '' : refused.error.message).toContain(sentence)
  })

  it('cannot smuggle a field in by the prototype', () => {
    const refused = create(JSON.parse('{"prompt":"Go","__proto__":{"fork":true}}'))
    expect(refused).toMatchObject({ ok: false, error: { code: 'invalid_request', field: '__proto__' } })
  })

  it.each([undefined, null, 'text', 7, [], true])('is an object, not %j', (request) => {
    for (const schema of [sessionCreateRequest, sessionStatusRequest, sessionSendRequest]) {
      expect(parseRequest(schema, 'tool', request)).toMatchObject({ ok: false, error: { code: 'invalid_request' } })
    }
  })
})
