import { create } from 'zustand'
import { relativeTime } from '../ui/time.ts'

/** One clock for the whole window: it ticks once a minute, and not while the window is hidden. */
const useClock = create<{ readonly now: number }>()(() => ({ now: Date.now() }))

const TICK = 60_000

function tick(): void {
  if (!document.hidden) useClock.setState({ now: Date.now() })
}

/** Starts the clock; returns its stop. */
export function startClock(): () => void {
  const timer = setInterval(tick, TICK)
  document.addEventListener('visibilitychange', tick)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', tick)
  }
}

/** A time in the words of a row; whoever uses it is drawn again only when the words change. */
export function useRelativeTime(time: number | undefined): string {
  // An event can be younger than the last tick: then it is now.
  return useClock((clock) =>
    relativeTime(time, time === undefined ? clock.now : Math.max(clock.now, Math.min(time, Date.now()))),
  )
}
