import { plainLines } from './git-failure.ts'

/** Reads what `git worktree add` says while it runs; each new sentence for the person is told once. */
export interface AddProgress {
  /** Takes output as it comes, in pieces of any size. */
  read(text: string): void
}

/**
 * @param tell gets sentences such as "Checking out files: 42%"
 * @param hasHook whether a post-checkout hook will run once the files are there
 */
export function readAddProgress(tell: (sentence: string) => void, hasHook: boolean): AddProgress {
  let rest = ''
  let last = ''
  let checkedOut = false
  const say = (sentence: string): void => {
    if (sentence === last) return
    last = sentence
    tell(sentence)
  }
  const line = (text: string): void => {
    const percent = /^(?:Updating|Checking out) files:\s+(\d+)%/.exec(text)?.[1]
    // Git's two outputs are two pipes: a percentage may come in after the line that stands behind it.
    if (percent !== undefined && checkedOut) return
    if (percent !== undefined) return say(`Checking out files: ${percent}%`)
    // All that is left after this line is the hook.
    if (text.startsWith('HEAD is now at ')) {
      checkedOut = true
      if (hasHook) say('Waiting for the post-checkout hook…')
      return
    }
    if (checkedOut && hasHook) say(`Waiting for the post-checkout hook: ${text.slice(0, 120)}`)
  }
  return {
    read: (text) => {
      const lines = (rest + text).split(/[\r\n]/)
      rest = lines.pop() ?? ''
      for (const raw of lines) for (const plain of plainLines(raw)) line(plain)
    },
  }
}
