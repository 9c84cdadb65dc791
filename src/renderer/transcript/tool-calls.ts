import { duration } from '../ui/time.ts'
import type { CutLine, FileDiff, ToolBlock } from './blocks.ts'
import { contentText, fields, items, parseArguments, text, type Fields } from './event-data.ts'
import { toolGist } from './tool-gist.ts'

interface Place {
  readonly key: string
  readonly revision: string
}

type Draft = { -readonly [Key in keyof ToolBlock]: ToolBlock[Key] } & { calledAt?: number }

/** Joins a call's three records, announced in a message, called, and answered, into one block. */
export interface ToolFold {
  /** The message names the call; its block stands there. */
  announced(id: string, name: string, raw: string, place: Place, cut: CutLine | undefined, isAnswer: boolean): ToolBlock
  /** @returns a block of its own only where no message announced it */
  called(data: Fields, time: number, place: Place, cut: CutLine | undefined): ToolBlock | null
  /** @returns a block of its own only where the call lies outside the window */
  answered(data: Fields, time: number, place: Place, cut: CutLine | undefined): ToolBlock | null
  /** A piece of what a running call has said so far. */
  printed(data: Fields, revision: string): void
  /** No more records will come: what has no answer is running, or never got one. */
  finish(running: boolean): void
}

/** Letters of a running call's output that are kept: its end is what is looked at. */
const MOST_PRINTED = 100_000

/** Of the results with which DSH closes calls that a crash has cut off (dsh-format §9). */
const NO_RESULT: ReadonlySet<string> = new Set(['TOOL_OUTCOME_UNKNOWN', 'TOOL_NOT_STARTED'])

/** @param cwd paths inside it are shown without it */
export function foldTools(cwd: string | undefined): ToolFold {
  const open = new Map<string, Draft>()

  const draft = (id: string, name: string, raw: string, place: Place, cut: CutLine | undefined): Draft => {
    const parsed = parseArguments(raw)
    const block: Draft = {
      type: 'tool',
      ...place,
      name: name === '' ? 'tool' : name,
      gist: toolGist(parsed, raw, cwd),
      arguments: raw,
      parsed,
      state: 'unanswered',
      duration: undefined,
      result: undefined,
      diffs: [],
      isAnswer: false,
      cut,
    }
    open.set(id, block)
    return block
  }

  return {
    announced: (id, name, raw, place, cut, isAnswer) => {
      const block = draft(id, name, raw, place, cut)
      block.isAnswer = isAnswer
      return block
    },
    called: (data, time, place, cut) => {
      const id = text(data['callId'])
      const known = open.get(id)
      const block = known ?? draft(id, text(data['name']), text(data['arguments']), place, cut)
      block.calledAt = time
      block.revision = place.revision
      return known ? null : block
    },
    answered: (data, time, place, cut) => {
      const message = fields(data['message'])
      const result = fields(items(message['content'])[0])
      const id = text(result['toolCallId']) || text(fields(message['source'])['callId'])
      const known = open.get(id)
      const block = known ?? draft(id, 'result of an earlier call', '', place, cut)
      open.delete(id)
      block.revision = place.revision
      // Written for the model by whoever closed the log after a crash: for a person there is no result, but what was said.
      if (NO_RESULT.has(text(fields(data['error'])['code']))) return known ? null : block
      block.result = contentText(result['content']).text
      block.state = result['isError'] === true || data['error'] !== undefined ? 'failed' : 'done'
      block.diffs = diffsOf(fields(data['meta']))
      block.duration = block.calledAt === undefined ? undefined : duration(time - block.calledAt)
      block.cut = cut ?? block.cut
      return known ? null : block
    },
    printed: (data, revision) => {
      const block = open.get(text(data['callId']))
      if (!block) return
      block.result = ((block.result ?? '') + text(data['text'])).slice(-MOST_PRINTED)
      block.revision = revision
    },
    finish: (running) => {
      for (const block of open.values()) {
        block.state = running ? 'running' : 'unanswered'
        block.revision += running ? ':running' : ':unanswered'
      }
      open.clear()
    },
  }
}

function diffsOf(meta: Fields): FileDiff[] {
  return items(meta['diffs']).map((item) => {
    const diff = fields(item)
    return { path: text(diff['path']), oldText: text(diff['oldText']), newText: text(diff['newText']) }
  })
}
