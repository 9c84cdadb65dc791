import { fail, ok, type Result } from '../shared/result.ts'
import { openHome } from '../main/gateway/home-host.ts'
import type { HomePaths } from '../main/session-tree/home-paths.ts'
import { printError, printLine, printWarning } from './output.ts'

/**
 * Owns a home without a window: runs its agents and serves the tools until the process is asked to end. Prints one JSON line
 * when it is ready, `{ready: true, home, pid, socket}`; what it has to say later goes to stderr, a JSON line each.
 * Fails with `home_owned` or `io_failed`; ends well on SIGTERM, SIGINT and SIGHUP, once all agents are ended and the home is
 * given back. A second signal ends the process at once.
 */
export async function runServe(paths: HomePaths): Promise<Result<undefined>> {
  // Asked for before the home is opened: what is interrupted while it opens is closed as well.
  const asked = endAsked()
  const opened = await openHome({
    paths,
    app: 'serve',
    serve: true,
    agents: true,
    onBug: (error) =>
      printError({ code: 'internal', message: error instanceof Error ? String(error.stack) : String(error) }),
    onAgentTrouble: ({ message }) => printWarning(message),
  })
  if (!opened.ok) return fail(opened.error)
  const { reports, socket } = opened.value
  for (const sentence of reports) printWarning(sentence)
  printLine({ ready: true, home: paths.home, pid: process.pid, socket })
  await asked
  await opened.value.close()
  return ok(undefined)
}

function endAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}
