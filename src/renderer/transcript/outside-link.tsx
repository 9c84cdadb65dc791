import { Popover } from '@base-ui/react/popover'
import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { copyText } from '../state/actions.ts'
import { treeline } from '../bridge.ts'
import { say } from '../state/toasts.ts'

/** Words from a log may lead anywhere: the first click shows where, the second goes there. */
export function OutsideLink(props: { readonly address: string | undefined; readonly children: ReactNode }) {
  const { address, children } = props
  // A path or an anchor of the text itself leads nowhere outside.
  if (address === undefined || !/^(?:https?|mailto):/iu.test(address)) return <span title={address}>{children}</span>
  const open = async (): Promise<void> => {
    const answer = await treeline.navigator.open_link(address)
    if (!answer.ok) say('failed', answer.error.message)
  }
  return (
    <Popover.Root>
      <Popover.Trigger className="link" title={address}>
        {children}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="popup-layer" sideOffset={6} align="start" collisionPadding={8}>
          <Popover.Popup className="popup link-popup" aria-label="Where this link leads">
            <p className="mono selectable link-address">{address}</p>
            <div className="link-actions">
              <Popover.Close className="button button-primary" onClick={() => void open()}>
                <ExternalLink size={14} aria-hidden />
                Open in browser
              </Popover.Close>
              <Popover.Close className="button" onClick={() => void copyText(address, 'Address copied.')}>
                Copy address
              </Popover.Close>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
