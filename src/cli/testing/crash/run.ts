import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { connectToOwner } from '../../../main/gateway/connect-to-owner.ts'
import { homePaths } from '../../../main/session-tree/home-paths.ts'
import { audit, type Audit } from './audit.ts'
import { drive, nothingYet, type Acknowledged } from './drive.ts'
import { startServe } from './serve-process.ts'

/** What a run of crashes has come to. */
interface CrashReport {
  readonly kills: number
  /** How many of them came before the owner was ready: in the middle of bringing the home in order. */
  readonly early: number
  readonly acknowledged: { readonly sessions: number; readonly worktrees: number; readonly messages: number }
  /** Each with the kill after which it was found. */
  readonly faults: readonly string[]
}

interface CrashPlan {
  readonly kills: number
  /** The command line to run: built, or its source. */
  readonly program: string
  /** From 0 to 1; a seeded one makes the choices, though not the timing, the same again. */
  readonly random: () => number
  /** A kill comes so many ms after the work began, at most. */
  readonly longest: number
  readonly onProgress?: (kills: number, found: Audit) => void
}

/** A home is left after so many kills, so that auditing it whole each time stays quick. */
const KILLS_PER_HOME = 20
/** Every so often the kill comes while the owner is only starting. */
const EARLY = 0.15

/**
 * Kills the owner of a home with SIGKILL at random moments while it creates, forks with worktrees, runs turns and takes messages,
 * and audits the home each time the next owner has opened it. Ends at the first home that has a fault, and leaves that one there.
 */
export async function runCrashes(plan: CrashPlan): Promise<CrashReport> {
  const total = { kills: 0, early: 0, sessions: 0, worktrees: 0, messages: 0 }
  const faults: string[] = []
  while (total.kills < plan.kills && faults.length === 0) {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'treeline-crash-')))
    const kills = Math.min(KILLS_PER_HOME, plan.kills - total.kills)
    const one = await crashOneHome(folder, kills, plan, total.kills)
    total.kills += kills
    total.early += one.early
    total.sessions += one.acknowledged.sessions.size
    total.worktrees += [...one.acknowledged.sessions.values()].filter(({ worktree }) => worktree !== undefined).length
    total.messages += one.acknowledged.messages.length
    faults.push(...one.faults.map((fault) => `${folder}: ${fault}`))
    if (one.faults.length === 0) await rm(folder, { recursive: true, force: true })
  }
  const { kills, early, ...acknowledged } = total
  return { kills, early, acknowledged, faults }
}

async function crashOneHome(folder: string, kills: number, plan: CrashPlan, before: number) {
  const { program, random, longest, onProgress } = plan
  const paths = homePaths(join(folder, 'home'))
  const project = join(folder, 'project')
  await makeProject(project)
  const acknowledged = nothingYet()
  const faults: string[] = []
  let early = 0
  for (let kill = 1; kill <= kills && faults.length === 0; kill += 1) {
    const owner = startServe(program, paths.home, project)
    if (kill > 1 && random() < EARLY) {
      early += 1
      await Promise.race([pause(random() * longest), owner.ready])
      await owner.end('SIGKILL')
      continue
    }
    if (!(await owner.ready)) throw new Error(`serve ended: ${(await owner.end('SIGKILL')).stderr}`)
    const found = await audit(paths, project, acknowledged)
    faults.push(...found.faults.map((fault) => `before kill ${before + kill}: ${fault}`))
    onProgress?.(before + kill, found)
    const connection = await connectToOwner(paths)
    if (!connection.ok) throw new Error(connection.error.message)
    const driven = drive(connection.value, { project, acknowledged, random })
    await pause(random() * longest)
    // The first kill of a home comes once there is a worktree to be lost.
    if (kill === 1) while (!hasWorktree(acknowledged)) await pause(10)
    await owner.end('SIGKILL')
    await driven
  }
  const last = startServe(program, paths.home, project)
  if (!(await last.ready)) throw new Error(`serve ended: ${(await last.end('SIGKILL')).stderr}`)
  const found = await audit(paths, project, acknowledged)
  faults.push(...found.faults.map((fault) => `after kill ${before + kills}: ${fault}`))
  const { code, stderr } = await last.end('SIGTERM')
  if (code !== 0) faults.push(`after kill ${before + kills}: serve ended with ${code} on SIGTERM: ${stderr}`)
  return { acknowledged, early, faults }
}

function hasWorktree({ sessions }: Acknowledged): boolean {
  return [...sessions.values()].some(({ worktree }) => worktree !== undefined)
}

async function makeProject(project: string): Promise<void> {
  await mkdir(project, { recursive: true })
  await writeFile(join(project, 'a.txt'), 'one\n')
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: project })
  await git('init', '-q', '-b', 'main', '--template=')
  await git('add', '-A')
  await git('-c', 'user.name=Dev', '-c', 'user.email=dev@example.invalid', 'commit', '-qm', 'one')
}
