import { useEffect, useState } from 'react'
import type { ForkPreview } from '../../shared/navigator-view.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { treeline } from '../bridge.ts'

export interface PreviewState {
  readonly preview: ForkPreview | null
  readonly error: ToolError | null
}

/** Long enough not to ask at every letter, short enough to seem to follow. */
const PAUSE = 200

/** What a fork would be with what is typed now. The last answer stays until the next is there, so nothing jumps. */
export function usePreview(session_id: string, worktree: boolean, prompt: string, title: string): PreviewState {
  const [state, setState] = useState<PreviewState & { readonly worktree: boolean }>({
    preview: null,
    error: null,
    worktree,
  })
  useEffect(() => {
    let stopped = false
    const timer = setTimeout(async () => {
      const answer = await treeline.navigator.fork_preview({
        session_id,
        worktree,
        prompt,
        ...(title.trim() !== '' && { title }),
      })
      if (stopped) return
      setState(
        answer.ok ? { preview: answer.value, error: null, worktree } : { preview: null, error: answer.error, worktree },
      )
    }, PAUSE)
    return () => {
      stopped = true
      clearTimeout(timer)
    }
  }, [session_id, worktree, prompt, title])
  return state.worktree === worktree ? state : { preview: state.preview, error: null }
}
