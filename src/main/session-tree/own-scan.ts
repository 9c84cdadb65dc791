import type { FileHandle } from 'node:fs/promises'
import type { LogHeader } from '../../shared/session-event.ts'
import { asRecord } from './event.ts'
import { peekEvent } from './event-peek.ts'
import { scanLines, type LineBytes } from './line-scan.ts'
import { readBytes } from './log-file.ts'

/** An own event of one of the types looked for. */
export interface FoundEvent {
  readonly type: string
  readonly seq: number
  readonly data: unknown
}

const NOTHING = Buffer.alloc(0)

/** Where a session's own events begin, and what is looked for. */
export interface OwnScan {
  readonly headerEnd: number
  readonly header: LogHeader
  readonly size: number
  readonly types: ReadonlySet<string>
}

/**
 * The own events (`seq >= seedLength`) of some types, in log order, by a scan of bytes: only lines of those types are
 * parsed, and only they are held. Damaged lines are passed over.
 * @throws the system's error, or the signal's reason.
 */
export async function ownEvents(file: FileHandle, scan: OwnScan, signal?: AbortSignal): Promise<FoundEvent[]> {
  const { headerEnd, header, size, types } = scan
  const { seedLength = 0, seedBytes } = header
  const from = seedBytes !== undefined && seedBytes > headerEnd && seedBytes <= size ? seedBytes : headerEnd
  const found: (FoundEvent | LineBytes)[] = []
  await scanLines(
    file,
    { from, to: size },
    (line) => {
      const peeked = peekEvent(line.buffer, line.start, line.end)
      if (peeked && (!types.has(peeked.type) || peeked.seq < seedLength)) return
      // A line too long to be held is read again by itself, if it is one that counts.
      if (!line.whole) {
        if (peeked) found.push({ ...line, buffer: NOTHING })
        return
      }
      const event = toEvent(line.buffer.toString('utf8', line.start, line.end))
      if (event && types.has(event.type) && event.seq >= seedLength) found.push(event)
    },
    signal,
  )
  const events: FoundEvent[] = []
  for (const each of found) {
    const event = 'offset' in each ? toEvent((await readBytes(file, each.offset, each.bytes)).toString('utf8')) : each
    if (event) events.push(event)
  }
  return events
}

function toEvent(text: string): FoundEvent | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  const { type, seq, data } = asRecord(parsed) ?? {}
  return typeof type === 'string' && typeof seq === 'number' ? { type, seq, data } : undefined
}
