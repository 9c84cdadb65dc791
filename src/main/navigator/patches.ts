/** A frame of a screen, rounded up: more often than this nobody can see a change. */
const FRAME_MS = 33

/** Rows in one message. Five hundred cross to the window in a few milliseconds; ten thousand would stop it. */
export const ROWS_AT_ONCE = 500

/** Collects what changed and hands it on at most once a frame, in messages of a bearable size. */
export interface PatchQueue<Id extends string> {
  changed(id: Id): void
  removed(id: Id): void
  /** Something else in the patch changed: send one even if no row did. */
  touch(): void
  /** Sends what waits at once. */
  flush(): void
  stop(): void
}

/**
 * A queue that calls `send` with the ids of a frame. A row that changes twice in a frame is sent once; one that is
 * removed is not sent as changed; what does not fit waits for the next frame, and `more` says so.
 */
export function createPatchQueue<Id extends string>(
  send: (changed: readonly Id[], removed: readonly Id[], more: boolean) => void,
): PatchQueue<Id> {
  const changed = new Set<Id>()
  const removed = new Set<Id>()
  let touched = false
  let frame: NodeJS.Timeout | undefined

  const schedule = (): void => {
    frame ??= setTimeout(sendFrame, FRAME_MS)
  }
  const sendFrame = (): void => {
    clearTimeout(frame)
    frame = undefined
    if (changed.size === 0 && removed.size === 0 && !touched) return
    const rows = [...changed].slice(0, ROWS_AT_ONCE)
    const gone = [...removed]
    for (const id of rows) changed.delete(id)
    removed.clear()
    touched = false
    send(rows, gone, changed.size > 0)
    if (changed.size > 0) schedule()
  }
  return {
    changed(id) {
      removed.delete(id)
      changed.add(id)
      schedule()
    },
    removed(id) {
      changed.delete(id)
      removed.add(id)
      schedule()
    },
    touch() {
      touched = true
      schedule()
    },
    flush: sendFrame,
    stop() {
      clearTimeout(frame)
      frame = undefined
      changed.clear()
      removed.clear()
    },
  }
}
