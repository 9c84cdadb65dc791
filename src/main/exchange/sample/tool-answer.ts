import { extname } from 'node:path'

export interface ToolAnswer {
  readonly text: string
  /** What DSH's own tool leaves for its display (dsh-format §5). */
  readonly meta?: object
}

/**
 * A tool's answer as DSH's own tools word it, made from what the template says: for `read` the bare file, for others the answer as it is.
 */
export function toolAnswer(tool: string, asked: unknown, text: string): ToolAnswer {
  const given: Readonly<Record<string, unknown>> = typeof asked === 'object' && asked !== null ? { ...asked } : {}
  if (tool === 'read') return readAnswer(String(given['file_path']), Number(given['offset'] ?? 1), text)
  if (tool === 'edit') {
    const diff = { path: given['file_path'], oldText: given['old_string'], newText: given['new_string'] }
    return { text, meta: { diffs: [diff] } }
  }
  return { text }
}

function readAnswer(path: string, offset: number, file: string): ToolAnswer {
  const lines = file.split('\n').map((text, place) => ({ number: offset + place, text }))
  const numbered = lines.map((line) => `${line.number}: ${line.text}`).join('\n')
  const last = offset + lines.length - 1
  return {
    text: `<path>${path}</path>\n<type>file</type>\n<content>\n${numbered}\n\n(End of file - total ${last} lines)\n</content>`,
    meta: { path, offset, lines, totalLines: last, lang: extname(path).slice(1) },
  }
}
