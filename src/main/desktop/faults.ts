import { app } from 'electron'
import type { Report } from './own-log.ts'

/**
 * Ends the app on a fault that nobody caught, with the fault on standard error and, once there is one, in the app's own log.
 * Electron would show a box and wait for its button, with the home still owned. The lock ends with the process, and what
 * was half made is undone by the next owner (design §2.6). To be called first of all.
 * @returns says which log
 */
export function endOnFault(): (report: Report) => void {
  let report: Report | undefined
  process.on('uncaughtException', (error) => {
    report?.('A fault in Treeline ended it.', error)
    process.stderr.write(`Treeline had to end: ${error.stack ?? error.message}\n`)
    app.exit(1)
  })
  return (log) => {
    report = log
  }
}
