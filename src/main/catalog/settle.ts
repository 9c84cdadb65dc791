import { open } from 'node:fs/promises'
import { readFacts } from '../session-tree/facts.ts'
import type { SessionFacts, SessionPlace } from '../session-tree/session-tree.ts'
import { scanForTitle } from '../session-tree/title-scan.ts'

/** As DSH and we write it: the type comes before any text of the event, and no other event's type holds it. */
const TITLE_EVENT = Buffer.from('session/title')
const CHUNK = 1024 * 1024

/**
 * The facts of a log with title and first prompt settled: by head and tail if they show them, else by what was found
 * before if nothing since can have changed it, else by a scan of the whole log.
 * @param before settled facts of the same log when it was shorter, if there are any
 * @returns undefined if the log could not be scanned now, or `signal` was aborted
 */
export async function settleFacts(
  place: SessionPlace,
  before: SessionFacts | undefined,
  signal: AbortSignal,
): Promise<SessionFacts | undefined> {
  const facts = await readFacts(place)
  if (facts.settled) return facts
  if (before?.settled && (await stillHolds(before, facts, signal))) return withWords(facts, before)
  const found = await scanForTitle(place, signal)
  return found.ok ? withWords(facts, found.value) : undefined
}

/** A log only grows: a title found before is the last one unless the new part names another. */
async function stillHolds(before: SessionFacts, facts: SessionFacts, signal: AbortSignal): Promise<boolean> {
  const { file: then } = before
  const { file: now } = facts
  if (!then || !now || then.inode !== now.inode || then.size > now.size) return false
  // Then the first prompt may stand in the new part, or the line that was being written may be a title.
  if (before.firstPrompt === undefined || before.cutTail) return false
  return !(await holdsTitle(facts.place.logPath, then.size, now.size, signal))
}

async function holdsTitle(path: string, from: number, to: number, signal: AbortSignal): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    let offset = from
    // A little more than a step, so that a name across its edge is found.
    const bytes = Buffer.allocUnsafe(CHUNK + TITLE_EVENT.length)
    while (offset < to) {
      if (signal.aborted) return true
      const { bytesRead } = await file.read(bytes, 0, Math.min(bytes.length, to - offset), offset)
      if (bytesRead === 0) return false
      if (bytes.subarray(0, bytesRead).includes(TITLE_EVENT)) return true
      offset += CHUNK
    }
    return false
  } finally {
    await file.close()
  }
}

function withWords(facts: SessionFacts, words: Pick<SessionFacts, 'title' | 'firstPrompt'>): SessionFacts {
  const { title: _title, firstPrompt: _firstPrompt, ...rest } = facts
  return {
    ...rest,
    ...(words.title === undefined ? {} : { title: words.title }),
    ...(words.firstPrompt === undefined ? {} : { firstPrompt: words.firstPrompt }),
    settled: true,
  }
}
