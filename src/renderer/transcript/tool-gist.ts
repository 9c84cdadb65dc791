import { cleanTitle, cutTitle } from '../ui/title.ts'
import { text, type Fields } from './event-data.ts'

/** What a call is about, from the argument that says it best: in this order. */
const TELLING = ['command', 'pattern', 'query', 'file_path', 'path', 'url', 'description', 'title', 'prompt', 'message']

/**
 * A tool call in the space of half a line: the command, the file, the words searched for.
 * @param cwd paths inside it are shown without it
 */
export function toolGist(parsed: Fields | undefined, raw: string, cwd: string | undefined): string {
  if (!parsed) return shorten(raw)
  const name = TELLING.find((key) => text(parsed[key]).trim() !== '')
  if (name === undefined) {
    const first = Object.entries(parsed).find(([, value]) => typeof value === 'string' && value.trim() !== '')
    return first ? shorten(relative(text(first[1]), cwd)) : ''
  }
  const value = relative(text(parsed[name]), cwd)
  const place = name === 'pattern' || name === 'query' ? relative(text(parsed['path']), cwd) : ''
  return shorten(place === '' ? value : `${value} in ${place}`)
}

function relative(value: string, cwd: string | undefined): string {
  if (cwd === undefined || cwd === '/') return value
  if (value === cwd) return '.'
  return value.startsWith(`${cwd}/`) ? value.slice(cwd.length + 1) : value
}

function shorten(value: string): string {
  return cutTitle(cleanTitle(value.slice(0, 2000)) ?? '', 240)
}
