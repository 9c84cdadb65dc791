import { fail, ok, type Result } from '../../shared/result.ts'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import { findBoundary } from './boundary.ts'
import { readFacts } from './facts.ts'
import { promptDraft, titleDraft } from './inbox.ts'
import { waitingPrompts } from './inbox-scan.ts'
import { childKinds, childPlace, mainPlace } from './layout.ts'
import { createLimit } from './limit.ts'
import { createLogWriter, numbered } from './log.ts'
import { loadLog } from './log-loader.ts'
import { readPage, readWholeLine } from './log-reader.ts'
import { writeAdoptedLog, writeNewLog, type Parentage } from './new-session.ts'
import { publishSession } from './publish.ts'
import type { AdoptedSession, NewSession, SessionFacts, SessionPlace, SessionTree } from './session-tree.ts'
import { scanForTitle } from './title-scan.ts'
import { viewBelow } from './tree-view.ts'
import { allPlaces, createLocator, mainPlaces } from './tree-walk.ts'

/** As many logs are looked at at once; more would only wait for the thread pool. */
const CONCURRENCY = 32

/** Opens the session tree at `root` (`<home>/session-tree`). Reads and writes nothing yet; the folder need not exist. */
export function openSessionTree(root: string): SessionTree {
  const writer = createLogWriter()
  const locate = createLocator(root)
  const limit = createLimit(CONCURRENCY)
  const facts = (place: SessionPlace): Promise<SessionFacts> => limit(() => readFacts(place))

  async function at<Value>(
    id: SessionId,
    then: (place: SessionPlace) => Promise<Result<Value>>,
  ): Promise<Result<Value>> {
    const place = await locate(id)
    return place.ok ? then(place.value) : place
  }

  /** Where a new session goes, and what its parent says: the parent must be sound, and must be allowed such a child. */
  async function prepare(session: NewSession | AdoptedSession, id: SessionId, kind: SessionPlace['kind']) {
    const taken = await locate(id)
    if (taken.ok) {
      const { directory } = taken.value
      return fail(
        toolError('session_exists', `The session ${id} is there already, at ${directory}.`, { path: directory }),
      )
    }
    if (taken.error.code !== 'unknown_session') return taken
    if (kind === 'main') return ok({ place: mainPlace(root, id), parentage: undefined })
    if (session.parent === undefined) {
      return fail(toolError('layout_mismatch', `A ${kind} needs a parent, and none was named.`, { field: 'parent' }))
    }
    const parent = await locate(session.parent)
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
    const { header, problem } = await facts(parent.value)
    if (problem) return fail(problem)
    const parentage: Parentage = { logPath: parent.value.logPath, delegationDepth: header?.delegationDepth ?? 0 }
    return ok({ place: childPlace(parent.value, kind, id), parentage })
  }

  return {
    root,
    async create(session, signal) {
      const prepared = await prepare(session, session.id, session.kind)
      if (!prepared.ok) return prepared
      const { place, parentage } = prepared.value
      const made = await publishSession(place, (logPath) => writeNewLog(logPath, session, place, parentage, signal))
      return made.ok ? ok(place) : made
    },
    async adopt(session, signal) {
      const id = parseSessionId(session.header.id, 'id')
      if (!id.ok) return id
      const prepared = await prepare(session, id.value, session.header.kind)
      if (!prepared.ok) return prepared
      const { place } = prepared.value
      const made = await publishSession(place, (logPath) => writeAdoptedLog(logPath, session, place, signal))
      return made.ok ? ok(place) : made
    },
    append: (id, events) => at(id, (place) => writer.append(place, () => ok(events))),
    appendNext: (id, drafts) => at(id, (place) => writer.append(place, (log) => ok(numbered(drafts, log.lastSeq)))),
    queuePrompt: (id, text) =>
      at(id, (place) =>
        writer.append(place, async (log) => {
          const start = await waitingPrompts(log)
          return ok(numbered([promptDraft(text, start, Date.now())], log.lastSeq))
        }),
      ),
    rename: (id, title) =>
      at(id, (place) => writer.append(place, (log) => ok(numbered([titleDraft(title, Date.now())], log.lastSeq)))),
    locate,
    places: () => allPlaces(root),
    facts,
    findTitle: scanForTitle,
    load: (id) => at(id, loadLog),
    read: (id, page) => at(id, (place) => readPage(place, page)),
    readLine: (id, offset) => at(id, (place) => readWholeLine(place, offset)),
    boundary: (id) => at(id, findBoundary),
    view: (id) => at(id, async (place) => ok(await viewBelow(place, facts))),
    mains: () => mainPlaces(root),
  }
}
