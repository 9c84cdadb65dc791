/** yauzl ships no types; this is the part of it that the set-up uses. */
declare module 'yauzl' {
  import type { Readable } from 'node:stream'

  interface Entry {
    fileName: string
    /** Unix mode in the upper 16 bits. */
    externalFileAttributes: number
  }
  interface ZipFile {
    eachEntry(): AsyncIterable<Entry>
    openReadStreamPromise(entry: Entry): Promise<Readable>
  }
  const yauzl: { openPromise(path: string): Promise<ZipFile> }
  export default yauzl
}
