import { openLogInEditor } from '../state/actions.ts'
import { byteSize } from '../ui/paths.ts'
import { useBlockContext } from './block-context.ts'
import type { CutLine } from './blocks.ts'

/** Says that a record is longer than what is shown, and where the whole of it is (field fault F07). */
export function CutNote({ cut }: { readonly cut: CutLine | undefined }) {
  const { session_id } = useBlockContext()
  if (!cut) return null
  return (
    <p className="cut-note small">
      This record is {byteSize(cut.bytes)} long and is shown cut.{' '}
      <button type="button" className="link" onClick={() => void openLogInEditor(session_id)}>
        Open the log in your editor
      </button>{' '}
      to read the whole.
    </p>
  )
}
