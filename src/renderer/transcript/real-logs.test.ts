import { describe, expect, it } from 'vitest'
import type { TranscriptLine } from '../../shared/navigator-view.ts'
import type { SessionEvent } from '../../shared/session-event.ts'
import { foldBlocks } from './fold-blocks.ts'

// Logs that the real DeepSeek Harness wrote; they are not in a clone.
const logs = import.meta.glob<string>('../../../../shared/fixtures/dsh/plain/**/*.jsonl', {
  query: '?raw',
  import: 'default',
  eager: true,
})

function linesOf(text: string): TranscriptLine[] {
  const lines: TranscriptLine[] = []
  let offset = 0
  for (const line of text.split('\n').slice(0, -1)) {
    const bytes = new TextEncoder().encode(line).length
    const event: SessionEvent = JSON.parse(line)
    if (offset > 0) lines.push({ kind: 'event', offset, bytes, event })
    offset += bytes + 1
  }
  return lines
}

describe.runIf(Object.keys(logs).length > 0)('the logs of the real DSH', () => {
  it.each(Object.keys(logs))('%s has words for everything in it', (path) => {
    const lines = linesOf(logs[path] ?? '')
    const { own } = foldBlocks({ lines, atStart: true, atEnd: true, isFork: false, running: false })
    expect(own.filter((block) => block.type === 'event')).toEqual([])
    const prompts = lines.filter(
      (line) =>
        line.kind === 'event' && line.event.type === 'user/message' && JSON.stringify(line).includes('"kind":"user"'),
    )
    expect(own.filter((block) => block.type === 'prompt')).toHaveLength(prompts.length)
    expect(new Set(own.map((block) => block.key)).size).toBe(own.length)
  })

  it('have every call joined with its result where there is one', () => {
    const all = Object.values(logs).flatMap(
      (text) => foldBlocks({ lines: linesOf(text), atStart: true, atEnd: true, isFork: false, running: false }).own,
    )
    const tools = all.filter((block) => block.type === 'tool')
    expect(tools.length).toBeGreaterThan(20)
    expect(tools.filter((tool) => tool.name === 'result of an earlier call')).toEqual([])
    // The processes that were killed while a call ran.
    expect(tools.filter((tool) => tool.state === 'unanswered').length).toBeGreaterThan(0)
  })
})
