import { duration } from '../ui/time.ts'
import { cleanTitle } from '../ui/title.ts'
import { fields, number, text, type Fields } from './event-data.ts'

/** Events in words: how a turn ended, what was retried, what the context is. */

/** Known events that say nothing to a reader of the conversation. Everything that is neither here nor told is shown as it is. */
export const SILENT_EVENTS: ReadonlySet<string> = new Set([
  'turn/start',
  'step/start',
  'step/end',
  'request/header',
  'request/context',
  'session/title-llm-request',
  'session/end-seed',
  'subagent/descriptor',
  'llm/retry-started',
  'approval/policy',
  'sandbox/mode',
  'permission/preset',
  'compaction/start',
  'compaction/prune',
  'compaction/end',
  'agent-preset/selected',
  'web/deepseek-search-llm-request',
  'session-tree/turn',
  'session-tree/agent',
  'session-tree/model',
  'session-tree/envelope',
  'session-tree/acp-usage',
])

const ABORTED: Readonly<Record<string, string>> = {
  user: 'You stopped this turn.',
  parent: 'The parent session stopped this turn.',
  hook: 'A hook stopped this turn.',
  disposed: 'This turn ended because the program was closed.',
}

/** How a turn ended; nothing for one that ended as it should. */
export function turnEnd(
  data: unknown,
): { tone: 'failed' | 'quiet'; text: string; detail?: string; mayBeSentAgain?: boolean } | null {
  const reason = fields(fields(data)['reason'])
  switch (reason['kind']) {
    case 'completed':
      return null
    case 'aborted':
      return { tone: 'quiet', text: ABORTED[text(fields(reason['reason'])['kind'])] ?? 'This turn was stopped.' }
    case 'interrupted':
      return {
        tone: 'quiet',
        text: 'This turn was interrupted: the program ended before it was finished.',
        mayBeSentAgain: true,
      }
    case 'error':
      return { tone: 'failed', text: 'This turn failed.', detail: failure(fields(reason['error'])) }
    case 'blocked':
      return { tone: 'failed', text: 'This turn was blocked.' }
    case 'max-tokens':
      return { tone: 'failed', text: 'This turn stopped at the longest answer the model may give.' }
    case 'max-steps':
      return { tone: 'failed', text: 'This turn stopped at the most steps it may take.' }
    case 'forked':
      return null
    default:
      return { tone: 'quiet', text: `This turn ended: ${text(reason['kind']) || 'for an unknown reason'}.` }
  }
}

/** Which limit ended a session, where one did; the `turn/end` before it says only that something stopped the turn. */
export function stoppedByLimit(data: unknown): string | undefined {
  const { reason, outcome } = fields(data)
  if (reason !== 'budget' && reason !== 'timeout' && reason !== 'max-iter') return undefined
  return `Stopped: ${text(outcome) || 'a limit was reached'}.`
}

const DECIDED: Readonly<Record<string, string>> = { approved: 'allowed', denied: 'refused', cancelled: 'not answered' }

/** What an agent wanted to be allowed, and what came of it. */
export function approval(toolName: unknown, outcome: unknown): string {
  const asked = `Asked for approval of “${cleanTitle(text(toolName)) ?? 'a tool'}”`
  if (outcome === undefined) return `${asked}.`
  return `${asked}: ${DECIDED[text(outcome)] ?? 'answered'}.`
}

/** The provider asked to be asked again. */
export function retry(data: unknown): string {
  const { retry: count, maxRetries, delayMs, failure: cause } = fields(data)
  const after = number(delayMs) === undefined ? undefined : duration(number(delayMs) ?? 0)
  return [
    `The model did not answer (${failure(fields(cause))}).`,
    `Tried again${after === undefined ? '' : ` after ${after}`}, ${number(count) ?? '?'} of ${number(maxRetries) ?? '?'}.`,
  ].join(' ')
}

/** What context is called that no person typed. */
export function contextLabel(source: Fields): string {
  switch (source['kind']) {
    case 'subagent-settled':
      return 'A subagent finished'
    case 'subagent-report':
      return 'A subagent reported'
    case 'agent-instructions':
      return 'Instructions'
    case 'skill-catalog':
      return 'Skills'
    default:
  }
  switch (source['form']) {
    case 'instructions':
      return 'Instructions'
    case 'catalog':
      return 'What is available'
    case 'snapshot':
      return 'Context'
    case 'notice':
      return 'Notice'
    case 'relay':
      return 'Passed on'
    case 'recall':
      return 'Recalled'
    default:
      return 'Context'
  }
}

function failure(error: Fields): string {
  const message = text(error['message']).trim() || 'no reason given'
  const status = number(error['status'])
  return status === undefined ? message : `${message}, HTTP ${status}`
}
