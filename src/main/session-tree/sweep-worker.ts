import { parentPort, workerData } from 'node:worker_threads'
import type { ToolError } from '../../shared/tool-error.ts'
import type { Findings, SweepStart, ToSweeper } from './sweep-messages.ts'
import { createTreeScan, type FoundSession } from './tree-scan.ts'

/*
 * The thread that looks at everything, again and again. Started by `startSweeper`. It holds what it has told, so that what is
 * unchanged costs the main thread nothing.
 */

/** What the main thread takes in at once: it has frames to keep. */
const FOUND_AT_ONCE = 100
/** So many may be on their way: this thread goes on while the other takes in. */
const AHEAD = 2

const { root }: SweepStart = workerData
let found: FoundSession[] = []
let differs: string[] = []
let problems: ToolError[] = []
let look: Generator<void, void, void> | undefined
let wanted = 0

const scan = createTreeScan(root, {
  found: (session) => found.push(session),
  differs: (path) => differs.push(path),
  unreadable: (problem) => problems.push(problem),
})

parentPort?.on('message', (message: ToSweeper) => {
  switch (message.ask) {
    case 'sweep':
      scan.forget(message.forget)
      look = scan.look(message.thorough)
      wanted = AHEAD
      break
    case 'more':
      wanted += 1
      break
    case 'cancel':
      look?.return()
      break
  }
  goOn()
})

function goOn(): void {
  for (; look && wanted > 0; wanted -= 1) {
    let isAtEnd = false
    while (found.length < FOUND_AT_ONCE && !isAtEnd) isAtEnd = look.next().done === true
    const some = found.splice(0, FOUND_AT_ONCE)
    const last = isAtEnd && found.length === 0
    if (last) look = undefined
    say({ found: some, differs, problems, last })
    differs = []
    problems = []
  }
}

function say(findings: Findings): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows; threads have no origin
  parentPort?.postMessage(findings)
}
