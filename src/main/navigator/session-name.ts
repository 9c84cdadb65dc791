import { cutAt } from '../session-tree/own-words.ts'
import type { SessionFacts } from '../session-tree/session-tree.ts'

/** Enough for any row and its tooltip; the whole prompt is in the log. */
const LONGEST_PROMPT = 300
const LONGEST_NAME = 120

/** The session's own first prompt as a row carries it. */
export function rowPrompt(facts: SessionFacts): string | undefined {
  return facts.firstPrompt === undefined ? undefined : cutAt(facts.firstPrompt, LONGEST_PROMPT)
}

/**
 * What a session is called where there is one line for it: its title, else the beginning of its own first prompt, else
 * the last digits of its id (spec §2.3).
 */
export function sessionName(facts: SessionFacts): string {
  const line = (facts.title ?? facts.firstPrompt ?? '').replaceAll(/\s+/g, ' ').trim()
  return line === '' ? `Session ${facts.place.id.slice(-6)}` : cutAt(line, LONGEST_NAME)
}
