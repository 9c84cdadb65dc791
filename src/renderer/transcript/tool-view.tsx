import { counted, grouped } from '../ui/numbers.ts'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { openLogInEditor } from '../state/actions.ts'
import { StateMark } from '../ui/state-mark.tsx'
import { useBlockContext, useFold } from './block-context.ts'
import type { FileDiff, ToolBlock } from './blocks.ts'
import { CutNote } from './cut-note.tsx'

/** A call and its result in one line; the rest on demand. */
export function ToolView({ block }: { readonly block: ToolBlock }) {
  const [isOther, toggle] = useFold(block.key)
  const isOpen = isOther !== block.isAnswer
  return (
    <div className="block-tool" data-open={isOpen || undefined}>
      <button type="button" className="tool-line" aria-expanded={isOpen} onClick={toggle}>
        <ChevronRight size={14} aria-hidden />
        <span className="mono tool-name">{block.name}</span>
        <bdi className="title mono tool-gist" title={block.gist}>
          {block.gist}
        </bdi>
        {block.state === 'failed' ? <StateMark mark="failed" label="Failed" /> : null}
        {block.state === 'running' ? <StateMark mark="running" label="Running" /> : null}
        {block.state === 'unanswered' ? <span className="tool-fact">no result</span> : null}
        {block.duration === undefined ? null : <span className="tool-fact">{block.duration}</span>}
      </button>
      {isOpen ? <ToolBody block={block} /> : null}
    </div>
  )
}

const LABELS: Readonly<Record<ToolBlock['state'], string>> = {
  done: 'Result',
  failed: 'Result',
  running: 'So far',
  unanswered: 'Until it was cut off',
}

function ToolBody({ block }: { readonly block: ToolBlock }) {
  const diffs = block.diffs.filter((diff) => diff.oldText !== diff.newText)
  return (
    <div className="tool-body">
      {diffs.length > 0 ? (
        diffs.map((diff, index) => <Diff key={index} diff={diff} />) // One line of a command stands in the head already.
      ) : block.isAnswer && argumentsText(block) === block.gist ? null : (
        <Output label="Arguments" text={argumentsText(block)} />
      )}
      {block.result === undefined ? (
        <p className="small">
          {block.state === 'running' ? 'No result yet.' : 'The log holds no result for this call.'}
        </p>
      ) : (
        <Output
          label={LABELS[block.state]}
          text={block.result}
          hasFailed={block.state === 'failed'}
          isTail={block.state === 'running' || block.state === 'unanswered'}
          isCut={block.cut !== undefined}
        />
      )}
      <CutNote cut={block.cut} />
    </div>
  )
}

/** What is shown of a text at once, and at most. */
const FIRST_LINES = 40
const FIRST_LETTERS = 8000
const MOST_LETTERS = 200_000

function Output(props: {
  readonly label: string
  readonly text: string
  readonly hasFailed?: boolean
  /** It still grows: its end is shown. */
  readonly isTail?: boolean
  /** The text is cut already: what is behind it is told beside it, and it has no number of lines. */
  readonly isCut?: boolean
}) {
  const { text } = props
  const { session_id } = useBlockContext()
  const [isWhole, setWhole] = useState(false)
  const first = props.isTail ? lastPart(text) : firstPart(text)
  const shown = isWhole ? text.slice(0, MOST_LETTERS) : first
  if (text === '') return null
  return (
    <div className="tool-output" data-failed={props.hasFailed || undefined}>
      <span className="tool-label">{props.label}</span>
      <pre className="output selectable" tabIndex={0}>
        {shown}
      </pre>
      {shown.length < text.length && !props.isTail ? (
        <p className="small tool-more">
          {isWhole ? null : (
            <button
              type="button"
              className="link"
              onClick={() => {
                setWhole(true)
              }}
            >
              {props.isCut ? 'Show more' : `Show all ${counted(text.split('\n').length, 'line')}`}
            </button>
          )}
          {props.isCut ? null : (
            <button type="button" className="link" onClick={() => void openLogInEditor(session_id)}>
              Open log in editor
            </button>
          )}
        </p>
      ) : null}
    </div>
  )
}

function Diff({ diff }: { readonly diff: FileDiff }) {
  const removed = diff.oldText === '' ? [] : diff.oldText.replace(/\n$/u, '').split('\n')
  const added = diff.newText === '' ? [] : diff.newText.replace(/\n$/u, '').split('\n')
  return (
    <div className="tool-output">
      <span className="tool-label mono">{diff.path}</span>
      <pre className="output diff selectable" tabIndex={0}>
        {removed.slice(0, FIRST_LINES).map((line, index) => (
          <del key={index}>{`- ${line}\n`}</del>
        ))}
        {added.slice(0, FIRST_LINES).map((line, index) => (
          <ins key={index}>{`+ ${line}\n`}</ins>
        ))}
      </pre>
      {Math.max(removed.length, added.length) > FIRST_LINES ? (
        <p className="small">
          The first {FIRST_LINES} lines of {grouped(Math.max(removed.length, added.length))}.
        </p>
      ) : null}
    </div>
  )
}

function firstPart(text: string): string {
  let end = 0
  for (let line = 0; line < FIRST_LINES; line += 1) {
    const next = text.indexOf('\n', end)
    if (next === -1) return text.slice(0, FIRST_LETTERS)
    end = next + 1
  }
  return text.slice(0, Math.min(end - 1, FIRST_LETTERS))
}

function lastPart(text: string): string {
  const lines = text.slice(-FIRST_LETTERS).split('\n')
  return lines.slice(-FIRST_LINES).join('\n')
}

function argumentsText(block: ToolBlock): string {
  const { parsed } = block
  if (!parsed) return block.arguments
  const command = parsed['command']
  if (typeof command === 'string') return command
  return Object.entries(parsed)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`)
    .join('\n')
}
