import type { SessionId } from '../../shared/session-id.ts'
import { compareEvents } from './compare-events.ts'
import { safeSessionId } from './safe-id.ts'
import type { ForeignSession } from './source.ts'

export interface ChosenCopies {
  readonly sessions: readonly ForeignSession[]
  readonly refused: readonly { readonly session: string; readonly message: string }[]
}

/**
 * Where two files hold the same session (a plain and a zstd store, a copy), the longer is taken if the other is its prefix.
 * If they differ, or one cannot be read, that is told; of two that differ neither is taken, since either may be the true one.
 */
export async function chooseCopies(found: readonly ForeignSession[], signal?: AbortSignal): Promise<ChosenCopies> {
  const byId = new Map<SessionId, ForeignSession[]>()
  for (const session of found) {
    const { id } = safeSessionId(session.id)
    byId.set(id, [...(byId.get(id) ?? []), session])
  }
  const sessions: ForeignSession[] = []
  const refused: { session: string; message: string }[] = []
  for (const copies of byId.values()) {
    let chosen: ForeignSession | undefined
    for (const copy of copies) {
      if (signal?.aborted) return { sessions, refused }
      if (chosen === undefined) {
        chosen = copy
        continue
      }
      const compared = await compareEvents(chosen.events(signal), copy.events(signal))
      if (compared.kind === 'unreadable') {
        refused.push({ session: copy.id, message: compared.error.message })
        if (compared.which === 'first') chosen = copy
      } else if (compared.kind === 'different') {
        refused.push({ session: copy.id, message: differ(chosen, copy, compared.common) })
        chosen = undefined
        break
      } else if (compared.kind === 'second-goes-on') {
        chosen = copy
      }
    }
    if (chosen) sessions.push(chosen)
  }
  return { sessions, refused }
}

function differ(one: ForeignSession, other: ForeignSession, common: number): string {
  return (
    `${one.path} and ${other.path} both hold this session but differ from event ${common} on. ` +
    'Neither was imported. Import the folder of the one that is right.'
  )
}
