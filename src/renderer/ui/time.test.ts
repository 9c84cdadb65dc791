import { describe, expect, it } from 'vitest'
import { activityTime, duration, fullTime, relativeTime } from './time.ts'

const now = new Date(2026, 10, 30, 15, 0).getTime()
const at = (...parts: [number, number, number, number?, number?]): number =>
  new Date(parts[0], parts[1], parts[2], parts[3] ?? 12, parts[4] ?? 0).getTime()

describe('relativeTime', () => {
  it.each([
    [now, 'now'],
    [now - 59_000, 'now'],
    [now - 120_000, '2m'],
    [now - 3_600_000, '1h'],
    [at(2026, 10, 30, 0, 5), '14h'],
    [at(2026, 10, 29, 23, 0), 'Yesterday'],
    [at(2026, 10, 27), 'Fri'],
    [at(2026, 10, 12), '12 Nov'],
    [at(2025, 10, 12), '12 Nov 2025'],
  ])('%s is %s', (time, shown) => {
    expect(relativeTime(time, now)).toBe(shown)
  })

  it('says hours, not Yesterday, shortly after midnight', () => {
    expect(relativeTime(at(2026, 10, 29, 23, 0), at(2026, 10, 30, 1, 0))).toBe('2h')
  })

  it('never says a negative or a far future time', () => {
    expect(relativeTime(now + 3 * 60_000, now)).toBe('now')
    expect(relativeTime(at(2100, 0, 1), now)).toBe('1 Jan 2100')
  })

  it('says nothing for an unset clock', () => {
    expect(relativeTime(0, now)).toBe('')
    expect(relativeTime(undefined, now)).toBe('')
    expect(fullTime(0)).toBe('')
  })
})

describe('activityTime', () => {
  it('does not let a time in 2100 pin a row on top', () => {
    const created_at = now - 86_400_000
    expect(activityTime({ updated_at: at(2100, 0, 1), created_at }, now)).toBe(created_at)
    expect(activityTime({ updated_at: at(2100, 0, 1), created_at: at(2100, 0, 1) }, now)).toBe(0)
  })

  it('takes the last activity otherwise, never later than now', () => {
    expect(activityTime({ updated_at: now - 5, created_at: now - 10 }, now)).toBe(now - 5)
    expect(activityTime({ updated_at: now + 5000 }, now)).toBe(now)
  })
})

describe('duration', () => {
  it.each([
    [180, '0.2 s'],
    [6400, '6.4 s'],
    [9960, '10 s'],
    [72_000, '1m 12s'],
    [3_720_000, '1h 02m'],
  ])('%s ms is %s', (milliseconds, shown) => {
    expect(duration(milliseconds)).toBe(shown)
  })

  it('says nothing of next to nothing, and where the clock went back', () => {
    expect(duration(20)).toBeUndefined()
    expect(duration(-1)).toBeUndefined()
  })
})
