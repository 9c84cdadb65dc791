import type { BudgetView } from '../../shared/bridge.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { Budgets } from '../agents/budget.ts'
import type { SessionReader, SessionReading } from '../agents/session-reader.ts'
import type { SessionPlace } from '../session-tree/session-tree.ts'
import { childPlaces } from '../session-tree/tree-reading.ts'

interface BudgetSources {
  readonly reader: SessionReader
  readonly budgets: Pick<Budgets, 'envelope'>
  /** What a person calls a session. */
  readonly nameOf: (id: SessionId) => Promise<string>
}

/** The limit that holds for a session, from the logs as they are now; undefined where none does or its log cannot be read. */
export async function readBudgetView(
  { reader, budgets, nameOf }: BudgetSources,
  place: SessionPlace,
): Promise<BudgetView | undefined> {
  const owner = await nearestLimit(reader, place)
  const limit = owner?.state.limit
  if (!owner || limit === undefined) return undefined
  const envelope = await budgets.envelope(owner.place)
  if (!envelope.ok) return undefined
  const below = await readBelow(reader, owner.place)
  const name = await nameOf(owner.place.id)
  return {
    limit,
    spent: envelope.value.spent,
    owner: { session_id: owner.place.id, name },
    ...below,
    rejected_raises: owner.state.rejectedRaises.map(({ asked, time }) => ({ asked, time })).toReversed(),
  }
}

async function nearestLimit(reader: SessionReader, place: SessionPlace): Promise<SessionReading | undefined> {
  for (const id of [place.id, ...place.ancestors.toReversed()]) {
    const reading = await reader.read(id)
    if (reading.ok && reading.value.state.limit !== undefined) return reading.value
  }
  return undefined
}

/** What was given stands in each child's own limit; below such a child it is the child's to give. */
async function readBelow(reader: SessionReader, place: SessionPlace): Promise<Pick<BudgetView, 'sharers' | 'given'>> {
  let sharers = 0
  let given = 0
  for (const child of await childPlaces(place)) {
    const reading = await reader.read(child.id)
    const below = await readBelow(reader, child)
    sharers += 1 + below.sharers
    given += (reading.ok ? reading.value.state.limit : undefined) ?? below.given
  }
  return { sharers, given }
}
