import type { Boundary } from './session-tree.ts'

/** What the fold must know of a record; the scan takes it from the bytes, or from the parsed line. */
export interface FoldedRecord {
  readonly type: string
  /** The first seq, and how many events the line stands for (packed rows: more than one). */
  readonly seq: number
  readonly count: number
  readonly time: number
  readonly turn?: number
  readonly step?: number
  /** Calls that the record asks for, and the one it answers. */
  readonly asks?: readonly string[]
  readonly answers?: string
}

/** What makes a prefix uncertain, and where. */
interface Doubt {
  /** Counted from 1, the header being line 1. */
  readonly line: number
  /** A clause that follows "line N", such as "is damaged". */
  readonly what: string
}

/**
 * Folds the records of a log into its boundary: the last `step/end` or `turn/end` of the gap-free prefix at which no step
 * is open and every call is answered (spec §3.2, design §3). From the first doubt on nothing counts; a later end of a step
 * or turn then makes the boundary ambiguous, because it would stand behind what is in doubt.
 */
export interface BoundaryFold {
  /** Takes one sound record; `end` is one past its newline. */
  record(record: FoldedRecord, line: number, end: number): void
  /** Takes a line that is no sound record; `ends` is true if it may hold the end of a step or turn. */
  damage(doubt: Doubt, ends: boolean): void
  /** The boundary so far, or what makes it ambiguous. */
  result(): { readonly boundary: Omit<Boundary, 'from' | 'blanks'> | undefined } | { readonly ambiguous: Doubt }
  /** True once nothing further can change the result. */
  isDecided(): boolean
}

/** The last point at which a fork may be cut. */
interface End {
  readonly seedLength: number
  readonly to: number
  readonly time: number
  readonly openTurn: number | undefined
  readonly turn: number | undefined
  readonly step: number | undefined
}

function toBoundary({ openTurn, turn, step, ...end }: End): Omit<Boundary, 'from' | 'blanks'> {
  return {
    ...end,
    ...(openTurn === undefined ? {} : { openTurn }),
    ...(turn === undefined ? {} : { turn }),
    ...(step === undefined ? {} : { step }),
  }
}

interface OpenStep {
  readonly turn: number
  readonly step: number
}

/** A fold over a log whose first event has seq 0. */
export function foldBoundary(): BoundaryFold {
  const unanswered = new Set<string>()
  let expected = 0
  let openTurn: number | undefined
  let openStep: OpenStep | undefined
  let lastStep: OpenStep | undefined
  let end: End | undefined
  let doubt: Doubt | undefined
  let ambiguous: Doubt | undefined

  function unbalanced({ type, turn, step }: FoldedRecord): string | undefined {
    if (!isMark(type)) return undefined
    if (turn === undefined || (type.startsWith('step/') && step === undefined))
      return `holds a ${type} without its number`
    if (type === 'turn/start' && openTurn !== undefined) return `starts turn ${turn} while turn ${openTurn} is open`
    if (type === 'turn/start') return undefined
    if (turn !== openTurn)
      return `holds a ${type} of turn ${turn} while ${openTurn === undefined ? 'no turn' : `turn ${openTurn}`} is open`
    if (type === 'step/end') {
      return openStep?.step === step ? undefined : `ends step ${step} of turn ${turn}, which is not open`
    }
    return openStep ? `holds a ${type} while step ${openStep.step} of turn ${turn} is open` : undefined
  }

  function apply({ type, turn, step }: FoldedRecord): void {
    if (type === 'turn/start') openTurn = turn
    else if (type === 'turn/end') openTurn = undefined
    else if (type === 'step/start' && turn !== undefined && step !== undefined) openStep = { turn, step }
    else if (type === 'step/end') {
      lastStep = openStep
      openStep = undefined
    }
  }

  return {
    record(record, line, to) {
      if (ambiguous) return
      doubt ??= outOfOrder(record, expected, line)
      const fault = doubt ? undefined : unbalanced(record)
      if (fault) doubt = { line, what: fault }
      const isEnd = record.type === 'step/end' || record.type === 'turn/end'
      if (doubt) {
        if (isEnd) ambiguous = doubt
        return
      }
      expected += record.count
      apply(record)
      for (const call of record.asks ?? []) unanswered.add(call)
      if (record.answers !== undefined) unanswered.delete(record.answers)
      if (!isEnd || unanswered.size > 0) return
      end = {
        seedLength: expected,
        to,
        time: record.time,
        openTurn,
        turn: lastStep?.turn ?? record.turn,
        step: lastStep?.step,
      }
    },
    damage(found, ends) {
      doubt ??= found
      if (ends) ambiguous ??= doubt
    },
    result: () => (ambiguous ? { ambiguous } : { boundary: end && toBoundary(end) }),
    isDecided: () => ambiguous !== undefined,
  }
}

function isMark(type: string): boolean {
  return type === 'turn/start' || type === 'turn/end' || type === 'step/start' || type === 'step/end'
}

function outOfOrder({ seq }: FoldedRecord, expected: number, line: number): Doubt | undefined {
  if (seq === expected) return undefined
  const what =
    seq > expected
      ? `jumps to seq ${seq} where ${expected} was expected`
      : `repeats seq ${seq} where ${expected} was expected`
  return { line, what }
}
