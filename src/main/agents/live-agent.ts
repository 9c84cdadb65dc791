import { fail, ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { Agent, AgentGateway, AgentStart, Preset, StartAgent } from './agent.ts'
import { openAgentRecord } from './agent-records.ts'

/** How an agent reaches the tools; `revoke` makes its token worthless. */
export interface GrantedGateway {
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
  /** Asks it to end, and resolves when it is gone: its token dead, its record removed. */
  end(): Promise<void>
}

/**
 * Starts an agent: on record before its first process, its token dead and its record gone when it is.
 * Fails with what the start says, or `io_failed`.
 */
export async function startLiveAgent(
  { startAgent, gateway, recordsFolder, environment }: AgentStarting,
  start: Omit<AgentStart, 'environment' | 'gateway' | 'onProcess'>,
): Promise<Result<LiveAgent>> {
  const record = await openAgentRecord(recordsFolder, start.sessionId)
  if (!record.ok) return record
  const granted = await gateway(start.sessionId)
  const end = async () => {
    granted.revoke()
    await record.value.close()
  }
  const agent = await startAgent[start.preset.kind]({
    ...start,
    environment: { ...inherited(environment), ...record.value.environment },
    gateway: granted.gateway,
    onProcess: (pid) => void record.value.started(pid),
  }).catch((error: unknown) => fail(toolError('agent_failed', `The agent could not be started: ${String(error)}`)))
  if (!agent.ok) {
    await end()
    return agent
  }
  let lastWords: string | undefined
  const gone = agent.value.ended.then((exit) => {
    lastWords = wordsOf(exit)
    return end()
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
