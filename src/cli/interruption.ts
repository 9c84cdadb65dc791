/**
 * A signal for what can be cancelled half way: the first interruption aborts it, so that what was made is taken back; a
 * second one ends the process as usual. Only what heeds the signal may ask for one, or Ctrl+C would do nothing.
 */
export function interruption(): AbortSignal {
  const abort = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => abort.abort())
  return abort.signal
}
