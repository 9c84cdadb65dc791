import { asRecord } from '../session-tree/event.ts'
import type { Preset, TokenUsage } from './agent.ts'
import { countOf } from './fields.ts'

/** The tokens of one prompt, out of what an agent tells with a prompt's end. */
export interface UsageCounter {
  /**
   * @param told `usage` of the prompt's result; absent where the agent gives none, as many do for a cancelled prompt.
   * @returns the prompt's own tokens, or undefined where they are not told.
   */
  take(told: unknown): TokenUsage | undefined
}

/*
 * ACP contradicts itself here (SDK 2.4, unstable): `PromptResponse.usage` is "token usage for this turn", the fields in it
 * are "across all turns", "across session"; agent-client-protocol#1860 is open, and nothing tells which an agent means.
 * What there is: Claude's and Cursor's are sums of the turn; OpenCode 1.18 and Codex tell the turn's last request only, so
 * less than was spent (tried with OpenCode; codex-acp#447); Copilot, from 1.0.78 on, counts the session through. Guessing
 * from the numbers would go wrong with the first turn that is larger than all before it, so the preset says it, and
 * the turn is what is meant where it says nothing.
 */

/**
 * @param counts what the agent's numbers cover.
 * @param before what it told last in this session, before it was started anew; for a session that is counted through.
 */
export function createUsageCounter(counts: Preset['usage'] = 'prompt', before?: unknown): UsageCounter {
  let last = usageOf(before)
  return {
    take(told) {
      const usage = usageOf(told)
      if (!usage || counts === 'prompt') return usage
      const since = last && difference(usage, last)
      last = usage
      return since ?? usage
    },
  }
}

/** What came on top. Undefined where something became less: then the agent has begun to count anew. */
function difference(now: TokenUsage, before: TokenUsage): TokenUsage | undefined {
  const since = { ...now }
  for (const name of ['inputTokens', 'outputTokens', ...OPTIONAL.map(([ours]) => ours)] as const) {
    const count = now[name]
    if (count === undefined) continue
    const more = count - (before[name] ?? 0)
    if (more < 0) return undefined
    since[name] = more
  }
  return since
}

const OPTIONAL = [
  ['cacheReadTokens', 'cachedReadTokens'],
  ['cacheWriteTokens', 'cachedWriteTokens'],
  ['reasoningTokens', 'thoughtTokens'],
] as const

function usageOf(value: unknown): { -readonly [Name in keyof TokenUsage]: TokenUsage[Name] } | undefined {
  const told = asRecord(value)
  const inputTokens = countOf(told?.['inputTokens'])
  const outputTokens = countOf(told?.['outputTokens'])
  if (!told || inputTokens === undefined || outputTokens === undefined) return undefined
  const optional = OPTIONAL.flatMap(([ours, theirs]) => {
    const count = countOf(told[theirs])
    return count === undefined ? [] : [[ours, count] as const]
  })
  return { inputTokens, outputTokens, ...Object.fromEntries(optional) }
}
