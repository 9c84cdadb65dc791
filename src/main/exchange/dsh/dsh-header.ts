import { fail, ok, type Result } from '../../../shared/result.ts'
import { toolError } from '../../../shared/tool-error.ts'
import { asRecord } from '../../session-tree/event.ts'

/** DSH's header line as DSH itself reads it (dsh-format §3). Other fields on the line mean nothing to DSH. */
export interface DshHeader {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly delegationDepth: number
  readonly cwd?: string
  readonly parentSession?: string
  readonly seedLength?: number
  readonly origin?: 'subagent'
  readonly agentPreset?: string
  /** True if the line has the session tree's own fields, so that the log is no import but already at home. */
  readonly inTreeTerms: boolean
}

/** The only log format this version of DSH and we read (dsh-format §1). */
const READABLE_VERSION = 0

/**
 * Reads a log's first line (without its line feed) by DSH's own rules.
 * @returns the header; `unsupported_version` for another format version, whatever the rest of the line looks like;
 * `log_damaged` for a line that DSH refuses, with the field that is wrong.
 */
export function parseDshHeader(line: string, path: string): Result<DshHeader> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return damaged(path, 'its first line is not JSON')
  }
  const record = asRecord(value)
  if (!record) return damaged(path, 'its first line is not a session header')
  const { version } = record
  if (typeof version === 'number' && version !== READABLE_VERSION) return unsupportedVersion(version, path)
  if (!isDshHeader(record)) {
    const wrong = wrongField(record)
    return damaged(path, `its header's ${wrong?.field} ${wrong?.why}`, wrong?.field)
  }
  const { id, createdAt, delegationDepth, cwd, parentSession, seedLength, origin, agentPreset } = record
  return ok({
    id,
    createdAt,
    delegationDepth,
    ...(cwd === undefined ? {} : { cwd }),
    ...(parentSession === undefined ? {} : { parentSession }),
    ...(seedLength === undefined ? {} : { seedLength }),
    ...(origin === undefined ? {} : { origin }),
    ...(agentPreset === undefined ? {} : { agentPreset }),
    inTreeTerms: 'root_session_id' in record && 'kind' in record,
  })
}

function isDshHeader(record: object): record is Omit<DshHeader, 'inTreeTerms'> {
  return wrongField({ ...record }) === undefined
}

/** Says that a log is of a format version that is not read here. */
export function unsupportedVersion(version: number, path: string): Result<never> {
  return fail(
    toolError(
      'unsupported_version',
      `${path} is written in DSH's log format v${version}, which is not supported (v${version}). ` +
        'Only version 0 can be imported; the file was left as it is.',
      { field: 'version', path },
    ),
  )
}

function damaged(path: string, why: string, field?: string): Result<never> {
  return fail(
    toolError(
      'log_damaged',
      `${path} cannot be imported: ${why}. DSH refuses it too; the file was left as it is.`,
      field === undefined ? { path } : { field, path },
    ),
  )
}

function wrongField(record: Readonly<Record<string, unknown>>): { field: string; why: string } | undefined {
  if (record['type'] !== 'session') return { field: 'type', why: 'is not "session"' }
  if (record['version'] !== READABLE_VERSION) return { field: 'version', why: 'is not a number' }
  if (typeof record['id'] !== 'string' || record['id'] === '') return { field: 'id', why: 'is missing' }
  for (const field of ['createdAt', 'delegationDepth']) {
    if (!isCount(record[field])) return { field, why: NO_COUNT }
  }
  for (const field of ['cwd', 'parentSession', 'agentPreset']) {
    if (field in record && typeof record[field] !== 'string') return { field, why: 'is not text' }
  }
  if (record['cwd'] === '') return { field: 'cwd', why: 'is empty' }
  if ('seedLength' in record && !isCount(record['seedLength'])) return { field: 'seedLength', why: NO_COUNT }
  if ('origin' in record && record['origin'] !== 'subagent') return { field: 'origin', why: 'is not "subagent"' }
  const retired = ['sandboxMode', 'approvalPolicy'].find((field) => field in record)
  return retired === undefined ? undefined : { field: retired, why: 'is a field that DSH has retired' }
}

const NO_COUNT = 'is not a whole number from 0 up'

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0)
}
