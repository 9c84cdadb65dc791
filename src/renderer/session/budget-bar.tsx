import type { Budget } from '../../shared/bridge.ts'
import { grouped } from '../ui/numbers.ts'
import { tokenCount } from './work-words.ts'

/** What a session and everything below it has spent of what it may spend. */
export function BudgetBar({ budget: { limit, spent } }: { readonly budget: Budget }) {
  const words = `${tokenCount(spent)} of ${tokenCount(limit)}`
  return (
    <span className="budget" title={`${grouped(spent)} of ${grouped(limit)} tokens spent, subagents included`}>
      <span
        className="budget-bar"
        role="meter"
        aria-label="Budget"
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(spent, limit)}
        aria-valuetext={`${words} tokens`}
      >
        <span style={{ width: `${Math.min(100, (spent / Math.max(1, limit)) * 100)}%` }} />
      </span>
      {words}
    </span>
  )
}
