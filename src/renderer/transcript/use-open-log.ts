import { useEffect, useRef, useState, type RefObject } from 'react'
import { treeline } from '../bridge.ts'
import { openLog, type LogState, type OpenLog } from './open-log.ts'

const LOADING: LogState = { phase: 'loading', window: null, error: null }

/** Follows the log of one session for as long as its transcript is shown. */
export function useOpenLog(
  session_id: string,
  follows: RefObject<() => boolean>,
): { readonly state: LogState; readonly log: RefObject<OpenLog | null> } {
  const [state, setState] = useState(LOADING)
  const log = useRef<OpenLog | null>(null)
  useEffect(() => {
    const opened = openLog(
      (page) => treeline.navigator.read_log(session_id, page),
      setState,
      () => follows.current(),
    )
    log.current = opened
    const stop = treeline.navigator.on('log_changed', (change) => {
      if (change.session_id === session_id) void opened.changed(change.size, change.inode)
    })
    return () => {
      stop()
      opened.stop()
      log.current = null
    }
  }, [session_id, follows])
  return { state, log }
}
