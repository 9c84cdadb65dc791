import type { BudgetView } from '../../shared/agent-view.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { Budgets } from '../agents/budget.ts'
import type { SessionReader } from '../agents/session-reader.ts'
import type { SessionPlace } from '../session-tree/session-tree.ts'

interface BudgetSources {
  readonly reader: SessionReader
  readonly budgets: Pick<Budgets, 'holding'>
  /** What a person calls a session. */
  readonly nameOf: (id: SessionId) => Promise<string>
}

/** The limit that holds for a session, from the logs as they are now; undefined where none does or its log cannot be read. */
export async function readBudgetView(
  { reader, budgets, nameOf }: BudgetSources,
  place: SessionPlace,
): Promise<BudgetView | undefined> {
  const holding = await budgets.holding(place)
  if (!holding.ok || !holding.value) return undefined
  const { owner, ...numbers } = holding.value
  const reading = await reader.read(owner.id)
  if (!reading.ok) return undefined
  return {
    ...numbers,
    owner: { session_id: owner.id, name: await nameOf(owner.id) },
    rejected_raises: reading.value.state.rejectedRaises.map(({ asked, time }) => ({ asked, time })).toReversed(),
  }
}
