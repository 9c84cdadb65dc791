import { ok } from '../../../shared/result.ts'
import type { Agent, AgentExit, AgentStart, StartAgent } from '../agent.ts'
import { deferred, type Deferred } from '../deferred.ts'

/** An agent whose turns are a function, and how to end it as if its process had died. */
export interface ScriptedAgent {
  readonly start: AgentStart
  readonly die: (exit: AgentExit) => void
}

/** Starts agents that do what `prompt` says; each that was started is in `started`, in order. */
export function scriptedAgents(prompt: (agent: ScriptedAgent) => Agent['prompt']): {
  readonly startAgent: StartAgent
  readonly started: ScriptedAgent[]
} {
  const started: ScriptedAgent[] = []
  return {
    started,
    startAgent(start) {
      const ended: Deferred<AgentExit> = deferred()
      const agent = { start, die: ended.resolve }
      started.push(agent)
      const stop = () => Promise.resolve(ended.resolve({ code: 0, signal: null, lastWords: '' }))
      return Promise.resolve(ok({ prompt: prompt(agent), ended: ended.promise, stop }))
    },
  }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
