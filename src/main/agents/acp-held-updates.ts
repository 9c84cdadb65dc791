import { jsonWithin } from './acp-content.ts'

/** What an agent says while there is no turn to write it into: before its first, and between turns. */
export interface HeldUpdates {
  add(update: unknown): void
  /** All that is held, in order; it is held no more. */
  take(): readonly unknown[]
}

const MOST = 200
const MOST_LETTERS = 16_000

export function createHeldUpdates(): HeldUpdates {
  let held: unknown[] = []
  let omitted = 0
  return {
    add(update) {
      if (held.length < MOST) held.push(JSON.parse(jsonWithin(update, MOST_LETTERS)))
      else omitted += 1
    },
    take() {
      const taken = omitted === 0 ? held : [...held, { omittedUpdates: omitted }]
      held = []
      omitted = 0
      return taken
    },
  }
}
