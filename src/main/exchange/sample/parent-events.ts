import type { SessionEvent } from '../../../shared/session-event.ts'
import type { SampleTemplate } from './template.ts'

/** A fork's seed: the parent's events through the end of the turn, or of the step in it, that the template names (spec §3.2). */
export function seedOf(events: readonly SessionEvent[], after: SampleTemplate['after']): readonly SessionEvent[] {
  if (after === undefined) throw new Error('A fork says after which turn it was made')
  const type = after.step === undefined ? 'turn/end' : 'step/end'
  const boundary = events.findIndex(({ data, ...event }) => {
    const [turn, step] = [fieldOf(data, 'turn'), fieldOf(data, 'step')]
    return event.type === type && turn === after.turn && step === after.step
  })
  if (boundary === -1) throw new Error(`There is no end of turn ${after.turn} step ${after.step ?? '-'} to fork at`)
  return events.slice(0, boundary + 1)
}

/** When a subagent's answer stands in its parent's log, in ms since the epoch: the parent's call describes it by its title. */
export function answeredAt(events: readonly SessionEvent[], title: string | undefined): number {
  const called = events.find(({ type, data }) => {
    if (type !== 'tool/call' || fieldOf(data, 'name') !== 'subagent') return false
    return fieldOf(JSON.parse(String(fieldOf(data, 'arguments'))), 'description') === title
  })
  const answer = events.find(
    ({ type, sourceEventSeqs = [] }) => type === 'tool/result' && sourceEventSeqs[0] === called?.seq,
  )
  if (!answer) throw new Error(`No call of a subagent "${title}" is answered`)
  return answer.time
}

function fieldOf(data: unknown, name: string): unknown {
  return typeof data === 'object' && data !== null
    ? new Map<string, unknown>(Object.entries(data)).get(name)
    : undefined
}
