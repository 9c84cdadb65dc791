import { setTimeout as wait } from 'node:timers/promises'
import type { ToolConnection } from './tool-client.ts'

/** How often the owner is asked whether it is still there, and how long it may take to say so, in ms. */
const WATCH = { every: 10_000, patience: 20_000 }

/**
 * Ends a connection whose owner is there but does not answer any more, as one that was suspended: what it said last of its
 * agents is not known to hold (design §2.5), and calls would wait without end. Watches until the connection has ended.
 */
export async function watchOwner(
  connection: Pick<ToolConnection, 'call' | 'close' | 'ended'>,
  { every, patience } = WATCH,
): Promise<void> {
  const over = new AbortController()
  void connection.ended.then(() => over.abort())
  for (;;) {
    const isOver = await wait(every, false, { signal: over.signal, ref: false }).catch(() => true)
    if (isOver) return
    const late = setTimeout(() => connection.close('it does not answer'), patience)
    await connection.call('ping', {})
    clearTimeout(late)
  }
}
