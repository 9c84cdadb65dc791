import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import { asRecord } from '../session-tree/event.ts'
import { identityOf, isRunning, livenessOf, type ProcessIdentity } from '../session-tree/owner-lock-process.ts'
import { replaceFile } from '../settings/replace-file.ts'
import { endMarked } from '../worktrees/surviving-git.ts'
import { endGroup } from './process-group.ts'

/** The variable by which whatever an agent has started is known, also when its number was not yet on record. */
const AGENT_MARK = 'TREELINE_AGENT'

/** What is kept about one live agent under `<home>/treeline/agents/`, from before its first process until after its last. */
export interface AgentRecord {
  /** To be put into the environment of every process of the agent. */
  readonly environment: Readonly<Record<string, string>>
  /** Puts the process group that `pid` leads on record. */
  started(pid: number): Promise<void>
  /** The agent is gone. */
  close(): Promise<void>
}

/**
 * Opens the record of an agent, on disk before this returns: a crash from here on leaves a session to be looked at.
 * Fails with `io_failed`.
 */
export async function openAgentRecord(folder: string, session: SessionId): Promise<Result<AgentRecord>> {
  const mark = randomBytes(12).toString('hex')
  const path = join(folder, `${mark}.json`)
  const groups: ProcessIdentity[] = []
  const save = () => replaceFile(path, `${JSON.stringify({ session, mark, groups })}\n`)
  let saving = Promise.resolve()
  try {
    await save()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `${session} cannot be started: its record ${path} cannot be written (${reason}).`
    return fail(toolError('io_failed', message, { path }))
  }
  return ok({
    environment: { [AGENT_MARK]: mark },
    started(pid) {
      saving = saving.then(async () => {
        groups.push(await identityOf(pid))
        // Without the record the mark alone must do: the process is found by its environment.
        await save().catch(() => undefined)
      })
      return saving
    },
    async close() {
      await saving
      await rm(path, { force: true })
    },
  })
}

/** An agent that was live when its owner died. */
export interface LeftAgent {
  readonly session: SessionId
  /** Takes it off the record, once its session is in order. */
  forget(): Promise<void>
}

/**
 * Ends whatever agents of a killed owner are still at work: their process groups, and what they have started elsewhere.
 * For the home's new owner, before it does anything else.
 * @returns the sessions they worked on, and sentences about what could not be ended.
 */
export async function endLeftAgents(
  folder: string,
): Promise<{ readonly left: readonly LeftAgent[]; readonly reports: readonly string[] }> {
  const names = await readdir(folder).catch(() => [])
  const left: LeftAgent[] = []
  const reports: string[] = []
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const forget = () => rm(path, { force: true })
      const record = readRecord(await readFile(path, 'utf8').catch(() => ''))
      // A temporary file of a write that was cut: the record itself is beside it.
      if (!record) return forget()
      const ended = await Promise.all([...record.groups.map(endIfSame), endMarked(`${AGENT_MARK}=${record.mark}`)])
      if (ended.includes(false)) {
        reports.push(`What the agent of ${record.session} has left running could not be ended.`)
      }
      left.push({ session: record.session, forget })
      return undefined
    }),
  )
  return { left, reports }
}

/** Ends a group unless its number was given to another process since; whoever is left of it then is known by the mark. */
async function endIfSame(leader: ProcessIdentity): Promise<boolean> {
  const liveness = await livenessOf(leader)
  if (liveness === 'elsewhere' || (liveness === 'dead' && isRunning(leader.pid))) return true
  return endGroup(leader.pid)
}

interface StoredRecord {
  readonly session: SessionId
  readonly mark: string
  readonly groups: readonly ProcessIdentity[]
}

function readRecord(text: string): StoredRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const { session, mark, groups } = asRecord(value) ?? {}
  const id = parseSessionId(session)
  if (!id.ok || typeof mark !== 'string' || !/^[0-9a-f]{24}$/.test(mark) || !Array.isArray(groups)) return undefined
  return { session: id.value, mark, groups: groups.filter(isIdentity) }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  const { pid, started, boot, space, machine } = asRecord(value) ?? {}
  // A group number of 0 or 1 would signal far more than an agent.
  const isPid = typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 1
  return isPid && [started, boot, space, machine].every((field) => typeof field === 'string')
}
