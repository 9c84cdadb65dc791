import { execFile, type ExecFileException } from 'node:child_process'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { SessionFixture } from './fixtures.ts'

/** What an end-to-end test finds on disk after the window has said something: the truth is there. */

const projectRoot = resolve(fileURLToPath(new URL('..', import.meta.url)))

/** Logs of the real DSH and broken ones; a clone of the project alone does not have them. */
export const sharedFixtures = resolve(projectRoot, '..', 'shared', 'fixtures')

const splice = z.object({ inserted: z.array(z.object({ content: z.array(z.object({ text: z.string() })) })) })

export interface LogOnDisk {
  readonly header: Readonly<Record<string, unknown>>
  readonly headerBytes: Buffer
  /** Everything behind the header's line. */
  readonly body: Buffer
  readonly events: readonly { readonly type: string; readonly seq: number; readonly data: Record<string, unknown> }[]
}

/** A log as it lies there; throws where a line is no JSON. */
export async function readLog(path: string): Promise<LogOnDisk> {
  const bytes = await readFile(path)
  const end = bytes.indexOf(10) + 1
  const [header, ...events] = bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  return { header, headerBytes: bytes.subarray(0, end), body: bytes.subarray(end), events }
}

/** The prompts that were put into an inbox from the `from`-th event on, whole. */
export function queuedPrompts({ events }: LogOnDisk, from = 0): string[] {
  return events
    .filter((event) => event.seq >= from && event.type === 'agent/inbox/spliced')
    .flatMap((event) => splice.parse(event.data).inserted)
    .map((message) => message.content.map(({ text }) => text).join(''))
}

/** The forks' logs of a main, in no order. */
export async function forkLogs(main: SessionFixture): Promise<string[]> {
  const folder = join(main.directory, 'forks')
  const names = await readdir(folder).catch(() => [])
  return names.map((name) => join(folder, name, 'session.jsonl'))
}

/** The log of the one fork a main has; throws where there is none or another. */
export async function onlyFork(main: SessionFixture): Promise<string> {
  const [log, ...others] = await forkLogs(main)
  if (log === undefined || others.length > 0) throw new Error(`There are ${others.length + (log ? 1 : 0)} forks`)
  return log
}

/** Every file and folder below `folder` with its size and its last change in nanoseconds: equal when nothing was touched. */
export async function stateOf(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const paths = [folder, ...names.map((name) => join(folder, name))]
  const states = await Promise.all(
    paths.toSorted().map(async (path) => {
      const found = await lstat(path, { bigint: true }).catch(() => undefined)
      return [relative(folder, path), found ? `${found.size} ${found.mtimeNs}` : 'not there'] as const
    }),
  )
  return Object.fromEntries(states)
}

export interface CommandAnswer {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built command line as another program would. Never rejects. */
export function treeline(home: string, ...values: readonly string[]): Promise<CommandAnswer> {
  const command = [join(projectRoot, 'out', 'cli', 'treeline.js'), '--home', home, ...values]
  return new Promise((done) => {
    execFile(process.execPath, command, (error: ExecFileException | null, stdout, stderr) => {
      done({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr })
    })
  })
}
