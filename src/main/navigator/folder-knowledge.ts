import { basename } from 'node:path'
import type { SessionGroup, SessionSummary } from '../../shared/navigator-view.ts'
import type { LogHeader } from '../../shared/session-event.ts'
import { folderState, worktreeState, type FolderState } from '../worktrees/folder-state.ts'
import { findRepository, repositoryName, type RepositoryPlace } from '../worktrees/repository.ts'

/** What is known of the folder a session works in. */
export interface FolderFacts {
  readonly group: SessionGroup
  readonly warning?: NonNullable<SessionSummary['warning']>
}

/**
 * What the navigator knows of folders outside the home, kept so that ten thousand rows over a hundred folders cost a
 * hundred looks. No git process is started (issue 2, E).
 */
export interface FolderKnowledge {
  /**
   * Group and warning of a session, waiting for the disk at most a moment: a folder on a network drive that does not
   * answer must not keep a row away. `late` is called if more is known after that.
   */
  of(header: LogHeader | undefined, late: () => void): Promise<FolderFacts>
  /** What is known by now, without waiting. */
  known(header: LogHeader | undefined): FolderFacts
  /** Looks at these folders again. @returns true if anything is different from before. */
  lookAgain(header: LogHeader | undefined): Promise<boolean>
  /** Looks at every folder again, a few at a time. @returns the keys of `usesFolder` that are different from before. */
  lookAtAll(): Promise<ReadonlySet<string>>
}

/** How long a row waits for its folder. Local folders answer within a millisecond. */
const PATIENCE_MS = 150
const AT_ONCE = 8

const NO_FOLDER: SessionGroup = { key: '', kind: 'none', name: 'No folder recorded' }

interface Known {
  readonly state: FolderState
  readonly repository?: RepositoryPlace
}

/** The folders a header speaks of, as keys of {@link FolderKnowledge.lookAtAll}: the working folder, or the worktree. */
export function usesFolder(header: LogHeader | undefined): string | undefined {
  return header?.worktree
    ? `worktree:${header.worktree.path}`
    : header?.cwd === undefined
      ? undefined
      : `cwd:${header.cwd}`
}

/** Knows nothing yet. */
export function createFolderKnowledge(): FolderKnowledge {
  const known = new Map<string, Known>()
  const looking = new Map<string, Promise<Known>>()

  const look = (key: string): Promise<Known> => {
    const already = looking.get(key)
    if (already) return already
    const answer = lookAt(key).then((found) => {
      known.set(key, found)
      looking.delete(key)
      return found
    })
    looking.set(key, answer)
    return answer
  }
  const changed = async (key: string): Promise<boolean> => {
    const before = known.get(key)
    const now = await look(key)
    return (
      before === undefined || before.state !== now.state || before.repository?.repository !== now.repository?.repository
    )
  }

  return {
    async of(header, late) {
      const key = usesFolder(header)
      if (key === undefined || known.has(key)) return factsFrom(header, known)
      const seen = look(key)
      if (!(await inAMoment(seen))) void seen.then(late)
      return factsFrom(header, known)
    },
    known: (header) => factsFrom(header, known),
    async lookAgain(header) {
      const key = usesFolder(header)
      return key === undefined ? false : changed(key)
    },
    async lookAtAll() {
      const different = new Set<string>()
      // One that is being looked at for the first time is awaited like the others.
      const keys = new Set([...known.keys(), ...looking.keys()]).values()
      const work = async (): Promise<void> => {
        for (const key of keys) if (await changed(key)) different.add(key)
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
      return different
    },
  }
}

/** Waits for a look at a folder, but no longer than a row does. @returns whether it came in time. */
export async function inAMoment(seen: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS)
  })
  const came = await Promise.race([seen.then(() => true), late])
  clearTimeout(timer)
  return came
}

async function lookAt(key: string): Promise<Known> {
  const path = key.slice(key.indexOf(':') + 1)
  if (key.startsWith('worktree:')) return { state: await worktreeState({ path }) }
  const state = await folderState(path)
  if (state === 'foreign') return { state }
  const repository = await findRepository(path)
  return repository ? { state, repository } : { state }
}

function factsFrom(header: LogHeader | undefined, known: ReadonlyMap<string, Known>): FolderFacts {
  const key = usesFolder(header)
  if (header === undefined || key === undefined) return { group: NO_FOLDER }
  const found = known.get(key)
  const { worktree, cwd = '' } = header
  if (worktree) {
    const group = repositoryGroup(worktree.repository, repositoryName(worktree.repository))
    if (found === undefined || found.state === 'there') return { group }
    const message = `The worktree ${worktree.path} is missing: it was removed, moved or unlinked outside Treeline. The log is kept.`
    return { group, warning: { kind: 'worktree_missing', message } }
  }
  const group = found?.repository
    ? repositoryGroup(found.repository.repository, found.repository.name)
    : ({ key: cwd, kind: 'folder', name: lastName(cwd) } as const)
  const message = found && folderWarning(cwd, found.state)
  return message === undefined ? { group } : { group, warning: { kind: 'folder_missing', message } }
}

function folderWarning(cwd: string, state: FolderState): string | undefined {
  if (state === 'foreign')
    return `The folder ${cwd} belongs to another system. The log can be read here, but not worked on.`
  if (state === 'missing') return `The folder ${cwd} is missing: it was moved, renamed or deleted. The log is kept.`
  return state === 'not_a_folder' ? `${cwd} is a file by now, not a folder. The log is kept.` : undefined
}

function repositoryGroup(key: string, name: string): SessionGroup {
  return { key, kind: 'repository', name }
}

/** The last name of a path of this or of another system, as written. */
function lastName(path: string): string {
  return basename(path.replaceAll('\\', '/')) || path
}
