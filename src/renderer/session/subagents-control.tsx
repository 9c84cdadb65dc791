import { counted, grouped } from '../ui/numbers.ts'
import { Popover } from '@base-ui/react/popover'
import { ChevronDown } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { SessionWork } from '../../shared/agent-view.ts'
import type { SessionDetails } from '../../shared/navigator-view.ts'
import { MARK_WORDS, StateMark } from '../ui/state-mark.tsx'
import { countSubagents } from './subagent-rows.ts'
import { SubagentTree } from './subagent-tree.tsx'
import './subagents.css'

const NO_WORK: SessionWork['subagents'] = {}

/** How many helpers work for this session, and the tree of them. Opens by click and by key, never by hover. */
export function SubagentsControl({
  details,
  work,
}: {
  readonly details: SessionDetails
  readonly work: SessionWork | null
}) {
  const [open, setOpen] = useState(false)
  const { total, worst, byState } = useMemo(() => countSubagents(details.subagents), [details])
  const name = counted(total, 'subagent')
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        className="button subagents-button"
        aria-label={name}
        aria-description={worst === undefined ? undefined : `worst state: ${MARK_WORDS[worst].toLowerCase()}`}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          setOpen(true)
        }}
      >
        {worst === undefined ? null : <StateMark mark={worst} />}
        {name}
        <ChevronDown size={14} aria-hidden />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="popup-layer" sideOffset={6} align="end" collisionPadding={8}>
          <Popover.Popup className="popup subagents-popup" initialFocus={firstRow}>
            <div className="subagents-head">
              <Popover.Title className="subagents-title">
                Subagents <span className="quiet">{grouped(total)}</span>
              </Popover.Title>
              <p className="small">
                {[...byState].map(([mark, count]) => `${MARK_WORDS[mark]} ${grouped(count)}`).join(' · ')}
              </p>
            </div>
            <SubagentTree
              roots={details.subagents}
              work={work?.subagents ?? NO_WORK}
              close={() => {
                setOpen(false)
              }}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function firstRow(): HTMLElement | null {
  return document.querySelector<HTMLElement>('.subagent-tree [tabindex="0"]')
}
