import { describe, expect, it } from 'vitest'
import { counted, grouped } from './numbers.ts'

describe('numbers', () => {
  it('are grouped by thousands', () => {
    expect(grouped(12_408)).toBe('12,408')
  })

  it('have the word that fits', () => {
    expect(counted(1, 'session')).toBe('1 session')
    expect(counted(0, 'session')).toBe('0 sessions')
    expect(counted(2000, 'inherited event')).toBe('2,000 inherited events')
  })
})
