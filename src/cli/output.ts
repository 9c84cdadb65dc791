import type { ToolError } from '../shared/tool-error.ts'

/** A result: JSON on stdout, on one line for programs and indented for a person. */
export function printResult(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, undefined, process.stdout.isTTY ? 2 : undefined)}\n`)
}

/** One of many: JSON on stdout, always on one line. */
export function printLine(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

/** What a person should know about a success, such as a hook that failed: JSON on stderr. */
export function printWarning(sentence: string): void {
  process.stderr.write(`${JSON.stringify({ warning: sentence })}\n`)
}

/** An error: JSON on stderr. */
export function printError({ code, message, field }: Pick<ToolError, 'code' | 'message' | 'field'>): void {
  process.stderr.write(`${JSON.stringify({ error: { code, message, ...(field !== undefined && { field }) } })}\n`)
}

/** What is going on, for a person who watches: one line on stderr that replaces itself. Nothing where nobody watches. */
export function progressLine(): { show(sentence: string): void; end(): void } {
  if (!process.stderr.isTTY) return { show: () => undefined, end: () => undefined }
  let shown = false
  return {
    show(sentence) {
      // A sentence that wraps could not be replaced. Two columns are left for wide letters at the edge.
      const width = Math.max(20, process.stderr.columns - 2)
      // A sentence may quote a title, and a title may hold what a terminal obeys (field fault F29).
      process.stderr.write(`\r\u001b[K${sentence.replaceAll(/\p{Cc}/gu, ' ').slice(0, width)}`)
      shown = true
    },
    end() {
      if (shown) process.stderr.write('\r\u001b[K')
    },
  }
}
