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
  readonly time: number
  readonly data: unknown
}

/** Where a session's own events begin, and what is looked for. */
export interface OwnScan {
  readonly headerEnd: number
  readonly header: LogHeader
  readonly size: number
  readonly types: ReadonlySet<string>
}

/** What a line may come to that is too long to be held in a scan, and is read by itself. */
const LONGEST = 16 * 1024 * 1024

/**
 * Takes from each own event (`seq >= seedLength`) of some types what is wanted of it, in log order, by a scan of bytes:
 * only lines of those types are parsed, and only what `take` answers is held. Damaged lines are passed over.
 * @param take is called out of order, `late`, for a line too long to be held: those are read again after the scan.
 * @throws the system's error, or the signal's reason.
 */
export async function takeFromOwn<Taken>(
  file: FileHandle,
  scan: OwnScan,
  take: (event: FoundEvent, late: boolean) => Taken | undefined,
  signal?: AbortSignal,
): Promise<Taken[]> {
  const { headerEnd, header, size, types } = scan
  const { seedLength = 0, seedBytes } = header
  const from = seedBytes !== undefined && seedBytes > headerEnd && seedBytes <= size ? seedBytes : headerEnd
  const found: ({ readonly taken: Taken } | { readonly later: LineBytes })[] = []
  const takeText = (text: string, late: boolean): Taken | undefined => {
    const event = parse(text)
    return event && types.has(event.type) && event.seq >= seedLength ? take(event, late) : undefined
  }
  await scanLines(
    file,
    { from, to: size },
    (line) => {
      const peeked = peekEvent(line.buffer, line.start, line.end)
      if (peeked && (!types.has(peeked.type) || peeked.seq < seedLength)) return
      if (!line.whole) {
        if (peeked && line.bytes <= LONGEST) found.push({ later: line })
        return
      }
      const taken = takeText(line.buffer.toString('utf8', line.start, line.end), false)
      if (taken !== undefined) found.push({ taken })
    },
    signal,
  )
  const all: Taken[] = []
  for (const each of found) {
    const taken = 'taken' in each ? each.taken : takeText(await textOf(file, each.later), true)
    if (taken !== undefined) all.push(taken)
  }
  return all
}

async function textOf(file: FileHandle, line: LineBytes): Promise<string> {
  return (await readBytes(file, line.offset, line.bytes)).toString('utf8')
}

function parse(text: string): FoundEvent | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  const { type, seq, time, data } = asRecord(parsed) ?? {}
  const isEvent = typeof type === 'string' && typeof seq === 'number' && typeof time === 'number'
  return isEvent ? { type, seq, time, data } : undefined
}
