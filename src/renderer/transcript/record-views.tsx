import { Check, ChevronRight, Circle, CircleDot, CircleX, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { treeline } from '../bridge.ts'
import { senderOf, sendMessage } from '../state/actions.ts'
import { useShortPath } from '../state/settings-store.ts'
import { byteSize } from '../ui/paths.ts'
import { fullTime } from '../ui/time.ts'
import { useBlockContext, useFold } from './block-context.ts'
import type { BadBlock, BeginBlock, EventBlock, NoteBlock, TodosBlock, UnfinishedBlock } from './blocks.ts'

/** Where a log begins. */
export function BeginView({ block }: { readonly block: BeginBlock }) {
  const folder = useShortPath(block.cwd ?? '')
  const time = fullTime(block.time)
  return (
    <p className="block-note">
      <span>
        {time === '' ? 'The session begins' : `Began on ${time}`}
        {folder === '' ? null : (
          <>
            {' '}
            in <span className="mono">{folder}</span>
          </>
        )}
      </span>
    </p>
  )
}

/** A sentence between the messages. */
export function NoteView({ block }: { readonly block: NoteBlock }) {
  return (
    <div className={block.tone === 'failed' ? 'block-note block-note-failed' : 'block-note'}>
      {block.tone === 'failed' ? <CircleX size={14} aria-hidden /> : null}
      <span className="selectable">
        {block.text}
        {block.detail === undefined ? null : <span className="note-detail"> {block.detail}</span>}
      </span>
      {block.again === undefined ? null : <SendAgain prompt={block.again} />}
    </div>
  )
}

/** Only a person decides whether what was cut off is to be done once more: parts of it may have been done. */
function SendAgain({ prompt }: { readonly prompt: string }) {
  const { session_id, summary } = useBlockContext()
  const [isSending, setSending] = useState(false)
  const send = async (): Promise<void> => {
    setSending(true)
    const isAccepted = await sendMessage(session_id, senderOf(summary), prompt)
    // Once is enough: the note goes when the turn begins.
    if (!isAccepted) setSending(false)
  }
  return (
    <button
      type="button"
      className="button"
      title="Sends the same prompt once more"
      disabled={isSending}
      onClick={() => void send()}
    >
      Send again
    </button>
  )
}

const TODO_ICONS: Readonly<Record<string, typeof Check>> = { completed: Check, in_progress: CircleDot }
const TODO_WORDS: Readonly<Record<string, string>> = { completed: 'done', in_progress: 'in progress' }

/** The model's list of what is to be done, as it stood then. */
export function TodosView({ block }: { readonly block: TodosBlock }) {
  return (
    <ul className="block-todos" aria-label="To do">
      {block.todos.map((todo, index) => {
        const Icon = TODO_ICONS[todo.status] ?? Circle
        return (
          <li key={index} data-status={todo.status}>
            <Icon size={14} role="img" aria-label={TODO_WORDS[todo.status] ?? 'open'} />
            <bdi>{todo.content}</bdi>
          </li>
        )
      })}
    </ul>
  )
}

/** An event without words of its own: its type, and the record on demand. */
export function EventView({ block }: { readonly block: EventBlock }) {
  const [isOpen, toggle] = useFold(block.key)
  return (
    <div className="block-folded">
      <button type="button" className="fold-line" aria-expanded={isOpen} onClick={toggle}>
        <ChevronRight size={14} aria-hidden />
        <span className="mono fold-type">{block.name}</span>
      </button>
      {isOpen ? <RawEvent block={block} /> : null}
    </div>
  )
}

function RawEvent({ block }: { readonly block: EventBlock }) {
  const { session_id } = useBlockContext()
  const [whole, setWhole] = useState<string | null>(null)
  const read = async (offset: number): Promise<void> => {
    const answer = await treeline.navigator.read_line(session_id, offset)
    setWhole(answer.ok ? answer.value : answer.error.message)
  }
  const { cut } = block
  return (
    <div className="fold-body">
      <pre className="output selectable" tabIndex={0}>
        {whole ?? block.json}
      </pre>
      {cut && whole === null ? (
        <button type="button" className="link small" onClick={() => void read(cut.offset)}>
          Read the whole record, {byteSize(cut.bytes)}
        </button>
      ) : null}
    </div>
  )
}

/** Damage, where it stands (field fault F04). */
export function BadView({ block }: { readonly block: BadBlock }) {
  return (
    <div className="block-bad">
      <p className="bad-head">
        <TriangleAlert size={14} aria-hidden />
        <span>
          <strong>{block.where}</strong> cannot be read. {block.reason}
        </span>
      </p>
      {block.text === '' ? null : (
        <pre className="output selectable" tabIndex={0}>
          {block.text}
        </pre>
      )}
    </div>
  )
}

/** A last line without its end: being written, or cut by a crash. */
export function UnfinishedView({ block }: { readonly block: UnfinishedBlock }) {
  return <p className="block-note">The last line is not finished yet ({byteSize(block.bytes)} so far).</p>
}
