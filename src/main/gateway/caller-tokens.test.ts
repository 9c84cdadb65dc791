import { describe, expect, it } from 'vitest'
import { session } from '../tools/testing/test-home.ts'
import { createCallerTokens } from './caller-tokens.ts'

const agent = session('session-1')

describe('tokens', () => {
  it('stand for one caller each, until they are revoked', () => {
    const tokens = createCallerTokens()
    const host = tokens.issue({ kind: 'host' })
    const first = tokens.issue(agent)
    const second = tokens.issue(agent)
    expect(new Set([host, first, second]).size).toBe(3)
    for (const token of [host, first, second]) expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(tokens.find(host)).toEqual({ kind: 'host' })
    expect(tokens.find(first)).toEqual(agent)
    tokens.revoke(first)
    expect(tokens.find(first)).toBeUndefined()
    expect(tokens.find(second)).toEqual(agent)
  })

  it.each([undefined, null, '', 0, {}, [], 'session-1'])('are never %j', (wrong) => {
    const tokens = createCallerTokens()
    tokens.issue(agent)
    expect(tokens.find(wrong)).toBeUndefined()
  })

  it('do not match by a part of them', () => {
    const tokens = createCallerTokens()
    const token = tokens.issue(agent)
    for (const wrong of [token.slice(1), `${token}0`, token.toUpperCase().replace(/^./, 'x'), ` ${token}`]) {
      expect(tokens.find(wrong)).toBeUndefined()
    }
  })

  it('of one map mean nothing in another', () => {
    expect(createCallerTokens().find(createCallerTokens().issue(agent))).toBeUndefined()
  })
})
