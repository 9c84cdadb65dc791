import type { BudgetView } from '../../shared/agent-view.ts'
import { counted } from '../ui/numbers.ts'

/** How much of a limit is spent: 0 to 1. */
export function spentShare({ spent, limit }: Pick<BudgetView, 'spent' | 'limit'>): number {
  return Math.min(1, spent / Math.max(1, limit))
}

/** 12%; never 0% for something, nor 100% for less than all. */
export function percentWords(budget: Pick<BudgetView, 'spent' | 'limit'>): string {
  const percent = Math.floor(spentShare(budget) * 100)
  return percent === 0 && budget.spent > 0 ? 'less than 1%' : `${percent}%`
}

/** Whether a session may go on: at its limit it is stopped, and nothing more is run. */
export function isUsedUp({ spent, limit }: Pick<BudgetView, 'spent' | 'limit'>): boolean {
  return spent >= limit
}

/** Who spends from a session's own budget. */
export function sharedWords({ sharers }: Pick<BudgetView, 'sharers'>): string {
  if (sharers === 0) return 'Only this session spends from it. What it creates will share it.'
  return sharers === 1
    ? 'Shared with the one session below it.'
    : `Shared with the ${counted(sharers, 'session')} below it, forks and subagents alike.`
}

/** A limit as it was typed, with or without separators; undefined where it is no whole number of tokens. */
export function typedLimit(typed: string): number | undefined {
  const isNumber = /^\d+$|^\d{1,3}(?:[\s,._']\d{3})+$/.test(typed.trim())
  const limit = isNumber ? Number(typed.replaceAll(/\D/g, '')) : 0
  return Number.isSafeInteger(limit) && limit > 0 ? limit : undefined
}
