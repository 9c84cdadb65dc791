import { describe, expect, it } from 'vitest'
import type { TranscriptLine, TranscriptPage } from '../../shared/navigator-view.ts'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { openLog, type LogState } from './open-log.ts'

const line = (index: number): TranscriptLine => ({
  kind: 'event',
  offset: index * 10,
  bytes: 10,
  event: { type: 'x/y', seq: index, time: 0, data: {} },
})

/** A log of `count` lines of ten bytes, paged the way main pages it. */
function fakeLog(start: number) {
  const log = { count: start, inode: 1, reads: 0, broken: false, replaced: false }
  const read = async (
    page: { before?: number; lines: number } | { after: number; lines: number },
  ): Promise<Result<TranscriptPage>> => {
    log.reads += 1
    await Promise.resolve()
    if (log.replaced && ('after' in page || page.before !== undefined))
      return fail(toolError('log_changed', 'The log is not what it was.'))
    if (log.broken) return fail(toolError('io_failed', 'The log could not be read.'))
    const end =
      'after' in page ? Math.min(log.count, page.after / 10 + page.lines) : (page.before ?? log.count * 10) / 10
    const first = 'after' in page ? page.after / 10 : Math.max(0, end - page.lines)
    return ok({
      session_id: 's',
      lines: Array.from({ length: Math.max(0, end - first) }, (_, index) => line(first + index)),
      from: first * 10,
      to: end * 10,
      size: log.count * 10,
      atStart: first === 0,
      atEnd: end === log.count,
      inode: log.inode,
    })
  }
  return { log, read }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) await Promise.resolve()
}

function open(count: number, follows = true) {
  const { log, read } = fakeLog(count)
  const states: LogState[] = []
  const opened = openLog(
    read,
    (state) => states.push(state),
    () => follows,
  )
  return { log, opened, last: () => states.at(-1), states }
}

describe('openLog', () => {
  it('opens at the end with one page, then goes back page by page to the start', async () => {
    const { opened, last, log } = open(450)
    await settled()
    expect(last()?.window).toMatchObject({ from: 2500, to: 4500, atStart: false, atEnd: true })
    await opened.earlier()
    await opened.earlier()
    await opened.earlier()
    expect(last()?.window).toMatchObject({ from: 0, atStart: true })
    expect(log.reads).toBe(3)
  })

  it('reads only what is new when the log grows', async () => {
    const { opened, last, log } = open(50)
    await settled()
    log.count = 53
    await opened.changed(530, 1)
    expect(last()?.window?.lines).toHaveLength(53)
    expect(log.reads).toBe(2)
  })

  it('does not lose a growth that is told while a page is being read', async () => {
    const { opened, last, log } = open(300)
    await settled()
    const earlier = opened.earlier()
    log.count = 301
    await opened.changed(3010, 1)
    await earlier
    await settled()
    expect(last()?.window).toMatchObject({ to: 3010, atEnd: true })
  })

  it('reads anew where the log got shorter or was replaced', async () => {
    const { opened, last, log } = open(50)
    await settled()
    log.count = 20
    await opened.changed(200, 1)
    expect(last()?.window?.lines).toHaveLength(20)
    log.inode = 2
    log.count = 30
    await opened.changed(300, 2)
    expect(last()?.window).toMatchObject({ inode: 2, to: 300 })
  })

  it('jumps to the new end where the log grew by very much', async () => {
    const { opened, last, log } = open(50)
    await settled()
    log.count = 50_000
    await opened.changed(500_000, 1)
    expect(last()?.window).toMatchObject({ from: 498_000, to: 500_000, atEnd: true })
    expect(log.reads).toBeLessThan(15)
  })

  it('says why where the log cannot be read, and keeps what is shown', async () => {
    const { opened, last, log } = open(50)
    await settled()
    log.broken = true
    await opened.changed(510, 1)
    expect(last()).toMatchObject({ phase: 'ready', error: { code: 'io_failed' } })
    expect(last()?.window?.lines).toHaveLength(50)
  })

  it('reads the end anew where main says that the place of a page is gone', async () => {
    const { opened, last, log } = open(450)
    await settled()
    log.replaced = true
    log.count = 10
    await opened.earlier()
    expect(last()).toMatchObject({ phase: 'ready', error: null, window: { from: 0, to: 100 } })
  })

  it('shows nothing more after its stop', async () => {
    const { opened, states } = open(50)
    opened.stop()
    await settled()
    expect(states).toEqual([])
  })
})
