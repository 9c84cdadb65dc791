import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import type { FileStamp, SessionFacts, SessionTree } from '../session-tree/session-tree.ts'
import { isSameStamp } from '../session-tree/stamped.ts'
import type { SeenSession } from '../session-tree/tree-watcher-index.ts'
import { keptFactsOf, parseFacts, type KeptFacts } from './catalog.ts'
import type { FromWorker, ToWorker, WorkerStart } from './worker-messages.ts'

export interface LiveCatalogOptions {
  /** The worker's code: `out/main/indexer-worker.js`, or the source in plain Node 24. */
  readonly workerUrl: URL
  readonly catalogPath: string
  /** `process.resourcesPath` in Electron; absent elsewhere. */
  readonly resources?: string
  readonly tree: Pick<SessionTree, 'facts'>
  /** Facts with a title or first prompt that neither end of the log shows, found in the background. */
  readonly onFacts: (facts: SessionFacts) => void
  /** Once, if there is no catalog: everything goes on without. */
  readonly onUnavailable: (error: ToolError) => void
}

/** The catalog as the window uses it: kept facts while a log is what it was, else the log itself. Never blocks. */
export interface LiveCatalog {
  /** The facts of a session as it was seen. Read facts are kept; what stays unsettled is looked for in the background. */
  readonly factsOf: (seen: SeenSession) => Promise<SessionFacts>
  /** Resolves once all kept facts are at hand, or it is known that there are none. Nobody has to wait for it. */
  readonly loaded: Promise<void>
  readonly remove: (ids: readonly SessionId[]) => void
  /** Everything on disk has been asked for: forgets what was kept of logs that are gone. */
  readonly lookedAtAll: () => void
  /** Keeps what was read and ends the worker. */
  readonly stop: () => Promise<void>
}

/** Facts are kept some at a time: one transaction for many. */
const KEEP_AT_ONCE = 200
const KEEP_AFTER_MS = 300

/** A catalog that takes longer than this is not worth waiting for: the logs are there. */
const WAIT_FOR_KEPT_MS = 1000

type Words = Pick<SessionFacts, 'title' | 'firstPrompt'>

/** Starts the catalog's worker. Until it has answered, and if it never does, facts come from the logs. */
export function startCatalog(options: LiveCatalogOptions): LiveCatalog {
  const { tree, workerUrl, catalogPath, resources } = options
  const start: WorkerStart = { catalogPath, resources }
  const worker = new Worker(workerUrl, { workerData: start, name: 'catalog' })
  const loaded = Promise.withResolvers<void>()
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const kept = new Map<string, KeptFacts>()
  /** What sessions were called, to stand in while a long log that grew is scanned again. */
  const settledBefore = new Map<string, { readonly inode: number; readonly words: Words }>()
  /** The stamp of the facts last given out, where they wait to be settled. */
  const unsettled = new Map<string, FileStamp>()
  const toKeep = new Map<string, SessionFacts>()
  let keepTimer: NodeJS.Timeout | undefined
  /** Asked for before all was there: what comes later of them is no longer wanted. */
  const asked = new Set<string>()
  let isLoaded = false
  let isStopped = false
  let isUnavailable = false

  worker.on('message', (message: FromWorker) => {
    switch (message.say) {
      case 'kept':
        for (const [path, row] of message.kept) if (!asked.has(path)) kept.set(path, row)
        if (message.last) isLoaded = true
        if (message.last) loaded.resolve()
        break
      case 'settled':
        settled(message.facts)
        break
      case 'unavailable':
        unavailable(message.error)
        break
    }
  })
  worker.on('error', (error) => {
    const message = `The catalog has ended (${error instanceof Error ? error.message : String(error)}). Everything works without it; long lists take longer to appear.`
    unavailable(toolError('internal', message, { path: catalogPath }))
  })
  void ended.then(loaded.resolve)
  const ready = Promise.race([loaded.promise, wait(WAIT_FOR_KEPT_MS, undefined, { ref: false })])

  function unavailable(error: ToolError): void {
    loaded.resolve()
    if (!isUnavailable && !isStopped) options.onUnavailable(error)
    isUnavailable = true
  }

  function ask(message: ToWorker): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows; threads have no origin
    worker.postMessage(message)
  }

  function settled(facts: SessionFacts): void {
    const { logPath } = facts.place
    remember(facts)
    const given = unsettled.get(logPath)
    // The log has changed since: newer facts were given out, and they have been asked about as well.
    if (isStopped || !given || !facts.file || !isSameStamp(given, facts.file)) return
    unsettled.delete(logPath)
    options.onFacts(facts)
  }

  function remember(facts: SessionFacts): SessionFacts {
    const { file, title, firstPrompt, place } = facts
    if (!file) return facts
    const words = { ...(title === undefined ? {} : { title }), ...(firstPrompt === undefined ? {} : { firstPrompt }) }
    settledBefore.set(place.logPath, { inode: file.inode, words })
    return facts
  }

  function keep(facts: SessionFacts): void {
    toKeep.set(facts.place.logPath, facts)
    if (toKeep.size >= KEEP_AT_ONCE) flush()
    else keepTimer ??= setTimeout(flush, KEEP_AFTER_MS)
  }

  function flush(): void {
    clearTimeout(keepTimer)
    keepTimer = undefined
    if (toKeep.size > 0) ask({ ask: 'keep', facts: [...toKeep.values()] })
    toKeep.clear()
  }

  return {
    loaded: loaded.promise,
    async factsOf({ place, stamp, facts: read }) {
      const { logPath } = place
      if (!kept.has(logPath)) await ready
      if (!isLoaded) asked.add(logPath)
      const row = kept.get(logPath)
      kept.delete(logPath)
      // Read just now and certain: what was kept of the same log says nothing else.
      if (read?.settled && row && stamp && isSameStamp(stamp, row.stamp)) return remember(read)
      const held = keptFactsOf(place, stamp, row)
      if (held) return remember(held)
      if (row) remember(parseFacts(row, place))
      const facts = read ?? (await tree.facts(place))
      if (isStopped || !facts.file) return facts
      if (facts.settled) {
        unsettled.delete(logPath)
        keep(facts)
        return remember(facts)
      }
      unsettled.set(logPath, facts.file)
      ask({ ask: 'settle', place })
      const before = settledBefore.get(logPath)
      return before?.inode === facts.file.inode ? { ...facts, ...before.words } : facts
    },
    remove(ids) {
      ask({ ask: 'remove', ids })
    },
    lookedAtAll() {
      // What has not come yet was not looked for among them: the next start will see.
      if (!isLoaded) return
      asked.clear()
      if (kept.size > 0) ask({ ask: 'remove-logs', paths: [...kept.keys()] })
      kept.clear()
    },
    async stop() {
      flush()
      isStopped = true
      ask({ ask: 'end' })
      await ended
    },
  }
}
