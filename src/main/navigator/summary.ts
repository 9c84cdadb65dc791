import type { SessionSummary, UnreadableSession } from '../../shared/navigator-view.ts'
import type { FolderFacts } from './folder-knowledge.ts'
import { asksSomething, statusNow, type LiveAgents } from './live-agents.ts'
import type { Entry, SessionIndex } from './session-index.ts'
import { rowPrompt } from './session-name.ts'

/** A session as the window gets it. Kind and lineage are the layout's, as everywhere (design §4). */
export function summaryOf(
  { place, facts }: Entry,
  folder: FolderFacts,
  index: SessionIndex,
  agents: Pick<LiveAgents, 'status'>,
): SessionSummary {
  const { header, problem, title, updatedAt, waiting } = facts
  const live = agents.status(place.id)
  const prompt = rowPrompt(facts)
  const parent = place.ancestors.at(-1)
  return {
    session_id: place.id,
    kind: place.kind,
    ...(parent === undefined ? {} : { parent_session_id: parent }),
    root_session_id: place.ancestors[0] ?? place.id,
    ...(title === undefined ? {} : { title }),
    ...(prompt === undefined ? {} : { prompt }),
    status: statusNow(facts, live),
    ...(header === undefined ? {} : { created_at: header.createdAt }),
    ...(updatedAt === undefined ? {} : { updated_at: updatedAt }),
    ...(header?.cwd === undefined ? {} : { cwd: header.cwd }),
    ...(header?.worktree === undefined ? {} : { worktree: header.worktree }),
    ...(problem === undefined ? {} : { problem }),
    ...(folder.warning === undefined ? {} : { warning: folder.warning }),
    group: folder.group,
    subagents: index.subagents(place.id),
    waiting,
    ...(asksSomething(live) && { needs_you: true }),
    ...(live?.state === 'queued' && { queued: true }),
  }
}

/** The odd sessions that have no row to show their reason in, by path. */
export function unreadableOf(index: SessionIndex): readonly UnreadableSession[] {
  const list: UnreadableSession[] = []
  for (const { place, facts } of index.all()) {
    if (place.kind !== 'subagent' || facts.problem === undefined) continue
    list.push({ session_id: place.id, path: place.logPath, message: facts.problem.message })
  }
  return list.toSorted((left, right) => (left.path < right.path ? -1 : 1))
}
