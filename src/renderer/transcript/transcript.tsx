import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { SessionDetails, SessionSummary } from '../../shared/navigator-view.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { markSettled } from '../state/readiness.ts'
import { BlockContext } from './block-context.ts'
import { BlockList, type BlockListHandle } from './block-list.tsx'
import { foldBlocks } from './fold-blocks.ts'
import { shownBlocks } from './shown-blocks.ts'
import { EmptyTranscript, TranscriptProblem } from './transcript-states.tsx'
import { useMarkdown } from './use-markdown.ts'
import { useOpenLog } from './use-open-log.ts'
import './transcript.css'
import './blocks.css'

interface Props {
  readonly session_id: string
  readonly summary: SessionSummary | undefined
  readonly details: SessionDetails | null
  readonly detailsError: ToolError | null
}

/** What was said and done in a session, opened at its end, following while it grows. */
export function Transcript({ session_id, summary, details, detailsError }: Props) {
  const list = useRef<BlockListHandle | null>(null)
  const follows = useRef(() => list.current?.isAtEnd() ?? true)
  const { state, log } = useOpenLog(session_id, follows)
  const Markdown = useMarkdown()
  const [showInherited, setShowInherited] = useState(false)
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const fold = useCallback((key: string) => {
    setUnfolded((before) => {
      const next = new Set(before)
      if (!next.delete(key)) next.add(key)
      return next
    })
  }, [])

  const { window } = state
  const isFork = summary?.kind === 'fork'
  const seedBytes = details?.seedBytes
  const seedLength = details?.seedLength
  const running = summary?.status === 'running'
  const cwd = summary?.cwd
  const createdAt = summary?.created_at
  const folded = useMemo(
    () =>
      window
        ? foldBlocks({
            lines: window.lines,
            atStart: window.atStart,
            atEnd: window.atEnd,
            isFork,
            running,
            ...(seedBytes !== undefined && { seedBytes }),
            ...(seedLength !== undefined && { seedLength }),
            ...(cwd !== undefined && { cwd }),
            ...(createdAt !== undefined && { createdAt }),
          })
        : null,
    [window, isFork, running, seedBytes, seedLength, cwd, createdAt],
  )
  const blocks = useMemo(
    () => (folded ? shownBlocks(folded, isFork, showInherited) : []),
    [folded, isFork, showInherited],
  )

  // A fork's lines cannot be told apart before its details say where its own part begins.
  const isReady = window !== null && Markdown !== null && (details !== null || detailsError !== null)
  const problem = state.phase === 'failed' ? state.error : null
  useEffect(() => {
    if (isReady || problem) markSettled()
  }, [isReady, problem])

  const context = useMemo(
    (): BlockContext | null =>
      Markdown && {
        session_id,
        summary,
        details,
        Markdown,
        unfolded,
        fold,
        showInherited,
        setShowInherited,
      },
    [session_id, summary, details, Markdown, unfolded, fold, showInherited],
  )

  if (problem) return <TranscriptProblem session_id={session_id} summary={summary} details={details} error={problem} />
  if (!isReady || !context) return <div className="transcript" aria-busy="true" />
  // A header that is cut is a line that is not finished, too: what is the matter with it says more.
  const isOdd = summary?.problem !== undefined
  const said = blocks.filter((block) => block.type !== 'begin' && !(isOdd && block.type === 'unfinished'))
  if (said.length === 0 && window.atStart)
    return <EmptyTranscript session_id={session_id} summary={summary} details={details} />
  return (
    <BlockContext value={context}>
      <BlockList
        ref={list}
        blocks={blocks}
        canGoBack={!window.atStart && !(folded?.hasMark === true && isFork && !showInherited)}
        canGoOn={!window.atEnd}
        earlier={() => void log.current?.earlier()}
        later={() => void log.current?.later()}
        toEnd={async () => {
          await log.current?.toEnd()
        }}
        error={state.error}
      />
    </BlockContext>
  )
}
