import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ok, type Result } from '../../../shared/result.ts'
import { makeRepository, type SampleCommit } from './sample-git.ts'
import { parseDuration } from './template.ts'

export interface SampleProjects {
  /** A project's folder, whether it is a repository or not. */
  readonly folder: (project: string) => string
  /** What was committed in the worktree of this session. */
  readonly commitsOf: (session: string) => Promise<readonly SampleCommit[]>
}

/** How a project's history is told: `history.md` holds one line for each commit, `9d 1 Message`. */
const HISTORY = 'history.md'
const LINE = /^(\S+) (\S+) (.+)$/

/**
 * Makes the folders the sample's sessions work in: a repository for each folder in `resources/sample/repositories`, a plain
 * folder for `notes`.
 */
export async function makeProjects(resources: string, target: string, now: number): Promise<Result<SampleProjects>> {
  const repositories = join(resources, 'repositories')
  const names = await readdir(repositories)
  const all = await Promise.all(
    names.map(async (name) => makeRepository(join(target, name), await history(join(repositories, name), now))),
  )
  const failed = all.find((made) => !made.ok)
  if (failed && !failed.ok) return failed
  await mkdir(join(target, 'notes'), { recursive: true })
  return ok({
    folder: (project) => join(target, project),
    commitsOf: (session) => history(join(resources, 'worktrees', session), now),
  })
}

async function history(folder: string, now: number): Promise<readonly SampleCommit[]> {
  const text = await readFile(join(folder, HISTORY), 'utf8')
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, ago = '', files = '', message = ''] = LINE.exec(line) ?? []
      return { message, files: join(folder, files), time: now - parseDuration(`${folder}/${HISTORY}`, ago) }
    })
}
