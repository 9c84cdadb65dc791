import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, TriangleAlert } from 'lucide-react'
import { useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef, type Ref } from 'react'
import type { ToolError } from '../../shared/tool-error.ts'
import { cleanTitle, cutTitle } from '../ui/title.ts'
import { BlockView, estimateHeight } from './block-view.tsx'
import { PromptWho } from './message-views.tsx'
import type { Block } from './blocks.ts'
import { promptBefore } from './shown-blocks.ts'

export interface BlockListHandle {
  readonly isAtEnd: () => boolean
}

interface Props {
  readonly ref: Ref<BlockListHandle>
  readonly blocks: readonly Block[]
  readonly canGoBack: boolean
  readonly canGoOn: boolean
  readonly earlier: () => void
  readonly later: () => void
  readonly toEnd: () => Promise<void>
  /** Why the log could not be read on, while what was read is still shown. */
  readonly error: ToolError | null
}

/** Within this many pixels the person is looking at the end, and growth is followed. */
const NEAR_END = 60
/** Pages are asked for this many pixels before their place comes into view. */
const AHEAD = 1200
/** Pages may hold nothing to show; so many are read on their own before the person has to scroll for more. */
const MOST_UNASKED = 12

/** The blocks, some twenty of them in the document; heights are measured, places kept when pages come in before. */
export function BlockList({ ref, blocks, canGoBack, canGoOn, earlier, later, toEnd, error }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const unasked = useRef(0)
  // oxlint-disable-next-line react/incompatible-library -- the React Compiler, which it would confuse, is not used
  const virtualizer = useVirtualizer({
    count: blocks.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimateHeight(blocks[index]),
    getItemKey: useCallback((index: number) => blocks[index]?.key ?? index, [blocks]),
    overscan: 3,
    paddingStart: 16,
    paddingEnd: 20,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: NEAR_END,
  })
  useImperativeHandle(ref, () => ({ isAtEnd: () => virtualizer.isAtEnd(NEAR_END) }), [virtualizer])

  const hasOpened = useRef(false)
  useLayoutEffect(() => {
    if (hasOpened.current || blocks.length === 0) return
    hasOpened.current = true
    virtualizer.scrollToEnd()
  }, [blocks, virtualizer])

  // While blocks grow at its end the virtualizer believes to have scrolled, also where there is nothing to scroll.
  const furthest = virtualizer.getTotalSize() - (virtualizer.scrollRect?.height ?? 0)
  const offset = Math.max(0, Math.min(virtualizer.scrollOffset ?? 0, furthest))
  const fromEnd = virtualizer.getDistanceFromEnd()
  useEffect(() => {
    if (unasked.current >= MOST_UNASKED) return
    if (canGoBack && offset < AHEAD) {
      unasked.current += 1
      earlier()
    } else if (canGoOn && fromEnd < AHEAD) {
      unasked.current += 1
      later()
    }
  })

  const goToEnd = async (): Promise<void> => {
    unasked.current = 0
    if (canGoOn) await toEnd()
    virtualizer.scrollToEnd()
  }

  const first = virtualizer.getVirtualItemForOffset(offset + 4)
  const promptIndex = first === undefined ? null : promptBefore(blocks, first.index)
  const items = virtualizer.getVirtualItems()
  return (
    <div className="transcript">
      {promptIndex === null || promptIndex === first?.index ? null : (
        <StickyPrompt
          block={blocks[promptIndex]}
          show={() => {
            virtualizer.scrollToIndex(promptIndex, { align: 'start' })
          }}
        />
      )}
      <div
        className="transcript-scroller"
        ref={scroller}
        role="region"
        aria-label="Transcript"
        tabIndex={0}
        onWheel={() => {
          unasked.current = 0
        }}
        onKeyDown={() => {
          unasked.current = 0
        }}
        onPointerDown={() => {
          unasked.current = 0
        }}
      >
        <div className="transcript-blocks" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const block = blocks[index]
            return block ? (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className="block"
                style={{ transform: `translateY(${start}px)` }}
              >
                <BlockView block={block} />
              </div>
            ) : null
          })}
        </div>
      </div>
      {error ? (
        <p className="transcript-error">
          <TriangleAlert size={14} aria-hidden />
          {error.message}
        </p>
      ) : null}
      {canGoOn || fromEnd > 400 ? (
        <button type="button" className="button to-end" onClick={() => void goToEnd()}>
          <ArrowDown size={14} aria-hidden />
          To the end
        </button>
      ) : null}
    </div>
  )
}

/** The prompt that what is in view answers. */
function StickyPrompt({ block, show }: { readonly block: Block | undefined; readonly show: () => void }) {
  if (block?.type !== 'prompt') return null
  return (
    <div className="sticky-prompt">
      <button type="button" className="sticky-prompt-line" title="Go to this prompt" onClick={show}>
        <PromptWho />
        <bdi className="title">{cutTitle(cleanTitle(block.text.slice(0, 600)) ?? '', 300)}</bdi>
      </button>
    </div>
  )
}
