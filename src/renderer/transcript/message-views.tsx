import { counted } from '../ui/numbers.ts'
import { ChevronRight, Hourglass } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { withdrawMessage } from '../state/actions.ts'
import { fullTime } from '../ui/time.ts'
import { cleanTitle, cutTitle } from '../ui/title.ts'
import { useBlockContext, useFold } from './block-context.ts'
import type { AnswerBlock, ContextBlock, PromptBlock, ReasoningBlock, WaitingBlock } from './blocks.ts'
import { CutNote } from './cut-note.tsx'

/** What was asked. */
export function PromptView({ block }: { readonly block: PromptBlock }) {
  return (
    <Prompt title={fullTime(block.time)}>
      <LongText text={block.text} />
      {block.images > 0 ? (
        <p className="small">{block.images === 1 ? '1 image' : `${block.images} images`}, kept outside the log</p>
      ) : null}
      <CutNote cut={block.cut} />
    </Prompt>
  )
}

/** A prompt that no agent has taken yet. */
export function WaitingView({ block }: { readonly block: WaitingBlock }) {
  const { session_id } = useBlockContext()
  return (
    <Prompt isWaiting>
      <LongText text={block.text} />
      <p className="waiting-note small">
        <Hourglass size={12} aria-hidden />
        Waiting in the inbox
        <button type="button" className="link" onClick={() => void withdrawMessage(session_id, block.id)}>
          Withdraw
        </button>
      </p>
    </Prompt>
  )
}

/** Whose prompt it is: a person's, or in a subagent its parent's. */
export function PromptWho() {
  const { summary } = useBlockContext()
  return <span className="prompt-who">{summary?.kind === 'subagent' ? 'Task' : 'You'}</span>
}

function Prompt(props: { readonly title?: string; readonly isWaiting?: boolean; readonly children: ReactNode }) {
  return (
    <div className="block-prompt" data-waiting={props.isWaiting || undefined} title={props.title}>
      <PromptWho />
      <div className="prompt-words">{props.children}</div>
    </div>
  )
}

/** Lines and letters of a prompt that are shown at once. */
const MOST_LINES = 14
const MOST_LETTERS = 1400

function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false)
  const lines = text.split('\n')
  const isLong = lines.length > MOST_LINES || text.length > MOST_LETTERS
  if (!isLong || isWhole) return <p className="plain-text selectable">{text}</p>
  return (
    <>
      <p className="plain-text selectable">{cutTitle(lines.slice(0, MOST_LINES).join('\n'), MOST_LETTERS)}</p>
      <button
        type="button"
        className="link show-all"
        onClick={() => {
          setWhole(true)
        }}
      >
        Show all {lines.length > MOST_LINES ? counted(lines.length, 'line') : 'of it'}
      </button>
    </>
  )
}

/** What the model said. */
export function AnswerView({ block }: { readonly block: AnswerBlock }) {
  const { Markdown } = useBlockContext()
  return (
    <div className="block-answer selectable">
      <Markdown text={block.text} />
      {block.partial ? <p className="small">The answer ends here: it was cut off while it was being written.</p> : null}
      <CutNote cut={block.cut} />
    </div>
  )
}

/** What the model thought, folded. */
export function ReasoningView({ block }: { readonly block: ReasoningBlock }) {
  return (
    <Folded id={block.key} label="Reasoning" gist={block.text}>
      <p className="plain-text selectable">{block.text}</p>
    </Folded>
  )
}

/** Context that no person typed, folded. */
export function ContextView({ block }: { readonly block: ContextBlock }) {
  return (
    <Folded id={block.key} label={block.label} gist={block.text}>
      <p className="plain-text selectable">{block.text}</p>
      <CutNote cut={block.cut} />
    </Folded>
  )
}

function Folded(props: {
  readonly id: string
  readonly label: string
  readonly gist: string
  readonly children: ReactNode
}) {
  const [isOpen, toggle] = useFold(props.id)
  return (
    <div className="block-folded">
      <button type="button" className="fold-line" aria-expanded={isOpen} onClick={toggle}>
        <ChevronRight size={14} aria-hidden />
        <span className="fold-label">{props.label}</span>
        {isOpen ? null : (
          <bdi className="title fold-gist">{cutTitle(cleanTitle(props.gist.slice(0, 600)) ?? '', 240)}</bdi>
        )}
      </button>
      {isOpen ? <div className="fold-body">{props.children}</div> : null}
    </div>
  )
}
