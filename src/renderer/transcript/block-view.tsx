import { memo } from 'react'
import { assertNever } from '../../shared/result.ts'
import type { Block } from './blocks.ts'
import { AnswerView, ContextView, PromptView, ReasoningView, WaitingView } from './message-views.tsx'
import { BadView, BeginView, EventView, NoteView, TodosView, UnfinishedView } from './record-views.tsx'
import { ForkMarkView } from './fork-mark-view.tsx'
import { ToolView } from './tool-view.tsx'

/** One block; drawn again only when its key or revision changes. */
export const BlockView = memo(
  ({ block }: { readonly block: Block }) => drawBlock(block),
  (before, after) => before.block.key === after.block.key && before.block.revision === after.block.revision,
)

function drawBlock(block: Block) {
  switch (block.type) {
    case 'begin':
      return <BeginView block={block} />
    case 'prompt':
      return <PromptView block={block} />
    case 'context':
      return <ContextView block={block} />
    case 'answer':
      return <AnswerView block={block} />
    case 'reasoning':
      return <ReasoningView block={block} />
    case 'tool':
      return <ToolView block={block} />
    case 'note':
      return <NoteView block={block} />
    case 'todos':
      return <TodosView block={block} />
    case 'event':
      return <EventView block={block} />
    case 'bad':
      return <BadView block={block} />
    case 'unfinished':
      return <UnfinishedView block={block} />
    case 'waiting':
      return <WaitingView block={block} />
    case 'fork-mark':
      return <ForkMarkView />
    default:
      return assertNever(block)
  }
}

/** Before a block is measured: near enough that the scrollbar does not jump. Pixels. */
export function estimateHeight(block: Block | undefined): number {
  switch (block?.type) {
    case 'prompt':
    case 'waiting':
      return 60 + 20 * Math.min(12, Math.floor(block.text.length / 90))
    case 'answer':
      return 30 + 21 * Math.ceil(block.text.length / 85)
    case 'tool':
      return 36
    case 'todos':
      return 40 + 22 * block.todos.length
    case 'bad':
      return 96
    default:
      return 32
  }
}
