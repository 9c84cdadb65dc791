/** Times in words short enough for a row. Own formatter: platform ones say "in 74 years" (field fault F26). */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Before this a time is a clock that was never set, not a date. */
const EARLIEST = Date.UTC(2000, 0, 1)

/** Whether a time from a log can be believed now: neither unset nor further ahead than clocks drift. */
function isPlausible(time: number | undefined, now: number): time is number {
  return time !== undefined && Number.isFinite(time) && time >= EARLIEST && time <= now + DAY
}

/** What a list sorts by: the last activity, else the creation, else the end of the list. A time in 2100 pins nothing. */
export function activityTime(
  session: { readonly updated_at?: number; readonly created_at?: number },
  now: number,
): number {
  if (isPlausible(session.updated_at, now)) return Math.min(session.updated_at, now)
  if (isPlausible(session.created_at, now)) return Math.min(session.created_at, now)
  return 0
}

/**
 * now, 2m, 1h, Yesterday, Fri, 12 Nov, 12 Nov 2024, in the machine's own time zone.
 * @returns '' where the time is absent or was never set.
 */
export function relativeTime(time: number | undefined, now: number): string {
  if (time === undefined || !Number.isFinite(time) || time < EARLIEST) return ''
  const passed = now - time
  if (passed < -DAY) return shortDate(time, now)
  if (passed < MINUTE) return 'now'
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)}m`
  const days = calendarDays(time, now)
  if (days === 0 || passed < 6 * HOUR) return `${Math.floor(passed / HOUR)}h`
  if (days === 1) return 'Yesterday'
  if (days < 7) return DAYS[new Date(time).getDay()] ?? ''
  return shortDate(time, now)
}

/** 12 Nov 2026, 14:02: for tooltips and screen readers. '' where the time is absent or was never set. */
export function fullTime(time: number | undefined): string {
  if (time === undefined || !Number.isFinite(time) || time < EARLIEST) return ''
  const date = new Date(time)
  const clock = `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`
  return `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}, ${clock}`
}

/** 0.2 s, 12 s, 1m 12s. `undefined` for what took no time worth telling, and where the clock went back. */
export function duration(milliseconds: number): string | undefined {
  if (!Number.isFinite(milliseconds) || milliseconds < 50) return undefined
  if (milliseconds < 9_950) return `${(milliseconds / 1000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`
  return `${Math.floor(seconds / 3600)}h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')}m`
}

function calendarDays(time: number, now: number): number {
  return Math.round((midnight(now) - midnight(time)) / DAY)
}

function midnight(time: number): number {
  const date = new Date(time)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
}

function shortDate(time: number, now: number): string {
  const date = new Date(time)
  const day = `${date.getDate()} ${MONTHS[date.getMonth()]}`
  return date.getFullYear() === new Date(now).getFullYear() ? day : `${day} ${date.getFullYear()}`
}
