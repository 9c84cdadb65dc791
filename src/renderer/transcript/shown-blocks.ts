import type { Block } from './blocks.ts'
import type { FoldedLog } from './fold-blocks.ts'

/** What stands in the transcript: a fork's copied part is folded away behind the mark until it is asked for. */
export function shownBlocks(folded: FoldedLog, isFork: boolean, showInherited: boolean): readonly Block[] {
  if (!isFork || !folded.hasMark) return folded.own
  const mark: Block = { type: 'fork-mark', key: 'fork-mark', revision: showInherited ? 'open' : 'closed' }
  return showInherited ? [...folded.inherited, mark, ...folded.own] : [mark, ...folded.own]
}

/** The prompt that a block answers: the last one before it. */
export function promptBefore(blocks: readonly Block[], index: number): number | null {
  for (let before = Math.min(index, blocks.length - 1); before >= 0; before -= 1) {
    if (blocks[before]?.type === 'prompt') return before
  }
  return null
}
