import { Popover } from '@base-ui/react/popover'
import type { SessionWork } from '../../shared/agent-view.ts'
import { withdrawMessage } from '../state/actions.ts'
import { counted } from '../ui/numbers.ts'
import { cleanTitle, cutTitle } from '../ui/title.ts'

interface Props {
  readonly session_id: string
  readonly waiting: SessionWork['waiting']
}

/** How many messages wait for the session's agent, and each with the way to take it back. */
export function InboxControl({ session_id, waiting }: Props) {
  return (
    <Popover.Root>
      <Popover.Trigger className="inbox-button small" title="Waiting in the inbox">
        {counted(waiting.length, 'message')} waiting
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="popup-layer" side="top" sideOffset={10} align="end" collisionPadding={8}>
          <Popover.Popup className="popup inbox-popup">
            <Popover.Title className="inbox-title">Waiting in the inbox</Popover.Title>
            <ol className="inbox-list">
              {waiting.map(({ id, text }) => (
                <li key={id}>
                  <bdi className="title" title={text}>
                    {cutTitle(cleanTitle(text) ?? 'A message without text', 200)}
                  </bdi>
                  <button type="button" className="button" onClick={() => void withdrawMessage(session_id, id)}>
                    Withdraw
                  </button>
                </li>
              ))}
            </ol>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
