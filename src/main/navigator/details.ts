import type { SessionDetails, SessionSummary, SubagentSummary } from '../../shared/navigator-view.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { asRecord } from '../session-tree/event.ts'
import type { LogLine, SessionFacts, SessionTree } from '../session-tree/session-tree.ts'
import { asksSomething, statusNow, type LiveAgents } from './live-agents.ts'
import type { Entry, SessionIndex } from './session-index.ts'
import { sessionName } from './session-name.ts'

/** How many lines of each end of a log are looked at for the model: enough for the last turns, a few milliseconds. */
const LOOKED_AT = 200

/**
 * The head of an open session: where it stands, what it was forked from, which model it last spoke with, what runs
 * below it. Reads at most three pages of the log.
 */
export async function detailsOf(
  { place, facts }: Entry,
  summary: SessionSummary,
  index: SessionIndex,
  tree: Pick<SessionTree, 'read'>,
  agents: LiveAgents,
): Promise<SessionDetails> {
  const { header, file } = facts
  const [model, forkedFrom] = await Promise.all([
    header ? lastModel(place.id, tree) : undefined,
    place.kind === 'fork' ? origin(facts, index, tree) : undefined,
  ])
  const live = agents.status(place.id)
  const trouble = agents.trouble(place.id)
  return {
    summary,
    session_path: place.logPath,
    size: file?.size ?? 0,
    ...(header?.seedLength === undefined ? {} : { seedLength: header.seedLength }),
    ...(header?.seedBytes === undefined ? {} : { seedBytes: header.seedBytes }),
    ...(model === undefined ? {} : { model }),
    breadcrumb: [...place.ancestors, place.id].map((id) => crumb(id, index)),
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    subagents: subagentTree(place.id, index, agents),
    ...(live && { live }),
    ...(trouble && { trouble: trouble.message }),
  }
}

function crumb(id: SessionId, index: SessionIndex): SessionDetails['breadcrumb'][number] {
  const entry = index.get(id)
  // An ancestor's folder is there, since its child stands in it; its log may not have been looked at yet.
  return entry
    ? { session_id: id, kind: entry.place.kind, name: sessionName(entry.facts) }
    : { session_id: id, kind: 'main', name: `Session ${id.slice(-6)}` }
}

/** Latest activity first, then by id, so that equal times do not dance (field fault F26). */
function subagentTree(id: SessionId, index: SessionIndex, agents: LiveAgents): readonly SubagentSummary[] {
  const list = index.children(id, 'subagent').map(({ place, facts }) => {
    const live = agents.status(place.id)
    return {
      session_id: place.id,
      name: sessionName(facts),
      status: statusNow(facts, live),
      ...(asksSomething(live) && { needs_you: true }),
      ...(live?.state === 'queued' && { queued: true }),
      ...(facts.header === undefined ? {} : { created_at: facts.header.createdAt }),
      ...(facts.problem === undefined ? {} : { problem: facts.problem.message }),
      ...(facts.updatedAt === undefined ? {} : { updated_at: facts.updatedAt }),
      subagents: subagentTree(place.id, index, agents),
    }
  })
  return list.toSorted((left, right) => (right.updated_at ?? 0) - (left.updated_at ?? 0))
}

async function origin(
  facts: SessionFacts,
  index: SessionIndex,
  tree: Pick<SessionTree, 'read'>,
): Promise<SessionDetails['forkedFrom']> {
  const parent = facts.place.ancestors.at(-1)
  if (parent === undefined) return undefined
  const entry = index.get(parent)
  const name = entry ? sessionName(entry.facts) : `Session ${parent.slice(-6)}`
  const step = await lastSeedStep(facts, tree)
  return { session_id: parent, name, ...step }
}

/** The step a fork's copied part ends with: the last `step/end` before its own part. */
async function lastSeedStep(
  { header, place }: SessionFacts,
  tree: Pick<SessionTree, 'read'>,
): Promise<{ turn?: number; step?: number }> {
  const { seedLength = 0, seedBytes } = header ?? {}
  if (seedLength === 0 || seedBytes === undefined) return {}
  const page = await tree.read(place.id, { before: seedBytes, lines: LOOKED_AT })
  if (!page.ok) return {}
  for (const line of page.value.lines.toReversed()) {
    if (line.kind !== 'event' || (line.event.type !== 'step/end' && line.event.type !== 'turn/end')) continue
    const { turn, step } = asRecord(line.event.data) ?? {}
    if (line.event.type === 'step/end' && typeof turn === 'number' && typeof step === 'number') return { turn, step }
  }
  return {}
}

async function lastModel(id: SessionId, tree: Pick<SessionTree, 'read'>): Promise<string | undefined> {
  const tail = await tree.read(id, { lines: LOOKED_AT })
  if (!tail.ok) return undefined
  const late = modelIn(tail.value.lines)
  if (late !== undefined || tail.value.atStart) return late
  const head = await tree.read(id, { after: 0, lines: LOOKED_AT })
  return head.ok ? modelIn(head.value.lines) : undefined
}

/** The last model that a request was made with, an answer came from, or that was asked for when the session was made. */
function modelIn(lines: readonly LogLine[]): string | undefined {
  for (const line of lines.toReversed()) {
    const model = line.kind === 'event' ? modelOf(line.event.type, asRecord(line.event.data) ?? {}) : undefined
    if (model !== undefined) return model
  }
  return undefined
}

function modelOf(type: string, data: Readonly<Record<string, unknown>>): string | undefined {
  switch (type) {
    case 'request/header':
      return named(asRecord(data['header'])?.['config'])
    case 'request/context':
    case 'session-tree/model':
      return named(data)
    case 'assistant/message':
      return named(asRecord(data['message'])?.['source'])
    default:
      return undefined
  }
}

function named(value: unknown): string | undefined {
  const model = asRecord(value)?.['model']
  return typeof model === 'string' && model.trim() !== '' ? model : undefined
}
