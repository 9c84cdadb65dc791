import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionCreateResult } from '../../shared/tools.ts'
import { createdBy, runTreeline, type Ran } from './run-treeline.ts'

/** A person's shell in a project folder, with a DSH home of its own that is not there yet. */
export interface Shell {
  /** Holds all of it. */
  readonly folder: string
  readonly home: string
  readonly project: string
  treeline(...words: string[]): Promise<Ran>
  create(...words: string[]): Promise<SessionCreateResult>
  close(): Promise<void>
}

export async function openShell(): Promise<Shell> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'treeline-cli-')))
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  await mkdir(project)
  const treeline = (...words: string[]) => runTreeline(['--home', home, ...words], { cwd: project })
  return {
    folder,
    home,
    project,
    treeline,
    create: async (...words) =>
      createdBy(await treeline('session', 'create', '--prompt', 'Plant the orchard', ...words)),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
