import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createGit } from '../git.ts'
import { createGitWorktrees } from '../git-worktrees.ts'
import { recordIntent, clearIntent } from '../pending-intents.ts'

/**
 * A creation as `session_create` does it, in a process of its own that tests kill: intent, worktree, session, intent
 * cleared. Prints each step it has come to, and stops for ever at the one named.
 */
const [home = '', cwd = '', sessionId = '', stopAt = ''] = process.argv.slice(2)

async function reached(step: string): Promise<void> {
  process.stdout.write(`${step}\n`)
  if (step !== stopAt) return
  setInterval(() => undefined, 1e9)
  await new Promise(() => undefined)
}

function sound<Value>(result: { ok: true; value: Value } | { ok: false; error: { message: string } }): Value {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

const pending = join(home, 'treeline', 'pending')
const worktrees = createGitWorktrees({ home, git: createGit() })
const plan = sound(await worktrees.plan({ cwd, name: 'harvest', sessionId }))
await reached('planned')
sound(await recordIntent(pending, plan))
await reached('recorded')
sound(await worktrees.add(plan, { onProgress: (sentence) => process.stdout.write(`${sentence}\n`) }))
await reached('added')
await mkdir(join(home, 'session-tree', sessionId), { recursive: true })
await reached('published')
sound(await clearIntent(pending, sessionId))
await reached('cleared')
