import type { SessionEvent } from '../../../shared/session-event.ts'
import { buildLog } from '../sample/build-log.ts'
import { parseTemplate } from '../sample/template.ts'

const END = Date.UTC(2026, 3, 4, 9, 30)

/** A conversation as DSH writes it, of so many turns, each with thoughts, streamed words, a call and its result. */
export function conversation(turns: number, words = 'A retry budget'): readonly SessionEvent[] {
  const blocks = Array.from({ length: turns }, (_, turn) => turnText(turn + 1, words))
  const template = parseTemplate(
    'conversation.md',
    `kind: main\ntitle: ${words}\nproject: none\nended: 0s\n\n${blocks.join('\n\n')}`,
  )
  return buildLog(template, { end: END, cwd: '/workspace/demo', seed: [], fill: (text) => text }).events
}

function turnText(turn: number, words: string): string {
  return `::: you +1m
${words}, question ${turn}?

::: thinks
Long enough to be streamed in more than three pieces, so that DSH packs them into one row: ${words} and again ${words}, ${turn}.

::: says
First I look at the files, then I answer. “Gänsefüßchen”, 果园 and 🧭 come along as well. ${words}.

::: call bash
{"command": "ls packages/${turn}", "description": "List the packages, with an argument that is long enough to be streamed"}

::: result 20ms
worker core ${turn}

::: says
${words}, answer ${turn}. It is long enough to be streamed in several pieces, since only runs of three and more are packed.`
}

/** Events in batches of a size, as DSH's write-behind would flush them. */
export function inBatches(events: readonly SessionEvent[], size: number): readonly (readonly SessionEvent[])[] {
  const batches: (readonly SessionEvent[])[] = []
  for (let at = 0; at < events.length; at += size) batches.push(events.slice(at, at + size))
  return batches
}
