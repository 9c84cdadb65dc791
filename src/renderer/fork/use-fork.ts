import { useEffect, useRef, useState } from 'react'
import type { ToolError } from '../../shared/tool-error.ts'
import type { SessionCreateResult } from '../../shared/tools.ts'
import { treeline } from '../bridge.ts'

interface ForkRequest {
  readonly parent: string
  readonly prompt: string
  readonly title: string
  readonly worktree: boolean
}

export interface ForkRun {
  /** What is being done right now; null while nothing is. */
  readonly progress: string | null
  readonly isCancelling: boolean
  /** Why it was not made; null until it was tried, and again once what is asked for is another. */
  readonly failure: ToolError | null
  start(request: ForkRequest): void
  /** Another thing is asked for now: what was said of the one before is no answer to it. */
  forget(): void
  cancel(): void
}

/** One gesture, one child (field fault F14): a second start does nothing until the first has ended, either way. */
export function useFork(made: (result: SessionCreateResult) => void): ForkRun {
  const call = useRef<string | null>(null)
  const [progress, setProgress] = useState<string | null>(null)
  const [isCancelling, setCancelling] = useState(false)
  const [failure, setFailure] = useState<ToolError | null>(null)

  useEffect(
    () =>
      treeline.navigator.on('create_progress', (step) => {
        if (step.call === call.current) setProgress(step.sentence)
      }),
    [],
  )

  const run = async (request: ForkRequest): Promise<void> => {
    const id = crypto.randomUUID()
    call.current = id
    setFailure(null)
    setProgress('Forking…')
    const { parent, prompt, title, worktree } = request
    const answer = await treeline.session_create(
      { prompt, ...(title.trim() !== '' && { title: title.trim() }), fork: true, worktree },
      { as: parent, call: id },
    )
    call.current = null
    setProgress(null)
    setCancelling(false)
    if (answer.ok) made(answer.value)
    else setFailure(answer.error.code === 'cancelled' ? null : answer.error)
  }

  return {
    progress,
    isCancelling,
    failure,
    start: (request) => {
      if (call.current === null) void run(request)
    },
    forget: () => {
      setFailure(null)
    },
    cancel: () => {
      if (call.current === null || isCancelling) return
      setCancelling(true)
      void treeline.navigator.cancel(call.current)
    },
  }
}
