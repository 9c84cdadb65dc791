import type { ImportProgress, ImportReport } from '../../shared/bridge.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { SessionPlace, SessionTree } from '../session-tree/session-tree.ts'
import { chooseCopies } from './choose-copies.ts'
import { adoptSession, checkSession, extendSession } from './import-one.ts'
import type { Outcome } from './import-outcome.ts'
import { parentsFirst, placeSession, type Standing } from './placement.ts'
import { safeSessionId } from './safe-id.ts'
import type { ForeignSession, SessionSource } from './source.ts'

export interface ImportOptions {
  readonly tree: SessionTree
  readonly folders: readonly string[]
  /** Reads everything and writes nothing: the report says what an import would do. */
  readonly dryRun?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined
}

type Told = { session: string; message: string }

/** Progress crosses to the window: no faster than eyes follow. */
const PROGRESS_EVERY_MS = 50

/**
 * Brings a source's sessions into the tree, parents before their children (issue 2 F). The source is only read. What is in
 * the tree already is extended where the source went on, and else left as it is; so a second run brings only what is new. One bad session is
 * told and the rest come in. Cancelling leaves whole sessions only.
 */
export async function importSessions(source: SessionSource, options: ImportOptions): Promise<ImportReport> {
  const { tree, folders, dryRun = false, signal } = options
  const report = {
    found: 0,
    imported: 0,
    extended: 0,
    unchanged: 0,
    diverged: [] as Told[],
    failed: [] as Told[],
    legacyRoots: [] as Told[],
    cancelled: false,
  }
  const found: ForeignSession[] = []
  for await (const each of source.find(folders, signal)) {
    if (each.kind === 'session') found.push(each.session)
    else report.failed.push({ session: each.name, message: each.error.message })
  }
  const chosen = await chooseCopies(found, signal)
  report.failed.push(...chosen.refused)
  report.found = chosen.sessions.length + report.failed.length

  const known = await standingsIn(tree)
  const say = progressTo(options.onProgress, source.label, chosen.sessions.length)
  for (const [done, session] of parentsFirst(chosen.sessions).entries()) {
    if (signal?.aborted) break
    say(done)
    const { id } = safeSessionId(session.id)
    let outcome: Outcome
    if (known.inTree(id)) {
      outcome = await extendSession(tree, id, session, { dryRun, signal })
    } else {
      const placement = placeSession(session, known.standingOf)
      outcome = dryRun ? await checkSession(session, signal) : await adoptSession(tree, session, placement, signal)
      if (outcome.kind === 'imported') {
        known.add(id, placement.standing)
        const { legacy, kind } = placement.header
        if (legacy && kind === 'main' && session.parent !== undefined) {
          report.legacyRoots.push({ session: id, message: `Imported as a main: ${legacy.reason}.` })
        }
      }
    }
    count(report, session.id, outcome)
    if (outcome.kind === 'cancelled') break
  }
  report.cancelled ||= signal?.aborted === true
  if (!report.cancelled) say(chosen.sessions.length)
  return report
}

function count(
  report: {
    imported: number
    extended: number
    unchanged: number
    cancelled: boolean
    readonly diverged: Told[]
    readonly failed: Told[]
  },
  session: string,
  outcome: Outcome,
): void {
  switch (outcome.kind) {
    case 'imported':
    case 'extended':
    case 'unchanged':
      report[outcome.kind] += 1
      return
    case 'cancelled':
      report.cancelled = true
      return
    case 'diverged':
    case 'failed':
      report[outcome.kind].push({ session, message: outcome.message })
  }
}

/** What every session in the tree is to its children, by the layout alone; grows with what is imported. */
async function standingsIn(tree: SessionTree): Promise<{
  readonly inTree: (id: SessionId) => boolean
  readonly standingOf: (id: SessionId) => Standing | undefined
  readonly add: (id: SessionId, standing: Standing) => void
}> {
  const places = new Map<SessionId, SessionPlace>()
  for await (const place of tree.places()) places.set(place.id, place)
  const imported = new Map<SessionId, Standing>()
  const depthOf = (place: SessionPlace): number => {
    const parent = places.get(place.ancestors.at(-1) ?? place.id)
    return place.kind === 'subagent' && parent ? depthOf(parent) + 1 : 0
  }
  return {
    inTree: (id) => places.has(id),
    standingOf(id) {
      const place = places.get(id)
      if (!place) return imported.get(id)
      return { kind: place.kind, root: place.ancestors[0] ?? place.id, depth: depthOf(place) }
    },
    add: (id, standing) => void imported.set(id, standing),
  }
}

function progressTo(listener: ImportOptions['onProgress'], label: string, total: number): (done: number) => void {
  let said = -Infinity
  return (done) => {
    const now = performance.now()
    if (!listener || (done < total && now - said < PROGRESS_EVERY_MS)) return
    said = now
    const sentence = done < total ? `Importing ${label} session ${done + 1} of ${total}` : `Looked at ${total} sessions`
    listener({ done, total, sentence })
  }
}
