import type { SessionEvent } from '../../../shared/session-event.ts'
import type { SampleTemplate } from './template.ts'

/** A fork's seed: the parent's events through the end of the turn, or of the step in it, that the template names (spec §3.2). */
export function seedOf(events: readonly SessionEvent[], after: SampleTemplate['after']): readonly SessionEvent[] {
  if (after === undefined) throw new Error('A fork says after which turn it was made')
  const type = after.step === undefined ? 'turn/end' : 'step/end'
  const boundary = events.findIndex(
    (event) =>
      event.type === type &&
      matches(event.data, { turn: after.turn, ...(after.step === undefined ? {} : { step: after.step }) }),
  )
  if (boundary === -1) throw new Error(`There is no end of turn ${after.turn} step ${after.step ?? '-'} to fork at`)
  return events.slice(0, boundary + 1)
}

function matches(data: unknown, wanted: Readonly<Record<string, number>>): boolean {
  if (typeof data !== 'object' || data === null) return false
  const fields = new Map<string, unknown>(Object.entries(data))
  return Object.entries(wanted).every(([key, value]) => fields.get(key) === value)
}
