import type { HomePaths } from '../main/session-tree/home-paths.ts'
import { checkTree } from '../main/session-tree/tree-check.ts'
import { openSessionTree } from '../main/session-tree/tree-provider.ts'
import { printLine } from './output.ts'

/**
 * Verifies every session of a home and prints each finding on a line of its own as it comes, then one line that counts
 * them. Only looks.
 * @returns whether there is no fault; notes, such as an open turn, are none.
 */
export async function runCheck(paths: HomePaths): Promise<boolean> {
  const found = { fault: 0, note: 0 }
  for await (const finding of checkTree(paths.tree)) {
    found[finding.severity] += 1
    printLine(finding)
  }
  const places = openSessionTree(paths.tree).places()[Symbol.asyncIterator]()
  let sessions = 0
  while (!(await places.next()).done) sessions += 1
  printLine({ summary: { sessions, faults: found.fault, notes: found.note } })
  return found.fault === 0
}
