import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Context } from '@deepseek-ai/cordis'
import { SessionId, SessionStore } from '@deepseek-ai/dsh-session'
import { JsonlSessionPersistence } from '@deepseek-ai/dsh-session-persistence-jsonl'
import { asRecord } from '../event.ts'

/** What the real DSH backend makes of a log. */
export interface DshReading {
  readonly meta: { readonly id: string; readonly seedLength?: number; readonly parentSession?: string }
  readonly events: readonly {
    readonly type: string
    readonly seq: number
    readonly time: number
    readonly data: unknown
  }[]
  /** True if DSH changed the file: it cut a tail or added closers. A log we wrote must come back as it was. */
  readonly repaired: boolean
}

/** The real DSH JSONL backend on a root of its own, plain and unpacked (stack-facts §6). */
export interface DshBackend {
  readonly root: string
  /** Copies a log into DSH's own layout, and loads it. @throws what DSH throws if it refuses the log. */
  load(logPath: string): Promise<DshReading>
  /** DSH's own list of the sessions under `root`. */
  list(): Promise<readonly { readonly id: string }[]>
  /** Reads without repairing, as DSH does for looking. */
  inspect(id: string): Promise<{ readonly events: readonly unknown[] }>
  stop(): Promise<void>
}

/**
 * Starts the backend.
 * @param root an existing root in DSH's layout; absent: a temporary one that `stop` removes.
 */
export async function startDshBackend(root?: string): Promise<DshBackend> {
  const own = root === undefined ? await mkdtemp(join(tmpdir(), 'treeline-dsh-')) : undefined
  const sessions = root ?? join(own ?? '', 'sessions')
  await mkdir(sessions, { recursive: true })
  const context = new Context()
  await context.plugin(SessionStore)
  await context.plugin(JsonlSessionPersistence, { root: sessions, compression: 'none', packChunks: false })
  const persistence = await waitFor(() => context.get('sessionPersistence'))
  return {
    root: sessions,
    async load(logPath) {
      const log = await readFile(logPath)
      const { id, cwd } = asRecord(JSON.parse(log.toString('utf8', 0, log.indexOf(10)))) ?? {}
      if (typeof id !== 'string') throw new Error(`${logPath} names no session`)
      const copy = join(sessions, projectFolder(cwd), id, 'session.jsonl')
      await mkdir(dirname(copy), { recursive: true })
      await copyFile(logPath, copy)
      const { meta, events } = await persistence.load(SessionId(id))
      return { meta, events, repaired: !log.equals(await readFile(copy)) }
    },
    list: () => persistence.list(),
    inspect: (id) => persistence.inspect(SessionId(id)),
    async stop() {
      await context.fiber.dispose()
      if (own !== undefined) await rm(own, { recursive: true, force: true })
    },
  }
}

/** DSH's folder of a project (dsh-format §1): separators become one dash, unsafe units `~XXXX`. */
function projectFolder(cwd: unknown): string {
  if (typeof cwd !== 'string') return '_no-cwd'
  const readable = cwd
    .replaceAll(/[/\\:]+/g, '-')
    .replaceAll(/[^A-Za-z0-9._-]/g, (unit) => `~${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`)
  return `--${(readable.replace(/^-+/, '') || 'root').slice(0, 251)}--`
}

async function waitFor<Value>(look: () => Value | undefined): Promise<Value> {
  for (;;) {
    const value = look()
    if (value !== undefined) return value
    // The service registers itself in a later turn of the event loop; there is nothing else to wait on.
    await new Promise(setImmediate)
  }
}
