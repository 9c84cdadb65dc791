import { setTimeout as pause } from 'node:timers/promises'
import type { ToolError } from '../../shared/tool-error.ts'
import type { Agent, Preset, TurnEnd, TurnPrompt } from './agent.ts'
import { wordsOf } from './live-agent.ts'
import { GRACE_MS } from './process-group.ts'
import { writtenEnd, type StopCause } from './turn-end.ts'
import { endDraft } from './own-events.ts'
import type { HostTurnLog } from './turn-log.ts'

/** A turn that is being run. */
export interface LiveTurn {
  /** When it began, in milliseconds since the epoch. */
  readonly since: number
  readonly signal: AbortSignal
  /** Asks the agent to stop; the first cause is the one that is written. */
  stop(cause: StopCause): void
  readonly isStopped: () => boolean
}

/** An agent that was asked to cancel and has not is ended after its grace, and a moment for one that ends its command in it. */
const CANCEL_MS = GRACE_MS + 1500
/** An agent that has ended may still say how its turn ended. */
const LAST_ANSWER_MS = 1000

export interface TurnRun extends LiveTurn {
  /** Lets the agent run the turn, and closes it in the log, however it went. Resolves with what kept the log from being written. */
  run(
    agent: Agent | ToolError,
    prompt: TurnPrompt,
    log: HostTurnLog,
    preset: Pick<Preset, 'timeLimit'>,
    isUsedUp: () => boolean,
  ): Promise<ToolError | undefined>
}

/** @param now milliseconds since the epoch. */
export function createTurn(now: () => number): TurnRun {
  const controller = new AbortController()
  let cause: StopCause | undefined
  const { signal } = controller

  function stop(why: StopCause): void {
    if (signal.aborted) return
    cause = why
    controller.abort()
  }

  return {
    since: now(),
    signal,
    stop,
    isStopped: () => signal.aborted,
    async run(agent, prompt, log, { timeLimit }, isUsedUp) {
      const timer = timeLimit === undefined ? undefined : setTimeout(() => stop('timeout'), timeLimit)
      const ended = 'code' in agent ? failed(agent) : await promptAgent(agent, prompt, log, signal)
      clearTimeout(timer)
      const { reason, state, outcome } = writtenEnd(ended, cause, isUsedUp())
      return log.end(reason, [endDraft({ reason: state, outcome, time: now() })])
    },
  }
}

function failed({ message, code }: ToolError): TurnEnd {
  return { kind: 'error', message, code }
}

/** The agent's own end of the turn; its death, where it gives none. */
async function promptAgent(agent: Agent, prompt: TurnPrompt, log: HostTurnLog, signal: AbortSignal): Promise<TurnEnd> {
  const over = new AbortController()
  const end = () =>
    // Aborted once the turn is over: then nobody needs to be ended.
    void pause(CANCEL_MS, undefined, { signal: over.signal }).then(
      () => agent.stop(),
      () => undefined,
    )
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const death = agent.ended.then(async (exit): Promise<TurnEnd> => {
    await pause(LAST_ANSWER_MS, undefined, { signal: over.signal }).catch(() => undefined)
    return { kind: 'error', message: wordsOf(exit), code: 'agent_failed' }
  })
  try {
    return await Promise.race([
      agent
        .prompt(prompt, log, signal)
        .catch((bug: unknown): TurnEnd => ({ kind: 'error', message: String(bug), code: 'internal' })),
      death,
    ])
  } finally {
    over.abort()
    signal.removeEventListener('abort', end)
  }
}
