import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { SessionWork, WorkDone } from '../../shared/agent-view.ts'
import type { SubagentSummary } from '../../shared/navigator-view.ts'
import { useRelativeTime } from '../state/clock.ts'
import { openSession } from '../state/view-store.ts'
import { markOf, StateMark } from '../ui/state-mark.tsx'
import { fullTime } from '../ui/time.ts'
import { cleanTitle, cutTitle, shortId } from '../ui/title.ts'
import { createTypeAhead, isTypedLetter, treeKey } from '../ui/tree-keys.ts'
import { subagentRows, type SubagentRow } from './subagent-rows.ts'
import { lasted, standing, tokenCount } from './work-words.ts'

const ROW = 44
/** More than this at once would be a wall: then only the first level is open. */
const MOST_OPEN = 200

/** The helpers below a session, any depth. Enter and click open a helper's transcript. */
export function SubagentTree(props: {
  readonly roots: readonly SubagentSummary[]
  readonly work: SessionWork['subagents']
  readonly close: () => void
}) {
  const { roots, work, close } = props
  const [closed, setClosed] = useState<ReadonlySet<string>>(() => closedAtFirst(roots))
  const rows = useMemo(() => subagentRows(roots, closed), [roots, closed])
  const [active, setActive] = useState<string | null>(null)
  const activeId = rows.some((row) => row.key === active) ? active : (rows[0]?.key ?? null)
  const activeIndex = rows.findIndex((row) => row.key === activeId)
  const scroller = useRef<HTMLDivElement>(null)
  const typeAhead = useRef(createTypeAhead())
  // oxlint-disable-next-line react/incompatible-library -- the React Compiler, which it would confuse, is not used
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 6,
    initialRect: { width: 0, height: ROW * 10 },
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range)
      return activeIndex === -1 || shown.includes(activeIndex)
        ? shown
        : [...shown, activeIndex].toSorted((a, b) => a - b)
    },
  })

  const focusRow = (id: string): void => {
    setActive(id)
    const index = rows.findIndex((row) => row.key === id)
    if (index !== -1) virtualizer.scrollToIndex(index)
    requestAnimationFrame(() => document.getElementById(`subagent-${id}`)?.focus({ preventScroll: true }))
  }
  const setExpanded = (id: string, expanded: boolean): void => {
    const next = new Set(closed)
    if (expanded) next.delete(id)
    else next.add(id)
    setClosed(next)
  }
  const openOne = (id: string): void => {
    close()
    openSession(id)
  }

  return (
    <div className="subagent-scroller" ref={scroller}>
      <div
        role="tree"
        aria-label="Subagents"
        className="subagent-tree"
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={(event) => {
          if (isTypedLetter(event)) {
            const names = rows.map((row) => ({ id: row.key, name: nameOf(row.subagent) }))
            const found = typeAhead.current(event.key, event.timeStamp, names, activeId)
            if (found !== null) focusRow(found)
            return
          }
          const action = treeKey(event.key, rows, activeId)
          if (!action || event.ctrlKey || event.metaKey || event.altKey) return
          event.preventDefault()
          if (action.act === 'focus') focusRow(action.id)
          else if (action.act === 'open') openOne(action.id)
          else setExpanded(action.id, action.act === 'expand')
        }}
      >
        {virtualizer.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index]
          return row ? (
            <SubagentItem
              key={key}
              row={row}
              work={work[row.key]}
              top={start}
              isActive={row.key === activeId}
              focus={setActive}
              open={openOne}
              expand={setExpanded}
            />
          ) : null
        })}
      </div>
    </div>
  )
}

function SubagentItem(props: {
  readonly row: SubagentRow
  readonly work: WorkDone | undefined
  readonly top: number
  readonly isActive: boolean
  readonly focus: (id: string) => void
  readonly open: (id: string) => void
  readonly expand: (id: string, expanded: boolean) => void
}) {
  const { row, top, isActive } = props
  const { subagent } = row
  const name = nameOf(subagent)
  const time = useRelativeTime(subagent.updated_at)
  const state = standing(subagent, props.work)
  return (
    <div
      id={`subagent-${row.key}`}
      role="treeitem"
      className="subagent"
      style={{ transform: `translateY(${top}px)`, paddingInlineStart: 26 + (Math.min(row.level, 12) - 1) * 18 }}
      tabIndex={isActive ? 0 : -1}
      aria-description={[state, fullTime(subagent.updated_at)].filter((words) => words !== '').join(', ')}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.size}
      aria-expanded={row.expandable ? row.expanded : undefined}
      aria-selected={false}
      onFocus={() => {
        props.focus(row.key)
      }}
      onClick={() => {
        props.open(row.key)
      }}
    >
      {row.expandable ? (
        <button
          type="button"
          className="row-caret subagent-caret"
          aria-hidden
          style={{ insetInlineStart: 2 + (Math.min(row.level, 12) - 1) * 18 }}
          tabIndex={-1}
          aria-label={`${row.expanded ? 'Hide' : 'Show'} subagents of ${name}`}
          data-open={row.expanded || undefined}
          onClick={(event) => {
            event.stopPropagation()
            props.expand(row.key, !row.expanded)
          }}
        >
          <ChevronRight size={14} />
        </button>
      ) : null}
      <StateMark mark={markOf(subagent)} />
      <span className="subagent-words">
        <bdi className="title" title={name}>
          {cutTitle(name)}
        </bdi>
        <span className="title small" title={state} aria-hidden>
          {state}
        </span>
      </span>
      <span className="small subagent-cost" aria-hidden title={fullTime(subagent.updated_at)}>
        <span>
          {props.work === undefined || props.work.tokens === 0 ? time : `${tokenCount(props.work.tokens)} tokens`}
        </span>
        <span>{lasted(subagent, props.work)}</span>
      </span>
    </div>
  )
}

function nameOf(subagent: SubagentSummary): string {
  return cleanTitle(subagent.name) ?? `Session ${shortId(subagent.session_id)}`
}

function closedAtFirst(roots: readonly SubagentSummary[]): ReadonlySet<string> {
  const ids: string[] = []
  let count = 0
  const walk = (subagents: readonly SubagentSummary[]): void => {
    for (const subagent of subagents) {
      count += 1
      if (subagent.subagents.length > 0) ids.push(subagent.session_id)
      walk(subagent.subagents)
    }
  }
  walk(roots)
  return new Set(count > MOST_OPEN ? ids : [])
}
