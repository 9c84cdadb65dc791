import type { LegacyRecord, LogHeader, WorktreeRecord } from '../../shared/session-event.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import type { SessionKind } from '../../shared/tools.ts'
import { asRecord } from './event.ts'
import { parentOf, rootOf } from './layout.ts'
import type { NewSession, SessionPlace } from './session-tree.ts'

/** The one format version that is read and written here (dsh-format §1). */
const LOG_VERSION = 0

/** What a first line says. `header` may be there beside a `problem`: the session is odd but can be shown. */
export interface HeaderReading {
  readonly header?: LogHeader
  readonly problem?: ToolError
}

/**
 * Reads a log's first line and holds it against its place (spec §4: layout and header must agree).
 * Where the kind or the root is missing the folder's are filled in beside the problem, so that the session can be shown.
 * @param line without its newline; a byte order mark and a carriage return are ignored (field fault F05).
 */
export function readHeader(line: string, place: SessionPlace): HeaderReading {
  const path = place.logPath
  const damaged = (what: string, field?: string): HeaderReading => ({
    problem: toolError(
      'log_damaged',
      `The first line of ${path} ${what}. The log can be opened in an editor, but the session cannot be used.`,
      field === undefined ? { path } : { path, field },
    ),
  })
  let parsed: unknown
  try {
    parsed = JSON.parse(line.startsWith('\uFEFF') ? line.slice(1) : line)
  } catch {
    return damaged('is not a whole header')
  }
  const raw = asRecord(parsed)
  if (raw?.['type'] !== 'session') return damaged('is not a session header', 'type')
  if (typeof raw['version'] !== 'number') return damaged('names no version', 'version')
  const header = hasDshFields(raw) ? toHeader(raw, place) : undefined
  if (raw['version'] !== LOG_VERSION) {
    return { ...(header ? { header } : {}), problem: unsupportedVersion(raw['version'], path) }
  }
  if (!header) {
    const fault = headerFault(raw)
    return damaged(`has no valid ${fault}`, fault)
  }
  const problem = disagreement(raw, place)
  return problem ? { header, problem } : { header }
}

/** Says which version a log has, and that it is not read here; in the terms DSH itself uses. */
function unsupportedVersion(version: number, path: string): ToolError {
  return toolError(
    'unsupported_version',
    version > LOG_VERSION
      ? `${path} uses log format v${version}, but only v${LOG_VERSION} is read here: it was written by a newer program. Update Treeline, or open the log in an editor.`
      : `${path} uses log format v${version}, which is not a version that is read here. Open the log in an editor.`,
    { path, field: 'version' },
  )
}

/** The fields a header has in DSH's own terms; the spec's own stand beside them. */
type DshFields = Omit<LogHeader, 'kind' | 'root_session_id' | 'parent_session_id' | 'worktree' | 'legacy'>

/** The first field that DSH would refuse, if any (dsh-format §3). `null` counts as a wrong value, never as absent. */
function headerFault(raw: Readonly<Record<string, unknown>>): string | undefined {
  if (!isText(raw['id'])) return 'id'
  if (!isCount(raw['createdAt'])) return 'createdAt'
  if (!isCount(raw['delegationDepth'])) return 'delegationDepth'
  const wrongText = ['cwd', 'parentSession', 'agentPreset'].find(
    (field) => raw[field] !== undefined && !isText(raw[field]),
  )
  if (wrongText) return wrongText
  const wrongCount = ['seedLength', 'seedBytes'].find((field) => raw[field] !== undefined && !isCount(raw[field]))
  if (wrongCount) return wrongCount
  if (raw['origin'] !== undefined && raw['origin'] !== 'subagent') return 'origin'
  if (raw['worktree'] !== undefined && !isText(asRecord(raw['worktree'])?.['path'])) return 'worktree'
  // DSH has retired these two; with them it refuses the header.
  return ['sandboxMode', 'approvalPolicy'].find((field) => Object.hasOwn(raw, field))
}

function hasDshFields(raw: Readonly<Record<string, unknown>>): raw is Readonly<Record<string, unknown>> & DshFields {
  return headerFault(raw) === undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isKind(value: unknown): value is SessionKind {
  return value === 'main' || value === 'fork' || value === 'subagent'
}

function toHeader(raw: Readonly<Record<string, unknown>> & DshFields, place: SessionPlace): LogHeader {
  const { kind, parent_session_id: parent, root_session_id: root } = raw
  const worktree = toWorktree(raw['worktree'])
  const legacy = toLegacy(raw['legacy'])
  return {
    type: 'session',
    version: raw.version,
    id: raw.id,
    createdAt: raw.createdAt,
    ...(raw.cwd === undefined ? {} : { cwd: raw.cwd }),
    ...(raw.parentSession === undefined ? {} : { parentSession: raw.parentSession }),
    ...(raw.seedLength === undefined ? {} : { seedLength: raw.seedLength }),
    ...(raw.origin === undefined ? {} : { origin: raw.origin }),
    delegationDepth: raw.delegationDepth,
    ...(raw.agentPreset === undefined ? {} : { agentPreset: raw.agentPreset }),
    kind: isKind(kind) ? kind : place.kind,
    ...(isText(parent) ? { parent_session_id: parent } : {}),
    root_session_id: isText(root) ? root : rootOf(place),
    ...(worktree ? { worktree } : {}),
    ...(raw.seedBytes === undefined ? {} : { seedBytes: raw.seedBytes }),
    ...(legacy ? { legacy } : {}),
  }
}

function toWorktree(value: unknown): WorktreeRecord | undefined {
  const raw = asRecord(value)
  if (!raw) return undefined
  const text = (field: string) => (typeof raw[field] === 'string' ? raw[field] : '')
  return { path: text('path'), branch: text('branch'), base: text('base'), repository: text('repository') }
}

function toLegacy(value: unknown): LegacyRecord | undefined {
  const raw = asRecord(value)
  if (!raw) return undefined
  const { id, parentSession, reason } = raw
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof parentSession === 'string' ? { parentSession } : {}),
    reason: typeof reason === 'string' ? reason : '',
  }
}

/** The first field in which header and layout differ, with both sides named; undefined if they agree. */
function disagreement(raw: Readonly<Record<string, unknown>>, place: SessionPlace): ToolError | undefined {
  const path = place.logPath
  const parent = parentOf(place)
  const differ = (field: string, layout: string | undefined) => {
    const said = raw[field] === undefined ? `has no ${field}` : `says ${field} ${JSON.stringify(raw[field])}`
    const stands = layout === undefined ? `there is no ${field} for it` : `makes it ${JSON.stringify(layout)}`
    return toolError(
      'layout_mismatch',
      `The header of ${path} ${said}, but where the log stands ${stands}. Move the session's folder to where its header says, or correct the header in an editor.`,
      { path, field },
    )
  }
  if (raw['id'] !== place.id) return differ('id', place.id)
  if (raw['kind'] !== place.kind) return differ('kind', place.kind)
  if (raw['root_session_id'] !== rootOf(place)) return differ('root_session_id', rootOf(place))
  if (raw['parent_session_id'] !== parent) return differ('parent_session_id', parent)
  if (raw['parentSession'] !== parent) return differ('parentSession', parent)
  return undefined
}

/** What a fork's header says about its seed. */
export interface SeedRecord {
  /** Copied events. */
  readonly seedLength: number
  /** Copied bytes. */
  readonly length: number
}

/**
 * The header of a new session, fields in DSH's order and by dsh-format §11.
 * @param parentDepth the parent's `delegationDepth`; ignored unless a subagent is made.
 * @param seed forks only.
 */
export function buildHeader(
  session: NewSession,
  place: SessionPlace,
  parentDepth: number,
  seed: SeedRecord | undefined,
): LogHeader {
  const parent = parentOf(place)
  const header: LogHeader = {
    type: 'session',
    version: LOG_VERSION,
    id: session.id,
    createdAt: session.createdAt,
    cwd: session.cwd,
    ...(parent === undefined ? {} : { parentSession: parent }),
    ...(seed ? { seedLength: seed.seedLength } : {}),
    ...(place.kind === 'subagent' ? { origin: 'subagent' as const } : {}),
    delegationDepth: place.kind === 'subagent' ? parentDepth + 1 : 0,
    ...(session.agentPreset === undefined ? {} : { agentPreset: session.agentPreset }),
    kind: place.kind,
    ...(parent === undefined ? {} : { parent_session_id: parent }),
    root_session_id: rootOf(place),
    ...(session.worktree ? { worktree: session.worktree } : {}),
  }
  return seed ? withSeedBytes(header, seed.length) : header
}

/** The header with `seedBytes`: its own length moves the seed of `length` bytes, and the number that says so is part of it. */
export function withSeedBytes(header: LogHeader, length: number): LogHeader {
  let seedBytes = 0
  for (;;) {
    const candidate = { ...header, seedBytes }
    const needed = Buffer.byteLength(headerLine(candidate)) + length
    if (needed === seedBytes) return candidate
    seedBytes = needed
  }
}

/** The header as it stands in the file, newline included. */
export function headerLine(header: LogHeader): string {
  return `${JSON.stringify(header)}\n`
}
