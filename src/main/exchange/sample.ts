import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import type { WorktreeRecord } from '../../shared/session-event.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import { homePaths, type HomePaths } from '../session-tree/home-paths.ts'
import { newSessionId } from '../session-tree/session-id.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { openSessionTree } from '../session-tree/tree-provider.ts'
import { placeSession, type Standing } from './placement.ts'
import { markSeed } from './seed-bytes.ts'
import { buildLog, type BuiltLog } from './sample/build-log.ts'
import { addWorktree, commitAll, removeWorktree } from './sample/sample-git.ts'
import { makeProjects, type SampleProjects } from './sample/projects.ts'
import { answeredAt, seedOf } from './sample/parent-events.ts'
import { parseTemplate, type SampleTemplate } from './sample/template.ts'

export interface Sample {
  /** The DSH home to open. */
  readonly home: string
  /** All of the sample, home and repositories: what to remove in the end. */
  readonly folder: string
}

interface Making {
  readonly home: HomePaths
  readonly projects: SampleProjects
  readonly tree: SessionTree
  readonly now: number
  readonly ids: ReadonlyMap<string, SessionId>
  readonly standings: Map<SessionId, Standing>
  readonly logs: Map<string, BuiltLog>
}

/**
 * Makes a DSH home to look around in: a few projects, one of them with forks, one of those in a real git worktree, and
 * nested subagents, as `resources/sample` tells them, with times up to now.
 * @param resources the folder `resources/sample`, wherever source or app have it.
 * @param parent where to make it; absent: the system's folder for temporary files.
 * @returns `git_not_found`, `git_refused` or `io_failed`; then nothing is left behind.
 */
export async function makeSample(resources: string, parent = tmpdir()): Promise<Result<Sample>> {
  let folder: string | undefined
  try {
    // Git tells real paths; what the headers say must be the same.
    folder = await mkdtemp(join(await realpath(parent), 'treeline-sample-'))
    const made = await fillSample(resources, folder)
    if (!made.ok) await rm(folder, { recursive: true, force: true })
    return made
  } catch (error) {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const message = `The sample could not be made in ${folder ?? parent}: ${error.message}`
    return fail(toolError('io_failed', message, { path: folder ?? parent }))
  }
}

async function fillSample(resources: string, folder: string): Promise<Result<Sample>> {
  const now = Date.now()
  const home = homePaths(join(folder, 'home'))
  await mkdir(home.home)
  const projects = await makeProjects(resources, join(folder, 'src'), now)
  if (!projects.ok) return projects
  const templates = await readTemplates(join(resources, 'sessions'))
  const making: Making = {
    home,
    projects: projects.value,
    tree: openSessionTree(home.tree),
    now,
    ids: new Map(templates.map((template) => [template.key, newSessionId()])),
    standings: new Map(),
    logs: new Map(),
  }
  for (const template of templates) {
    const made = await makeSession(template, making)
    if (!made.ok) return made
  }
  return ok({ home: home.home, folder })
}

/** In the order of their names, which puts parents before their children. */
async function readTemplates(folder: string): Promise<SampleTemplate[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).toSorted()
  return Promise.all(names.map(async (name) => parseTemplate(name, await readFile(join(folder, name), 'utf8'))))
}

async function makeSession(template: SampleTemplate, making: Making): Promise<Result<null>> {
  const worktree = await makeWorktree(template, making)
  if (!worktree.ok) return worktree
  const cwd = worktree.value?.path ?? making.projects.folder(template.project)
  const parentLog = template.parent === undefined ? undefined : making.logs.get(template.parent)
  if (template.parent !== undefined && !parentLog)
    throw new Error(`${template.key}: there is no ${template.parent} yet`)
  const seed = template.kind === 'fork' && parentLog ? seedOf(parentLog.events, template.after) : []
  const log = buildLog(template, {
    end:
      template.ended === undefined ? answeredAt(parentLog?.events ?? [], template.title) : making.now - template.ended,
    cwd,
    seed,
    fill: (text) => fill(text, cwd, making),
  })
  making.logs.set(template.key, log)

  const id = idOf(template.key, making)
  const placement = placeSession(
    {
      id,
      createdAt: log.createdAt,
      cwd,
      ...(template.parent === undefined ? {} : { parent: idOf(template.parent, making) }),
      relation: template.kind === 'fork' ? 'fork' : 'subagent',
      ...(template.kind === 'fork' ? { seedLength: seed.length } : {}),
    },
    (above) => making.standings.get(above),
  )
  making.standings.set(id, placement.standing)
  const placed = { ...placement.header, ...(worktree.value ? { worktree: worktree.value } : {}) }
  const header = await markSeed(placed, log.events.map(ok))
  const adopted = await making.tree.adopt({
    header,
    ...(placement.parent === undefined ? {} : { parent: placement.parent }),
    events: log.events,
  })
  return adopted.ok ? ok(null) : adopted
}

async function makeWorktree(template: SampleTemplate, making: Making): Promise<Result<WorktreeRecord | undefined>> {
  if (template.worktree === undefined) return ok(undefined)
  const repository = making.projects.folder(template.project)
  const name = `${template.key}-${idOf(template.key, making).slice(-6)}`
  const path = join(making.home.worktrees, template.project, name)
  const branch = `treeline/${name}`
  await mkdir(join(making.home.worktrees, template.project), { recursive: true })
  const base = await addWorktree(repository, path, branch)
  if (!base.ok) return base
  const done =
    template.worktree === 'removed'
      ? await removeWorktree(repository, path)
      : await commitAll(path, await making.projects.commitsOf(template.key))
  return done.ok ? ok({ path, branch, base: base.value, repository }) : done
}

/** `{{cwd}}`, `{{folder NAME}}` for a project, `{{session KEY}}` for an id. */
function fill(text: string, cwd: string, making: Making): string {
  return text.replaceAll(
    /\{\{(cwd|folder ([\w-]+)|session ([\w-]+))\}\}/g,
    (_, what: string, project?: string, key?: string) =>
      what === 'cwd' ? cwd : project === undefined ? idOf(key ?? '', making) : making.projects.folder(project),
  )
}

function idOf(key: string, making: Making): SessionId {
  const id = making.ids.get(key)
  if (id === undefined) throw new Error(`There is no sample session "${key}"`)
  return id
}
