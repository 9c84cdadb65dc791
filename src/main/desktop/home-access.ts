import { setTimeout as wait } from 'node:timers/promises'
import { fail, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'

/** Something that can be owned by one process at a time and given back. */
interface Owned {
  close(): Promise<void>
}

/** The way to what writes: the home is asked for in the background, and again while another process has it. */
export interface HomeAccess<Home extends Owned> {
  /** The home; where another process has it, waits a moment for a short call to end, then `home_owned` in its words. */
  home(): Promise<Result<Home>>
  /** Gives the home back, and stops asking for it. */
  close(): Promise<void>
}

/** Between two attempts: a command line call takes about a second. */
const AGAIN_MS = 1000
/** What a person waits for without being told more. */
const PATIENCE_MS = 3000

/**
 * Begins to ask for the home at once. Looking needs none of this (design §2.3), so the window works read-only meanwhile.
 * @param open fails with `home_owned` while another process has the home; any other failure is final
 * @param tell is told why the home cannot be had, and undefined once it is there
 */
export function accessHome<Home extends Owned>(
  open: () => Promise<Result<Home>>,
  tell: (hindrance: ToolError | undefined) => void,
): HomeAccess<Home> {
  const closing = new AbortController()
  let latest: Result<Home> | undefined
  let told = false

  const attempts = (async (): Promise<Result<Home>> => {
    for (;;) {
      const opened = await open()
      latest = opened
      if (!opened.ok) tell(opened.error)
      else if (told) tell(undefined)
      told ||= !opened.ok
      if (opened.ok || opened.error.code !== 'home_owned' || closing.signal.aborted) return opened
      try {
        await wait(AGAIN_MS, undefined, { signal: closing.signal })
      } catch {
        return opened
      }
    }
  })()

  return {
    async home() {
      if (latest?.ok) return latest
      const patience = new AbortController()
      const late = wait(PATIENCE_MS, undefined, { signal: patience.signal, ref: false }).catch(() => undefined)
      const opened = await Promise.race([attempts, late])
      patience.abort()
      return (
        opened ??
        latest ??
        fail(toolError('owner_unreachable', 'The home is still being opened. Try again in a moment.'))
      )
    },
    async close() {
      closing.abort()
      const opened = await attempts
      if (opened.ok) await opened.value.close()
    },
  }
}
