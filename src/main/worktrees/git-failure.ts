import { toolError, type ToolError } from '../../shared/tool-error.ts'
import type { GitOutput } from './git.ts'

/**
 * Turns an exit code that was not expected into a ToolError. Git runs with LC_ALL=C, so its sentences can be told
 * apart; what is not known by its sentence is `git_refused` with git's own words.
 * @param cwd where git ran, for the sentence and `path`
 */
export function explainGitFailure(output: GitOutput, cwd: string): ToolError {
  const words = gitWords(output)
  const about = { path: cwd }
  if (/detected dubious ownership|unsafe repository/.test(output.stderr)) {
    return toolError(
      'git_refused',
      `Git refuses this repository because another user owns it. Git says: ${words}`,
      about,
    )
  }
  const gone = /not a git repository: (.+)/.exec(output.stderr)?.[1]
  if (gone !== undefined) {
    return toolError(
      'not_a_repository',
      `The .git file at or above ${cwd} points to ${gone.trim()}, which is not there. The repository was moved or its list of worktrees was deleted.`,
      about,
    )
  }
  if (/not a git repository/.test(output.stderr)) {
    return toolError(
      'not_a_repository',
      `${cwd} is not in a git repository. A fork in the same folder still works.`,
      about,
    )
  }
  if (/File name too long|Filename too long/i.test(output.stderr)) {
    return toolError('path_too_long', `A path is too long for this system. Git says: ${words}`, about)
  }
  if (/xcode-select|xcrun: error/.test(output.stderr)) {
    return toolError('git_not_found', `Git is not installed yet. The system says: ${words}`)
  }
  return toolError('git_refused', `Git could not do this (exit code ${output.exitCode}). Git says: ${words}`, about)
}

/** Lines that say what happens, not what went wrong. */
const CHATTER = /^(?:Preparing worktree|Updating files:|Checking out files:|HEAD is now at|hint:)/

/** What git, or a hook under it, said: without progress, on one line, at most 600 letters. */
export function gitWords(output: { readonly stderr: string; readonly stdout?: string }): string {
  const lines = plainLines(output.stderr).filter((line) => !CHATTER.test(line))
  const said = lines.length > 0 ? lines : plainLines(output.stdout ?? '').filter((line) => !CHATTER.test(line))
  const text = said.join(' ').replace(/^(?:fatal|error): /, '')
  if (text === '') return '(nothing)'
  // The end is kept: a hook's long output ends with why it failed.
  return text.length > 600 ? `…${text.slice(-600)}` : text
}

/** Colours and moves of the cursor. */
const TERMINAL_SEQUENCE = /\p{Cc}\[[0-9;?]*[A-Za-z]/gu

const CONTROL_SIGNS = /\p{Cc}+/gu

/** Lines as a terminal would leave them: of each, what stands behind its last carriage return; no control signs. */
export function plainLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => {
      const overwritten = line.replace(/\r+$/, '').split('\r').at(-1) ?? ''
      return overwritten.replace(TERMINAL_SEQUENCE, '').replace(CONTROL_SIGNS, ' ').trim()
    })
    .filter((line) => line !== '')
}
