/** Says something in the app's own log: a whole sentence, and what was thrown if anything was. Never throws. */
export type Report = (sentence: string, error?: unknown) => void

/** Beyond this the log is turned over once; the older half is kept beside it. */
const LARGEST = 1_048_576

/**
 * The app's own log at `path`. The library is loaded with the first sentence, which most starts do not have before the
 * first paint; nothing goes to the console, which belongs to whoever started the app.
 */
export function ownLog(path: string): Report {
  const ready = onceLoaded(path)
  return (sentence, error) => {
    void ready().then((write) => write(sentence, error))
  }
}

function onceLoaded(path: string): () => Promise<Report> {
  let loading: Promise<Report> | undefined
  return () => (loading ??= load(path))
}

async function load(path: string): Promise<Report> {
  const { default: log } = await import('electron-log/main.js')
  log.transports.console.level = false
  log.transports.file.level = 'info'
  log.transports.file.maxSize = LARGEST
  log.transports.file.sync = false
  log.transports.file.resolvePathFn = () => path
  return (sentence, error) => {
    if (error === undefined) log.info(sentence)
    else log.error(sentence, error)
  }
}
