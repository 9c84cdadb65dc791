import { randomUUID } from 'node:crypto'
import type { SessionId } from '../../shared/session-id.ts'
import type { AgentStart, PermissionOption, PermissionRequest, Preset } from './agent.ts'

/** The questions of one agent that wait for a person. */
export interface Questions {
  readonly ask: AgentStart['ask']
  readonly waiting: () => readonly PermissionRequest[]
  /** False if it is no longer asked, or has no such option. */
  answer(requestId: string, optionId: string): boolean
  /** Nobody will answer any more. */
  cancelAll(): void
}

/**
 * @param policy what is done without asking, as the preset says; `ask` asks a person.
 * @param log is told of a question, and of its answer: undefined where it was cancelled.
 */
export function createQuestions(
  sessionId: SessionId,
  policy: Preset['permission'],
  onChange: () => void,
  log: (request: PermissionRequest, answer: PermissionOption | undefined, isDecided: boolean) => void,
): Questions {
  const open = new Map<
    string,
    { readonly request: PermissionRequest; settle(option: PermissionOption | undefined): void }
  >()

  function automatic(options: readonly PermissionOption[]): PermissionOption | undefined {
    const kind = policy === 'allow_once' ? 'allow' : policy === 'reject' ? 'reject' : undefined
    return kind && options.find((option) => option.kind === kind)
  }

  return {
    async ask(asked, signal) {
      const request: PermissionRequest = { ...asked, id: randomUUID(), sessionId }
      log(request, undefined, false)
      const decided = automatic(request.options)
      if (decided || signal.aborted) {
        log(request, decided, true)
        return decided?.id
      }
      const answer = await new Promise<PermissionOption | undefined>((resolve) => {
        const cancel = () => settle(undefined)
        const settle = (option: PermissionOption | undefined) => {
          signal.removeEventListener('abort', cancel)
          open.delete(request.id)
          resolve(option)
        }
        signal.addEventListener('abort', cancel, { once: true })
        open.set(request.id, { request, settle })
        onChange()
      })
      log(request, answer, true)
      onChange()
      return answer?.id
    },
    waiting: () => [...open.values()].map(({ request }) => request),
    answer(requestId, optionId) {
      const asked = open.get(requestId)
      const option = asked?.request.options.find(({ id }) => id === optionId)
      if (!asked || !option) return false
      asked.settle(option)
      return true
    },
    cancelAll() {
      for (const asked of open.values()) asked.settle(undefined)
    },
  }
}
