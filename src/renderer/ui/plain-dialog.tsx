import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'

interface Props {
  readonly open: boolean
  readonly close: () => void
  readonly title: string
  readonly lead?: string
  /** A sentence beside the button. */
  readonly note?: string
  readonly children: ReactNode
}

/** A dialog that shows something and is then done with. */
export function PlainDialog({ open, close, title, lead, note, children }: Props) {
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(isOpen) => {
        if (!isOpen) close()
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-veil" />
        <Dialog.Popup className="dialog">
          <div className="dialog-body">
            <div>
              <Dialog.Title className="dialog-title">{title}</Dialog.Title>
              {lead === undefined ? null : <Dialog.Description className="dialog-lead">{lead}</Dialog.Description>}
            </div>
            {children}
          </div>
          <div className="dialog-foot">
            <p className="dialog-foot-note">{note}</p>
            <button type="button" className="button button-primary" onClick={close}>
              Done
            </button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
