import { grouped } from '../ui/numbers.ts'
import { byteSize } from '../ui/paths.ts'
import { fields, number, text } from './event-data.ts'
import { retry } from './event-words.ts'

interface QuietNote {
  readonly text: string
  readonly detail?: string
}

/**
 * Events that are one quiet sentence between the messages.
 * @returns null where there is nothing to tell, undefined for an event that is not one of these
 */
export function quietNote(type: string, data: unknown): QuietNote | null | undefined {
  switch (type) {
    case 'llm/retry':
      return { text: retry(data) }
    case 'command/run': {
      const { name, args } = fields(data)
      return { text: `/${text(name)} ${text(args)}`.trim() }
    }
    case 'session-tree/raise-rejected':
      return { text: rejectedRaise(data) }
    case 'session-tree/acp-model':
      return { text: text(fields(data)['message']) || 'The agent uses another model than was asked for.' }
    case 'session-tree/history':
      return agentHistory(data)
    case 'session-tree/acp-update':
      return AGENT_FACTS.has(text(fields(fields(data)['update'])['sessionUpdate'])) ? null : undefined
    default:
      return undefined
  }
}

/** Updates of an agent about itself, of which the window makes nothing. What it does not know is shown as it is. */
const AGENT_FACTS: ReadonlySet<string> = new Set([
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
])

/** An attempt to raise a limit, which stands in the log for good. */
function rejectedRaise(data: unknown): string {
  const { asked, limit } = fields(data)
  const [more, less] = [asked, limit].map((count) => (number(count) === undefined ? '?' : grouped(number(count) ?? 0)))
  return `A limit of ${more} tokens instead of ${less} was asked for and refused: a limit is set once.`
}

/** How an agent came to know what was said before; one that has its own session again needs no words. */
function agentHistory(data: unknown): QuietNote | null {
  const { how, bytes, reason } = fields(data)
  const why = text(reason)
  const detail = why === '' ? {} : { detail: why }
  if (how === 'text') {
    const size = byteSize(number(bytes) ?? 0)
    return { text: `The agent was given the last ${size} of what was said before, and the path of the log.`, ...detail }
  }
  if (how === 'forked') return { text: 'The agent goes on from a fork of its own session.', ...detail }
  return how === 'new' ? { text: 'The agent knows nothing of what was said before.', ...detail } : null
}
