import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'

/*
 * Which SQLite binding is used, and what the catalog's file looks like. Nothing else knows either. Everything here
 * blocks: it belongs in a worker thread.
 */

/** Raised with every change of the tables or of what `facts` holds: an older file is dropped, not migrated. */
const SCHEMA_VERSION = 2

const SCHEMA = `
  CREATE TABLE log (
    path TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    size REAL NOT NULL,
    mtime REAL NOT NULL,
    inode REAL NOT NULL,
    facts TEXT NOT NULL
  );
  CREATE INDEX log_id ON log (id);
  PRAGMA user_version = ${SCHEMA_VERSION};
`

/** better-sqlite3 13 is built for it and crashes the whole process below it: ask first, never try. */
const NAPI_OF_13 = 10

/** An open database, as both bindings give it. */
export type Connection = Database.Database

/**
 * Opens the catalog's database, and makes it anew where it is not there, from another version, or not a database.
 * @param path the file; its folder is made
 * @param resources the runtime's `resources` folder, where the floor runtime's own binding is; absent outside Electron
 * @returns `io_failed` if there is no binding for this runtime or the file cannot be made
 */
export function openDatabase(path: string, resources: string | undefined): Result<Connection> {
  const binding = loadBinding(resources)
  if (!binding.ok) return binding
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return ok(openCurrent(binding.value, path) ?? openNew(binding.value, path))
  } catch (error) {
    return fail(unavailable(`${path} cannot be opened (${reasonOf(error)})`, path))
  }
}

/** Removes the database's files, for a new beginning. They are derived: nothing is lost. */
export function dropDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
}

/** True if an error says that the file's content is no good. */
export function isDamage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB' || String(code).startsWith('SQLITE_CORRUPT_')
}

type Binding = new (path: string) => Connection

function loadBinding(resources: string | undefined): Result<Binding> {
  const load = createRequire(import.meta.url)
  const isRecent = Number(process.versions.napi) >= NAPI_OF_13
  if (!isRecent && resources === undefined) {
    return fail(unavailable(`this runtime has Node-API ${process.versions.napi}, and SQLite here needs ${NAPI_OF_13}`))
  }
  const name = isRecent ? 'better-sqlite3' : join(resources ?? '', 'node_modules', 'better-sqlite3')
  try {
    const binding: Binding = load(name)
    return ok(binding)
  } catch (error) {
    return fail(unavailable(`SQLite could not be loaded (${reasonOf(error)})`))
  }
}

/** Undefined if the file is from another version or damaged; it is removed then. */
function openCurrent(Binding: Binding, path: string): Connection | undefined {
  let database: Connection | undefined
  try {
    database = openPrivate(Binding, path)
    if (database.pragma('user_version', { simple: true }) === SCHEMA_VERSION) return database
  } catch (error) {
    if (!isDamage(error)) {
      database?.close()
      throw error
    }
  }
  database?.close()
  dropDatabase(path)
  return undefined
}

function openNew(Binding: Binding, path: string): Connection {
  const database = openPrivate(Binding, path)
  database.transaction(() => database.exec(SCHEMA))()
  return database
}

/** Titles and prompts are as private as the logs (design §3); SQLite gives its other files the rights of the first. */
function openPrivate(Binding: Binding, path: string): Connection {
  closeSync(openSync(path, 'a', 0o600))
  return tuned(new Binding(path))
}

/** WAL: readers do not wait for the writer. Its durability is enough: what a loss of power takes is derived again. */
function tuned(database: Connection): Connection {
  // Rows are read all at once: in large pages, and in the order of coming (not of paths), they take a third less time.
  database.pragma('page_size = 16384')
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  database.pragma('temp_store = MEMORY')
  return database
}

function unavailable(why: string, path?: string) {
  const message = `The catalog is not used: ${why}. Everything works without it; long lists take longer to appear.`
  return toolError('io_failed', message, path === undefined ? {} : { path })
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
