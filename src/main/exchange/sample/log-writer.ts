import type { EventDraft, SessionEvent } from '../../../shared/session-event.ts'

/** Collects a log's events, giving each its seq and its time. */
export interface LogWriter {
  /** Adds an event now. @returns its seq. */
  add(type: string, data: unknown, more?: Pick<EventDraft, 'surfaceOp' | 'sourceEventSeqs'>): number
  /** Lets time pass, in ms. */
  wait(milliseconds: number): void
  /** All events, the seed's unchanged, the own ones moved in time so that the last is at `end` (ms since the epoch). */
  finish(end: number): readonly SessionEvent[]
}

/** Starts behind a seed, which may be empty. */
export function logWriter(seed: readonly SessionEvent[]): LogWriter {
  const own: SessionEvent[] = []
  let clock = 0
  return {
    add(type, data, more = {}) {
      const seq = seed.length + own.length
      own.push({ type, seq, time: clock, data, ...more })
      return seq
    },
    wait(milliseconds) {
      clock += milliseconds
    },
    finish: (end) => [...seed, ...own.map((event) => ({ ...event, time: end - clock + event.time }))],
  }
}
