import { StringDecoder } from 'node:string_decoder'
import { cutAt } from '../session-tree/own-words.ts'
import { createMasker } from './masking.ts'

export type OutputStream = 'stdout' | 'stderr'

/** What a command writes, as far as it is kept: its beginning and its end. */
export interface ShellOutput {
  write(stream: OutputStream, bytes: Buffer): void
  /** No more bytes will come. @returns what is kept, with a line that says how much lies between, and how much it was in all. */
  end(): { readonly text: string; readonly bytes: number; readonly omitted: number }
}

/** The first letters are kept and shown as they come; the last ones as well, since errors stand there. */
const HEAD_LETTERS = 192 * 1024
const TAIL_LETTERS = 64 * 1024
const PIECE_LETTERS = 16 * 1024

/**
 * @param secrets are masked before anything is kept or shown, also where a piece ends within one.
 * @param show is given the beginning in pieces, as it comes.
 */
export function createShellOutput(
  secrets: readonly string[],
  show: (stream: OutputStream, text: string) => void,
): ShellOutput {
  const streams = {
    stdout: { decoder: new StringDecoder('utf8'), masker: createMasker(secrets) },
    stderr: { decoder: new StringDecoder('utf8'), masker: createMasker(secrets) },
  }
  let head = ''
  let tail = ''
  let omitted = 0
  let bytes = 0

  function keep(stream: OutputStream, text: string): void {
    const first = cutAt(text, HEAD_LETTERS - head.length)
    if (tail === '' && omitted === 0 && first !== '') {
      head += first
      for (let rest = first; rest !== '';) {
        const piece = cutAt(rest, PIECE_LETTERS)
        show(stream, piece)
        rest = rest.slice(piece.length)
      }
    }
    const rest = tail === '' && omitted === 0 ? text.slice(first.length) : text
    if (rest === '') return
    tail += rest
    // Cut seldom, not at each piece: twice the tail is held at most, and one piece.
    if (tail.length > 2 * TAIL_LETTERS) cutTail()
  }

  function cutTail(): void {
    const left = tail.length - TAIL_LETTERS
    if (left <= 0) return
    // Not between the halves of a letter.
    const from = /^[\uDC00-\uDFFF]/.test(tail.charAt(left)) ? left + 1 : left
    tail = tail.slice(from)
    omitted += from
  }

  return {
    write(stream, chunk) {
      bytes += chunk.length
      const { decoder, masker } = streams[stream]
      keep(stream, masker.push(decoder.write(chunk)))
    },
    end() {
      for (const stream of ['stdout', 'stderr'] as const) {
        const { decoder, masker } = streams[stream]
        keep(stream, masker.push(decoder.end()) + masker.end())
      }
      cutTail()
      const gap = omitted > 0 ? `\n[… ${omitted.toLocaleString('en')} letters left out …]\n` : ''
      return { text: head + gap + tail, bytes, omitted }
    },
  }
}
