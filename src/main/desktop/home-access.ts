import { setTimeout as wait } from 'node:timers/promises'
import { fail, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'

/** Something that is had for a while and given back. */
interface Held {
  close(): Promise<void>
  /** Resolves when it is lost; absent where it can only be given back. */
  readonly ended?: Promise<unknown>
}

/** The way to what writes: the home is asked for in the background, and again while another process has it or once it is lost. */
export interface HomeAccess<Home extends Held> {
  /** The home; where another process has it, waits a moment for a short call to end, then `home_owned` in its words. */
  home(): Promise<Result<Home>>
  /** The home, where it is there at this moment. */
  now(): Home | undefined
  /** Gives the home back, and stops asking for it. */
  close(): Promise<void>
}

/** Between two attempts: a command line call takes about a second. */
const AGAIN_MS = 1000
/** What a person waits for without being told more. */
const PATIENCE_MS = 3000
/** Between two attempts after a loss: who had the home is about to let go of it. */
const SOON_MS = 50

/**
 * Begins to ask for the home at once. Looking needs none of this (design §2.3), so the window works read-only meanwhile.
 * @param open fails with `home_owned` while another process has the home; any other failure is final
 * @param tell is told why the home cannot be had, and undefined once it is there
 */
export function accessHome<Home extends Held>(
  open: () => Promise<Result<Home>>,
  tell: (hindrance: ToolError | undefined) => void,
): HomeAccess<Home> {
  const closing = new AbortController()
  const closed = new Promise<void>((resolve) => {
    closing.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  let latest: Result<Home> | undefined
  /** Resolves when the home is there, or will never be. */
  let settled = Promise.withResolvers<void>()
  let told = false

  const attempts = (async (): Promise<void> => {
    let lost = Number.NEGATIVE_INFINITY
    while (!closing.signal.aborted) {
      latest = await open()
      if (latest.ok) {
        settled.resolve()
        if (told) tell(undefined)
        told = false
        const { ended } = latest.value
        if (!ended) return
        await Promise.race([ended, closed])
        if (closing.signal.aborted) return
        lost = performance.now()
        latest = undefined
        settled = Promise.withResolvers()
        continue
      }
      const isPassing = latest.error.code === 'home_owned'
      const isFresh = isPassing && performance.now() - lost < PATIENCE_MS
      if (!isFresh) tell(latest.error)
      told ||= !isFresh
      if (!isPassing) return
      await wait(isFresh ? SOON_MS : AGAIN_MS, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  })().finally(() => settled.resolve())

  return {
    async home() {
      if (latest?.ok) return latest
      const patience = new AbortController()
      const late = wait(PATIENCE_MS, undefined, { signal: patience.signal, ref: false }).catch(() => undefined)
      await Promise.race([settled.promise, late])
      patience.abort()
      return latest ?? fail(toolError('owner_unreachable', 'The home is still being opened. Try again in a moment.'))
    },
    now: () => (latest?.ok ? latest.value : undefined),
    async close() {
      closing.abort()
      await attempts
      if (latest?.ok) await latest.value.close()
    },
  }
}
