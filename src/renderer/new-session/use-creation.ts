import { useRef, useState } from 'react'
import type { SessionCreateResult } from '../../shared/tools.ts'
import { treeline } from '../bridge.ts'
import { typedLimit } from '../session/budget-words.ts'
import { typedModel, type NewSessionDraft } from './new-session-draft.ts'

interface Creation {
  readonly isRunning: boolean
  /** Why it was not made, in words. */
  readonly failure: string | null
  /** @param preset the agent's id; '' for none */
  start(draft: NewSessionDraft, preset: string): void
}

/** One gesture, one session (field fault F14): a second start does nothing until the first has ended. */
export function useCreation(made: (result: SessionCreateResult) => void): Creation {
  const runs = useRef(false)
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  const run = async (draft: NewSessionDraft, preset: string): Promise<void> => {
    runs.current = true
    setRunning(true)
    setFailure(null)
    const { folder, prompt, title } = draft
    const model = typedModel(draft.model)
    const budget = typedLimit(draft.budget)
    const answer = await treeline.session_create(
      {
        prompt,
        cwd: folder.trim(),
        ...(title.trim() !== '' && { title: title.trim() }),
        ...(preset !== '' && { preset }),
        ...(model && { model }),
      },
      budget === undefined ? undefined : { budget },
    )
    runs.current = false
    setRunning(false)
    if (answer.ok) made(answer.value)
    else setFailure(answer.error.message)
  }

  return {
    isRunning,
    failure,
    start: (draft, preset) => {
      if (!runs.current) void run(draft, preset)
    },
  }
}
