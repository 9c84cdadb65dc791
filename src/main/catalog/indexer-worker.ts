import { parentPort, workerData } from 'node:worker_threads'
import type { SessionPlace } from '../session-tree/session-tree.ts'
import { openCatalog, parseFacts, type Catalog } from './catalog.ts'
import { settleFacts } from './settle.ts'
import type { FromWorker, ToWorker, WorkerStart } from './worker-messages.ts'

/*
 * The thread that owns the catalog: SQLite blocks, and a title may stand anywhere in a log of a gigabyte. Started by
 * `startCatalog`; answers what is kept at once, then keeps and settles what it is asked to.
 */

const ROWS_AT_ONCE = 1000

const start: WorkerStart = workerData
const stopping = new AbortController()
const waiting = new Map<string, SessionPlace>()
let settling: Promise<void> | undefined

const catalog = openKept()

parentPort?.on('message', (message: ToWorker) => {
  switch (message.ask) {
    case 'keep':
      catalog?.put(message.facts)
      break
    case 'settle':
      waiting.set(message.place.logPath, message.place)
      settling ??= settleAll().finally(() => (settling = undefined))
      break
    case 'remove':
      catalog?.remove(message.ids)
      break
    case 'remove-logs':
      catalog?.removeLogs(message.paths)
      break
    case 'end':
      void end()
      break
  }
})

function openKept(): Catalog | undefined {
  const opened = openCatalog(start.catalogPath, start.resources)
  if (!opened.ok) {
    say({ say: 'unavailable', error: opened.error })
    return undefined
  }
  const kept = [...opened.value.all()]
  for (let first = 0; first === 0 || first < kept.length; first += ROWS_AT_ONCE) {
    const rows = kept.slice(first, first + ROWS_AT_ONCE)
    say({ say: 'kept', kept: rows, last: first + ROWS_AT_ONCE >= kept.length })
  }
  return opened.value
}

/** One after the other: each reads a whole log, and the disk is there for others too. */
async function settleAll(): Promise<void> {
  for (const [path, place] of waiting) {
    if (stopping.signal.aborted) return
    waiting.delete(path)
    const kept = catalog?.get(path)
    const facts = await settleFacts(place, kept && parseFacts(kept, place), stopping.signal)
    if (!facts) continue
    catalog?.put([facts])
    say({ say: 'settled', facts })
  }
}

async function end(): Promise<void> {
  stopping.abort()
  waiting.clear()
  await settling
  catalog?.close()
  parentPort?.close()
}

function say(message: FromWorker): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows; threads have no origin
  parentPort?.postMessage(message)
}
