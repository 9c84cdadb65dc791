import type { ImportProgress } from '../../shared/bridge.ts'
import { ok } from '../../shared/result.ts'
import type { CallHandlers } from './ipc.ts'
import type { Parts } from './parts.ts'

type ImportCalls = Pick<
  CallHandlers,
  'import_offer' | 'import_start' | 'import_cancel' | 'import_dismiss' | 'open_sample'
>

/** Progress is for eyes: more often than this it only costs. */
const PROGRESS_MS = 100

const NOTHING = { found: 0, imported: 0, extended: 0, unchanged: 0, diverged: [], failed: [], legacyRoots: [] } as const

/**
 * What a first start offers: DSH's own sessions and the sample. Nothing is imported unasked; that the offer was answered
 * is remembered in the window's state file. The code behind it is loaded when it is wanted.
 */
export function importCalls({ paths, tree, home, state, system, live, sample }: Parts): ImportCalls {
  let running: AbortController | undefined
  let making: ReturnType<ImportCalls['open_sample']> | undefined
  const answered = (): Promise<void> => state.change({ importAnswered: true })

  const makeAndOpen: ImportCalls['open_sample'] = async () => {
    const { makeSample } = await import('../exchange/sample.ts')
    const made = await makeSample(sample.resources)
    if (!made.ok) return made
    sample.open(made.value.home)
    return ok(null)
  }
  return {
    async import_offer() {
      const { countDsh } = await import('../exchange/dsh-import.ts')
      const { found, folders } = await countDsh({ tree, folders: paths.dshLogs })
      return ok({ found, folders, answered: (await state.read())['importAnswered'] === true })
    },
    async import_start(choose) {
      const folder = choose === null ? undefined : await system.chooseFolder('Import DSH sessions from', paths.home)
      if (choose !== null && folder === undefined) return ok({ ...NOTHING, cancelled: true })
      const reached = await home.home()
      if (!reached.ok) return reached
      const mine = new AbortController()
      running ??= mine
      try {
        const report = await reached.value.importDsh({
          ...(folder === undefined ? {} : { folders: [folder] }),
          signal: mine.signal,
          onProgress: throttled((progress) => system.push('import_progress', progress)),
        })
        if (report.ok && !report.value.cancelled) await answered()
        return report
      } finally {
        if (running === mine) running = undefined
        await live.refresh()
      }
    },
    async import_cancel() {
      running?.abort()
      return ok(null)
    },
    async import_dismiss() {
      await answered()
      return ok(null)
    },
    async open_sample() {
      making ??= makeAndOpen().finally(() => {
        making = undefined
      })
      return making
    },
  }
}

/** Lets a report through if the last one is a while ago; the last of all always, for its count is what is read. */
function throttled(send: (progress: ImportProgress) => void): (progress: ImportProgress) => void {
  let last = 0
  return (progress) => {
    const now = performance.now()
    if (progress.done < progress.total && now - last < PROGRESS_MS) return
    last = now
    send(progress)
  }
}
