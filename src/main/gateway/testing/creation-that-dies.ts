import { homePaths } from '../../session-tree/home-paths.ts'
import { acquireHome } from '../../session-tree/owner-lock.ts'
import type { SessionTree } from '../../session-tree/session-tree.ts'
import { openSessionTree } from '../../session-tree/tree-provider.ts'
import { hostCaller } from '../../tools/caller.ts'
import { createTools } from '../../tools/tools.ts'
import { createGitWorktrees } from '../../worktrees/git-worktrees.ts'
import type { WorktreeProvider } from '../../worktrees/worktree-provider.ts'

/**
 * A process that owns a home, makes a fork in a worktree, and is killed at one point on the way: before or after each step
 * it takes. Its steps are one after the other, so "after the plan" is before the intent, "before the add" after it, and
 * "after the create" before the intent is cleared. `in the add` is left to a hook of the repository.
 */
export const DYING_POINTS = [
  'after the plan',
  'before the add',
  'in the add',
  'after the add',
  'before the create',
  'after the create',
  'after the clear',
] as const

type DyingPoint = (typeof DYING_POINTS)[number]

async function createAndDie(home: string, parent: string, point: DyingPoint): Promise<void> {
  const dieAt = (here: DyingPoint) => {
    if (here === point) process.kill(process.pid, 'SIGKILL')
  }
  if (point === 'in the add') process.env['CREATION_PID'] = String(process.pid)
  const paths = homePaths(home)
  const lock = await acquireHome(paths.lock, { app: 'window' })
  if (!lock.ok) throw new Error(lock.error.message)
  const tree = openSessionTree(paths.tree)
  const worktrees = createGitWorktrees({ home })
  const dyingTree: SessionTree = {
    ...tree,
    async create(session, signal) {
      dieAt('before the create')
      const created = await tree.create(session, signal)
      dieAt('after the create')
      return created
    },
  }
  const dyingWorktrees: WorktreeProvider = {
    ...worktrees,
    async plan(request) {
      const planned = await worktrees.plan(request)
      dieAt('after the plan')
      return planned
    },
    async add(plan, options) {
      dieAt('before the add')
      const added = await worktrees.add(plan, options)
      dieAt('after the add')
      return added
    },
  }
  const tools = createTools({ tree: dyingTree, worktrees: dyingWorktrees, pendingFolder: paths.pending })
  const caller = hostCaller(parent)
  if (!caller.ok) throw new Error(caller.error.message)
  const made = await tools.session_create({ prompt: 'Go', title: 'Dies', fork: true, worktree: true }, caller.value)
  dieAt('after the clear')
  throw new Error(`It lived: ${JSON.stringify(made)}`)
}

const [home, parent, asked] = process.argv.slice(2)
const point = DYING_POINTS.find((known) => known === asked)
if (process.argv[1] === import.meta.filename && home && parent && point) await createAndDie(home, parent, point)
