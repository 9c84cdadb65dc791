import { fail, ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { Agent, AgentGateway, AgentStart, Preset, StartAgent } from './agent.ts'
import type { AgentRecord } from './agent-records.ts'

/** How an agent reaches the tools; `revoke` makes its token worthless. */
interface GrantedGateway {
  readonly gateway: AgentGateway
  revoke(): void
}

/** What agents are started with, whichever it is. */
export interface AgentStarting {
  readonly startAgent: { readonly [Kind in Preset['kind']]: StartAgent }
  readonly gateway: (id: SessionId) => GrantedGateway | Promise<GrantedGateway>
  /** Where live agents are kept on record: `HomePaths.agents`. */
  readonly recordsFolder: string
  /** The environment that agents inherit; what is meant for this program alone is left out of it. */
  readonly environment: NodeJS.ProcessEnv
}

/** An agent that was started and has not ended. */
export interface LiveAgent {
  readonly agent: Agent
  readonly presetId: string
  /** Set once the agent is gone, with its last words. */
  readonly goneWith: () => string | undefined
  /** Asks it to end, and resolves when it is gone and its token dead. */
  end(): Promise<void>
}

/**
 * Starts an agent that is on record already. Its token is dead when it is.
 * Fails with what the start says.
 */
export async function startLiveAgent(
  { startAgent, gateway, environment }: AgentStarting,
  record: AgentRecord,
  start: Omit<AgentStart, 'environment' | 'gateway' | 'onProcess'>,
): Promise<Result<LiveAgent>> {
  const granted = await gateway(start.sessionId)
  const agent = await startAgent[start.preset.kind]({
    ...start,
    environment: { ...inherited(environment), ...record.environment },
    gateway: granted.gateway,
    onProcess: (pid) => void record.started(pid),
  }).catch((error: unknown) => fail(toolError('agent_failed', `The agent could not be started: ${String(error)}`)))
  if (!agent.ok) {
    granted.revoke()
    return agent
  }
  let lastWords: string | undefined
  const gone = agent.value.ended.then((exit) => {
    lastWords = wordsOf(exit)
    granted.revoke()
  })
  return ok({
    agent: agent.value,
    presetId: start.preset.id,
    goneWith: () => lastWords,
    async end() {
      await agent.value.stop()
      await gone
    },
  })
}

/** How an agent ended, as a sentence that can be shown. */
export function wordsOf(exit: Awaited<Agent['ended']>): string {
  const how = exit.signal === null ? `with exit code ${exit.code}` : `by ${exit.signal}`
  const last = exit.lastWords.trim()
  return `The agent ended ${how}.${last === '' ? '' : ` Its last words: ${last}`}`
}

/** An agent gets nothing that tells it how this program was started, nor another's token. */
function inherited(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(
    ([name]) => !name.startsWith('TREELINE_') && name !== 'ELECTRON_RUN_AS_NODE',
  )
  return Object.fromEntries(kept)
}
