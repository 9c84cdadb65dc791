import { fail, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import type { Home } from '../gateway/home.ts'
import type { Navigator } from '../navigator/navigator.ts'
import type { HomePaths } from '../session-tree/home-paths.ts'
import { accessHome, type HomeAccess } from './home-access.ts'
import type { Report } from './own-log.ts'

/**
 * The home for a window: its own, or that of a `treeline serve` for as long as one has it, and then its own. The window
 * shows the agents of either, and says which it is.
 * @param parts.mayBegin resolves when there is time for it; false where the app is being closed before.
 */
export function windowHome(parts: {
  readonly paths: HomePaths
  readonly navigator: Pick<Navigator, 'followAgents' | 'agentChanged' | 'notice' | 'withdraw'>
  readonly report: Report
  readonly mayBegin: Promise<boolean>
}): HomeAccess<Home> {
  const { navigator, mayBegin } = parts

  const show = async (home: Home): Promise<void> => {
    const { agents, ownedBy, ended } = home
    if (agents) {
      navigator.followAgents(agents)
      agents.onChange((id) => navigator.agentChanged(id))
    }
    if (ownedBy === undefined) return
    // Whoever put the notice away about one owner is told of the next.
    const id = `owner ${ownedBy}`
    navigator.notice({ id, message: `Agents run in ${ownedBy}. They outlive this window.` })
    await ended
    navigator.withdraw(id)
  }

  return accessHome(
    async () => {
      if (!(await mayBegin)) return fail(toolError('cancelled', 'Treeline is being closed.'))
      const found = await find(parts)
      if (found.ok) void show(found.value)
      return found
    },
    (hindrance) => {
      if (!hindrance) return navigator.withdraw('home')
      navigator.notice({ id: 'home', message: `${hindrance.message} Until then this window can only look.` })
    },
  )
}

async function find({
  paths,
  navigator,
  report,
}: Pick<Parameters<typeof windowHome>[0], 'paths' | 'navigator' | 'report'>): Promise<Result<Home>> {
  const [{ openHome }, { findHome }] = await Promise.all([
    import('../gateway/home-host.ts'),
    import('../gateway/find-home.ts'),
  ])
  return findHome(paths, async () => {
    const opened = await openHome({
      paths,
      app: 'window',
      serve: true,
      agents: true,
      // What keeps a message waiting is said where it waits; the log keeps it as well.
      onAgentTrouble: (error: ToolError, id) => {
        report(`${id}: ${error.message}`)
        navigator.agentChanged(id)
      },
      onBug: (error) => report('A call over the socket failed.', error),
    })
    if (opened.ok) for (const sentence of opened.value.reports) report(sentence)
    return opened
  })
}
