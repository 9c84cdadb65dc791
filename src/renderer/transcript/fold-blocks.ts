import type { TranscriptLine } from '../../shared/navigator-view.ts'
import type { SessionEvent } from '../../shared/session-event.ts'
import { cleanTitle } from '../ui/title.ts'
import { foldApprovals } from './approvals.ts'
import type { AnswerBlock, Block, CutLine, NoteBlock } from './blocks.ts'
import { contentText, fields, items, text } from './event-data.ts'
import { contextLabel, SILENT_EVENTS, stoppedByLimit, turnEnd } from './event-words.ts'
import { foldInbox } from './inbox.ts'
import { countLines } from './line-numbers.ts'
import { foldPartials } from './partial-answers.ts'
import { quietNote } from './quiet-notes.ts'
import { splitAnswer } from './split-answer.ts'
import { foldTools } from './tool-calls.ts'

export interface FoldInput {
  readonly lines: readonly TranscriptLine[]
  readonly atStart: boolean
  readonly atEnd: boolean
  /** Where a fork's own part begins: by bytes, or by events in a log that does not say the bytes. */
  readonly seedBytes?: number
  readonly seedLength?: number
  readonly isFork: boolean
  /** Whether an agent is at work: then what is open is going on, else it was never finished. */
  readonly running: boolean
  readonly cwd?: string
  readonly createdAt?: number
}

export interface FoldedLog {
  /** A fork's copied part, as far as it is loaded. */
  readonly inherited: readonly Block[]
  readonly own: readonly Block[]
  /** Whether the place where the own part begins is loaded. */
  readonly hasMark: boolean
}

/** A note that a later line says more of. */
type Growing = { -readonly [Key in keyof NoteBlock]: NoteBlock[Key] }

/** Folds lines into what a person reads: pure, and quick enough to be done anew for every change. */
export function foldBlocks(input: FoldInput): FoldedLog {
  const inherited: Block[] = []
  const own: Block[] = []
  const tools = foldTools(input.cwd)
  const partials = foldPartials()
  const inbox = foldInbox()
  const approvals = foldApprovals()
  const count = countLines()
  let blocks = own
  let openTurn: { readonly offset: number } | null = null
  let ownTurnSeen = false
  let turnEndKey: string | undefined
  /** What was asked in the turn at hand, whole; undefined where a part of it is not here. */
  let asked: string | undefined
  let interrupted: Growing | undefined

  if (input.atStart && !input.isFork)
    own.push({ type: 'begin', key: 'begin', revision: '', time: input.createdAt, cwd: input.cwd })

  const finishPart = (running: boolean): void => {
    for (const partial of partials.left()) {
      const { key, reasoning, answer } = partial
      const mayGoOn = running && !partial.isOver
      const revision = mayGoOn ? `${partial.revision}:running` : partial.revision
      const left: Block[] = []
      if (reasoning !== '') left.push({ type: 'reasoning', key: `${key}:r`, revision, text: reasoning })
      if (answer !== '') left.push(...answerBlocks(answer, { key, revision }, !mayGoOn, undefined))
      blocks.splice(partial.index, 0, ...left)
    }
    tools.finish(running)
  }

  const addEvent = (event: SessionEvent, line: { offset: number; bytes: number }, cut: CutLine | undefined): void => {
    const key = String(line.offset)
    const placed = { key, revision: key }
    const data = fields(event.data)
    const note = (tone: NoteBlock['tone'], words: string, detail?: string): void => {
      blocks.push({ type: 'note', ...placed, tone, text: words, detail })
    }
    switch (event.type) {
      case 'turn/start':
        openTurn = line
        asked = undefined
        // Gone on since: what was cut off is past.
        if (interrupted) {
          delete interrupted.again
          interrupted.revision = key
        }
        interrupted = undefined
        if (blocks === own) ownTurnSeen = true
        return
      case 'turn/end': {
        openTurn = null
        turnEndKey = key
        partials.endTurn()
        // What closes a fork's copied turn is the fork's own record, and no news.
        if (input.isFork && blocks === own && !ownTurnSeen) return
        const ended = turnEnd(event.data)
        if (!ended) return
        if (ended.mayBeSentAgain && blocks === own && asked !== undefined) {
          interrupted = {
            type: 'note',
            ...placed,
            tone: ended.tone,
            text: ended.text,
            detail: ended.detail,
            again: asked,
          }
          blocks.push(interrupted)
        } else note(ended.tone, ended.text, ended.detail)
        return
      }
      case 'user/message': {
        inbox.taken(text(data['id']))
        // What replaces earlier messages is for the model; a person reads what was really said (dsh-format §4).
        if (event.surfaceOp !== 'append') return
        const { text: words, images } = contentText(data['content'])
        const source = fields(data['source'])
        if (source['kind'] === 'user' && images === 0 && !cut) asked ??= words
        if (source['kind'] === 'user')
          blocks.push({ type: 'prompt', ...placed, text: words, images, time: event.time, cut })
        else blocks.push({ type: 'context', ...placed, label: contextLabel(source), text: words, cut })
        return
      }
      case 'assistant/message': {
        partials.complete(event.data)
        if (event.surfaceOp !== undefined && event.surfaceOp !== 'append') return
        const message = fields(data['message'])
        // What a shell prints is its whole answer.
        const isShell = text(fields(message['source'])['model']) === 'shell'
        for (const [index, item] of items(message['content']).entries()) {
          const part = fields(item)
          const place = { key: `${key}:${index}`, revision: key }
          const words = text(part['text'])
          if (part['type'] === 'reasoning' && words.trim() !== '')
            blocks.push({ type: 'reasoning', ...place, text: words })
          else if (part['type'] === 'text' && words.trim() !== '')
            blocks.push(...answerBlocks(words, place, data['interrupted'] === true, cut))
          else if (part['type'] === 'tool-call')
            blocks.push(
              tools.announced(text(part['id']), text(part['name']), text(part['arguments']), place, cut, isShell),
            )
        }
        return
      }
      case 'tool/call': {
        const block = tools.called(data, event.time, placed, cut)
        if (block) blocks.push(block)
        return
      }
      case 'tool/result': {
        const block = tools.answered(data, event.time, placed, cut)
        if (block) blocks.push(block)
        return
      }
      case 'assistant/chunk':
        partials.add(event.data, line.offset, blocks.length)
        return
      case 'session-tree/output':
        tools.printed(data, key)
        return
      case 'session-tree/end': {
        const words = stoppedByLimit(event.data)
        const said = blocks.at(-1)
        if (words === undefined) return
        // It follows the turn's own end, and says it better.
        if (said?.type === 'note' && said.key === turnEndKey)
          blocks[blocks.length - 1] = { ...said, revision: key, text: words }
        else note('quiet', words)
        return
      }
      case 'agent/inbox/spliced':
        if (blocks === own) inbox.splice(event.data)
        return
      case 'todo/write': {
        const todos = items(data['todos']).map((item) => ({
          content: cleanTitle(text(fields(item)['content'])) ?? '',
          status: text(fields(item)['status']),
        }))
        blocks.push({ type: 'todos', ...placed, todos })
        return
      }
      case 'session/title':
        // A title that a session was made with is no news.
        if (blocks === own && !ownTurnSeen && (input.atStart || hasMark)) return
        if (fields(data['source'])['kind'] === 'user')
          note('quiet', `Renamed to “${cleanTitle(text(data['title'])) ?? ''}”`)
        return
      case 'approval/asked':
        blocks.push(approvals.asked(event.data, key))
        return
      case 'approval/decided':
        approvals.decided(event.data, key)
        return
      case 'command/done':
        if (text(data['text']) !== '') note(data['kind'] === 'error' ? 'failed' : 'quiet', text(data['text']))
        return
      case 'compaction/summary':
        blocks.push({
          type: 'context',
          ...placed,
          label: 'Compacted: the conversation so far, as the model sees it from here',
          text: contentText(data['summary']).text,
          cut,
        })
        return
      default: {
        const told = quietNote(event.type, event.data)
        if (told === null || SILENT_EVENTS.has(event.type)) return
        if (told) note('quiet', told.text, told.detail)
        else blocks.push({ type: 'event', ...placed, name: event.type, json: JSON.stringify(event, null, 2), cut })
        return
      }
    }
  }

  const first = input.lines[0]?.offset ?? 0
  let hasMark = input.isFork && (input.atStart || (input.seedBytes !== undefined && first <= input.seedBytes))
  let previousInherited = false
  for (const line of input.lines) {
    count.next(line)
    const isInherited: boolean = input.isFork && belongsToSeed(line, input, previousInherited)
    if (input.isFork && previousInherited && !isInherited) {
      finishPart(false)
      openTurn = null
    }
    previousInherited = isInherited
    blocks = isInherited ? inherited : own
    if (isInherited) hasMark = true
    const placed = { key: String(line.offset), revision: String(line.offset) }
    const cut = line.kind === 'event' && line.cut ? { offset: line.offset, bytes: line.bytes } : undefined
    if (line.kind === 'event') addEvent(line.event, line, cut)
    else if (line.kind === 'bad')
      blocks.push({ type: 'bad', ...placed, where: count.words(), reason: line.reason, text: line.text })
    else if (line.kind === 'unfinished')
      blocks.push({ type: 'unfinished', key: placed.key, revision: String(line.bytes), bytes: line.bytes })
    else if (line.header === undefined)
      blocks.push({
        type: 'bad',
        ...placed,
        where: count.words(),
        reason: 'The first line is not a header that can be read.',
        text: '',
      })
  }
  blocks = own
  finishPart(input.running && input.atEnd)
  if (input.atEnd) {
    if (openTurn !== null && !input.running && own.length > 0 && own.at(-1)?.type !== 'unfinished')
      own.push({
        type: 'note',
        key: 'open-turn',
        revision: '',
        tone: 'quiet',
        text: 'The log ends inside this turn: it was not finished.',
        detail: undefined,
      })
    for (const { id, text: words } of inbox.waiting())
      own.push({ type: 'waiting', key: `waiting:${id}`, revision: '', id, text: words })
  }
  return { inherited, own, hasMark }
}

/** A long answer is several blocks; what is said about the whole stands behind the last. */
function answerBlocks(
  words: string,
  place: { readonly key: string; readonly revision: string },
  partial: boolean,
  cut: CutLine | undefined,
): AnswerBlock[] {
  const pieces = splitAnswer(words)
  return pieces.map((piece, index) => {
    const isLast = index === pieces.length - 1
    return {
      type: 'answer',
      key: index === 0 ? place.key : `${place.key}.${index}`,
      revision: `${place.revision}${isLast ? ':last' : ''}`,
      text: piece,
      partial: partial && isLast,
      cut: isLast ? cut : undefined,
    }
  })
}

function belongsToSeed(line: TranscriptLine, input: FoldInput, previous: boolean): boolean {
  if (line.kind === 'header') return false
  if (input.seedBytes !== undefined) return line.offset < input.seedBytes
  if (line.kind === 'event' && Number.isSafeInteger(line.event.seq)) return line.event.seq < (input.seedLength ?? 0)
  return previous
}
