import type { FileHandle } from 'node:fs/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { readFirstLine } from './first-line.ts'
import { longLogLine, toLogLine } from './log-line.ts'
import { linesBackwards, linesForwards, type LineSpan } from './line-spans.ts'
import { LONG_LINE } from './line-scan.ts'
import { findNewlineBefore, readBytes, withLog } from './log-file.ts'
import type { LogLine, LogPage, PageRequest, SessionPlace } from './session-tree.ts'

/** A page ends early when its lines come to this much: memory stays bounded whatever the lines hold. */
const PAGE_BYTES = 4 * 1024 * 1024
/** How much of a line over {@link LONG_LINE} is read. */
const LONG_HEAD = 64 * 1024
const NEWLINE = 10

/**
 * A page of a log for a viewer, tolerant: damaged lines stand in place with the reason, blank ones are passed over, a cut
 * last line is `unfinished`. Reads the page's own bytes and little else. `to` is one past the last finished line, so
 * `after: to` goes on from there and reads an unfinished line again.
 * @returns `log_missing`, `log_changed` if an offset is no line's beginning (any more), `io_failed`.
 */
export function readPage(place: SessionPlace, request: PageRequest): Promise<Result<LogPage>> {
  return withLog(place, async ({ file, size, inode }) => {
    const start = 'after' in request ? request.after : request.before
    if (start !== undefined && !(await isLineStart(file, start, size))) return fail(changed(place.logPath))
    const span = 'after' in request ? await spanAfter(file, request, size) : await spanBefore(file, request, size)
    const from = span.lines[0]?.offset ?? span.edge
    const to = endOf(span.lines.at(-1)) ?? span.edge
    const lines = await readLines(file, span.lines, place)
    const { unfinished } = span
    if (unfinished) lines.push({ kind: 'unfinished', offset: unfinished.offset, bytes: unfinished.length })
    return ok({ lines, from, to, size, atStart: from === 0, atEnd: to === (unfinished?.offset ?? size), inode })
  })
}

/** The lines of a page, where they would begin if there are none, and what stands behind the last newline. */
interface PageSpan {
  readonly lines: readonly LineSpan[]
  readonly edge: number
  readonly unfinished?: LineSpan
}

async function spanBefore(
  file: FileHandle,
  request: { readonly before?: number; readonly lines: number },
  size: number,
): Promise<PageSpan> {
  const end = request.before ?? (await committedEnd(file, size))
  const lines: LineSpan[] = []
  let bytes = 0
  for await (const line of linesBackwards(file, end)) {
    const isHeader = line.offset === 0
    // The header comes with the page that reaches it, so that a page at the start is known by its first offset.
    if (!isHeader && (lines.length >= request.lines || (lines.length > 0 && bytes + cost(line) > PAGE_BYTES))) break
    lines.push(line)
    bytes += cost(line)
  }
  lines.reverse()
  return { lines, edge: end, ...unfinishedFrom(request.before === undefined ? end : undefined, size) }
}

async function spanAfter(
  file: FileHandle,
  request: { readonly after: number; readonly lines: number },
  size: number,
): Promise<PageSpan> {
  const lines: LineSpan[] = []
  let bytes = 0
  for await (const line of linesForwards(file, request.after, size)) {
    if (lines.length >= request.lines || (lines.length > 0 && bytes + cost(line) > PAGE_BYTES)) {
      return { lines, edge: request.after }
    }
    lines.push(line)
    bytes += cost(line)
  }
  return { lines, edge: request.after, ...unfinishedFrom(endOf(lines.at(-1)) ?? request.after, size) }
}

function unfinishedFrom(committed: number | undefined, size: number): { unfinished?: LineSpan } {
  return committed === undefined || committed === size
    ? {}
    : { unfinished: { offset: committed, length: size - committed } }
}

function cost(line: LineSpan): number {
  return Math.min(line.length, LONG_LINE)
}

function endOf(line: LineSpan | undefined): number | undefined {
  return line && line.offset + line.length + 1
}

async function committedEnd(file: FileHandle, size: number): Promise<number> {
  return (await findNewlineBefore(file, size)) + 1
}

async function isLineStart(file: FileHandle, offset: number, size: number): Promise<boolean> {
  if (offset === 0) return true
  return offset > 0 && offset <= size && (await readBytes(file, offset - 1, 1))[0] === NEWLINE
}

function changed(path: string): ToolError {
  return toolError(
    'log_changed',
    `${path} is not what it was: it got shorter or was replaced. Read it again from its end.`,
    { path },
  )
}

async function readLines(file: FileHandle, spans: readonly LineSpan[], place: SessionPlace): Promise<LogLine[]> {
  const lines: LogLine[] = []
  for (const run of runsOf(spans)) {
    const [first] = run
    if (!first) continue
    const end = endOf(run.at(-1)) ?? first.offset
    const bytes = await readBytes(file, first.offset, run.length === 1 ? heldLength(first) : end - first.offset)
    for (const span of run) {
      const start = span.offset - first.offset
      const line = toLine(bytes.subarray(start, start + heldLength(span)), span, place)
      if (line) lines.push(line)
    }
  }
  return lines
}

function toLine(bytes: Buffer, span: LineSpan, place: SessionPlace): LogLine | undefined {
  const { offset, length } = span
  const raw = { bytes, offset, length }
  if (offset === 0) return firstLogLine(bytes, length, place)
  return length > LONG_LINE ? longLogLine(raw) : toLogLine(raw)
}

/** The first line is the header; where it is not, it is shown as what it is, with the reason. */
function firstLogLine(bytes: Buffer, length: number, place: SessionPlace): LogLine | undefined {
  const { header, problem } = readFirstLine(Buffer.concat([bytes, Buffer.of(NEWLINE)]), length + 1, place)
  if (header) return { kind: 'header', offset: 0, bytes: length, header }
  const line = toLogLine({ bytes, offset: 0, length })
  return line?.kind === 'bad' && problem ? { ...line, reason: problem.message } : line
}

/** How much of a line is read. */
function heldLength(span: LineSpan): number {
  return span.length > LONG_LINE ? LONG_HEAD : span.length
}

/** Neighbouring lines are read at once; one over {@link LONG_LINE} stands alone, so that its middle is never read. */
function runsOf(spans: readonly LineSpan[]): LineSpan[][] {
  const runs: LineSpan[][] = []
  let open = false
  for (const span of spans) {
    const isLong = span.length > LONG_LINE
    const run = runs.at(-1)
    if (run && open && !isLong) run.push(span)
    else runs.push([span])
    open = !isLong
  }
  return runs
}

/**
 * The text of one line, whatever it holds, at most its first MiB (bad bytes as U+FFFD).
 * @returns `log_changed` if no line begins at `offset`; `log_missing`, `io_failed`.
 */
export function readWholeLine(place: SessionPlace, offset: number): Promise<Result<string>> {
  return withLog(place, async ({ file, size }) => {
    if (offset >= size || !(await isLineStart(file, offset, size))) return fail(changed(place.logPath))
    const bytes = await readBytes(file, offset, Math.min(LONG_LINE, size - offset))
    const end = bytes.indexOf(NEWLINE)
    return ok(bytes.toString('utf8', 0, end === -1 ? bytes.length : end))
  })
}
