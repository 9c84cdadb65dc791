import { fail, ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'

/** How many calls a session may make, over all its connections. */
interface CallRate {
  /** So many at once after a rest. */
  readonly burst: number
  /** So many more with every second. */
  readonly perSecond: number
  /** So many that run side by side. */
  readonly atOnce: number
}

/** Far above what an agent that works needs, far below what a loop without end asks for. */
const CALL_RATE: CallRate = { burst: 100, perSecond: 10, atOnce: 32 }

/** Keeps one session from taking the owner's time from all others. The person at the computer is not limited. */
export interface CallLimits {
  /**
   * Takes one call. Fails with `too_many_calls`, and says when to try again; a call that was refused counts for nothing.
   * @returns to be called once the call is answered.
   */
  take(caller: SessionId): Result<() => void>
}

interface Account {
  left: number
  running: number
  /** When `left` was worked out, in ms. */
  at: number
}

/** @param now a clock that never goes back, in ms. */
export function createCallLimits(rate: CallRate = CALL_RATE, now: () => number = () => performance.now()): CallLimits {
  const accounts = new Map<SessionId, Account>()

  /** The account as it is now. One that is full and idle is as good as none, so few are kept. */
  function accountOf(caller: SessionId, time: number): Account {
    if (accounts.size > 1000) {
      for (const [id, account] of accounts) {
        if (account.running === 0 && leftAt(account, time) === rate.burst) accounts.delete(id)
      }
    }
    const account = accounts.get(caller) ?? { left: rate.burst, running: 0, at: time }
    account.left = leftAt(account, time)
    account.at = time
    accounts.set(caller, account)
    return account
  }

  function leftAt({ left, at }: Account, time: number): number {
    return Math.min(rate.burst, left + ((time - at) / 1000) * rate.perSecond)
  }

  return {
    take(caller) {
      const account = accountOf(caller, now())
      if (account.running >= rate.atOnce) {
        const message = `${caller} has ${rate.atOnce} calls running, which is the most. Wait until one is answered.`
        return fail(toolError('too_many_calls', message))
      }
      if (account.left < 1) {
        const seconds = Math.ceil((1 - account.left) / rate.perSecond)
        const message = `${caller} calls too often. Wait ${seconds === 1 ? 'a second' : `${seconds} seconds`}, then try again; do not ask for a status in a loop.`
        return fail(toolError('too_many_calls', message))
      }
      account.left -= 1
      account.running += 1
      return ok(() => {
        account.running -= 1
      })
    },
  }
}
