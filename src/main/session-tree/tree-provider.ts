import { fail, ok, type Result } from '../../shared/result.ts'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import { createBoundaryFinder } from './boundary.ts'
import { promptDraft, titleDraft } from './inbox.ts'
import { childKinds, childPlace, mainPlace } from './layout.ts'
import { createLocator } from './locator.ts'
import { createLogWriter, numbered } from './log.ts'
import { loadLog } from './log-loader.ts'
import { readPage, readWholeLine } from './log-reader.ts'
import { writeAdoptedLog, writeNewLog, type Parentage } from './new-session.ts'
import { publishSession, sessionExists } from './publish.ts'
import type { AdoptedSession, NewSession, SessionPlace, SessionTree } from './session-tree.ts'
import { scanForTitle } from './title-scan.ts'
import { createReading, type TreeReading } from './tree-reading.ts'
import { viewBelow } from './tree-view.ts'
import { allPlaces } from './tree-walk.ts'

/**
 * Opens the session tree at `root` (`<home>/session-tree`). Reads and writes nothing yet; the folder need not exist.
 * @param reading how folders and facts are read; `blockingReading` where nobody waits beside
 */
export function openSessionTree(root: string, reading: TreeReading = createReading()): SessionTree {
  const locator = createLocator(root, reading)
  const writer = createLogWriter((id) => locator.find(id))
  const findBoundary = createBoundaryFinder()

  async function at<Value>(
    id: SessionId,
    then: (place: SessionPlace) => Promise<Result<Value>>,
  ): Promise<Result<Value>> {
    const place = await locator.find(id)
    return place.ok ? then(place.value) : place
  }

  /** Where a new session goes, and what its parent says: the parent must be sound, and must be allowed such a child. */
  async function prepare(session: NewSession | AdoptedSession, id: SessionId, kind: SessionPlace['kind']) {
    const taken = await locator.taken(id)
    if (taken) return fail(sessionExists(taken))
    if (kind === 'main') return ok({ place: mainPlace(root, id), parentage: undefined })
    if (session.parent === undefined) {
      return fail(toolError('layout_mismatch', `A ${kind} needs a parent, and none was named.`, { field: 'parent' }))
    }
    const parent = await locator.find(session.parent)
    if (!parent.ok) return parent
    if (!childKinds(parent.value.kind).includes(kind)) {
      return fail(
        toolError(
          'layout_mismatch',
          `${parent.value.id} is a ${parent.value.kind} and can hold no ${kind}: only a main can.`,
          {
            field: 'parent',
            path: parent.value.directory,
          },
        ),
      )
    }
    const { header, problem } = await reading.facts(parent.value)
    if (problem) return fail(problem)
    const parentage: Parentage = { logPath: parent.value.logPath, delegationDepth: header?.delegationDepth ?? 0 }
    return ok({ place: childPlace(parent.value, kind, id), parentage })
  }

  /** Two creations of one id at once: the first to get here goes on, also where the other would stand elsewhere. */
  const underWay = new Set<SessionId>()
  async function publish(place: SessionPlace, fill: (logPath: string) => Promise<Result<void>>) {
    if (underWay.has(place.id)) return fail(sessionExists(place))
    underWay.add(place.id)
    try {
      const made = await publishSession(place, fill)
      if (!made.ok) return made
      locator.note(place)
      return ok(place)
    } finally {
      underWay.delete(place.id)
    }
  }

  return {
    root,
    async create(session, signal) {
      const prepared = await prepare(session, session.id, session.kind)
      if (!prepared.ok) return prepared
      const { place, parentage } = prepared.value
      return publish(place, (logPath) => writeNewLog(logPath, session, place, parentage, signal))
    },
    async adopt(session, signal) {
      const id = parseSessionId(session.header.id, 'id')
      if (!id.ok) return id
      const prepared = await prepare(session, id.value, session.header.kind)
      if (!prepared.ok) return prepared
      const { place } = prepared.value
      return publish(place, (logPath) => writeAdoptedLog(logPath, session, place, signal))
    },
    append: (id, events) => writer.append(id, () => ok(events)),
    appendNext: (id, drafts) => writer.append(id, (log) => ok(numbered(drafts, log.lastSeq))),
    queuePrompt: (id, text) =>
      writer.append(id, async (log) => {
        const start = (await log.inbox()).nextTurn.length
        return ok(numbered([promptDraft(text, start, Date.now())], log.lastSeq))
      }),
    rename: (id, title) => writer.append(id, (log) => ok(numbered([titleDraft(title, Date.now())], log.lastSeq))),
    locate: (id) => locator.find(id),
    places: () => allPlaces(root, reading),
    facts: async (place) => reading.facts(place),
    findTitle: scanForTitle,
    load: (id) => at(id, loadLog),
    read: (id, page) => at(id, (place) => readPage(place, page)),
    readLine: (id, offset) => at(id, (place) => readWholeLine(place, offset)),
    boundary: (id) => at(id, findBoundary),
    view: (id) => at(id, async (place) => ok(await viewBelow(place, reading))),
    mains: async () => reading.mains(root),
  }
}
