import { createContext, use } from 'react'
import type { SessionDetails, SessionSummary } from '../../shared/navigator-view.ts'
import type { Markdown } from './markdown.tsx'

/** What the blocks of one transcript share. */
export interface BlockContext {
  readonly session_id: string
  readonly summary: SessionSummary | undefined
  readonly details: SessionDetails | null
  readonly Markdown: typeof Markdown
  /** Which folded blocks the person has opened, by key: they stay open when they are scrolled away and back. */
  readonly unfolded: ReadonlySet<string>
  readonly fold: (key: string) => void
  readonly showInherited: boolean
  readonly setShowInherited: (show: boolean) => void
}

export const BlockContext = createContext<BlockContext | null>(null)

/** For the blocks of a transcript only. */
export function useBlockContext(): BlockContext {
  const context = use(BlockContext)
  if (!context) throw new Error('A block was drawn outside a transcript.')
  return context
}

/** Whether a folded block is open, and how to change that. */
export function useFold(key: string): readonly [isOpen: boolean, toggle: () => void] {
  const { unfolded, fold } = useBlockContext()
  return [
    unfolded.has(key),
    () => {
      fold(key)
    },
  ]
}
