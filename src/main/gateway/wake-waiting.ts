import { namedPreset } from '../agents/presets.ts'
import type { AgentHost } from '../agents/agent.ts'
import type { SessionReader } from '../agents/session-reader.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'

/**
 * Tells the agents of messages that were accepted while nobody ran agents, such as by a command line that owned the home for
 * its call. Left alone are sessions that name no agent (imported ones), and those whose last turn was cut off by a crash: a
 * person looks at these first, and what waits behind it goes on with the next message (design §7).
 */
export async function wakeWaiting(
  tree: SessionTree,
  reader: SessionReader,
  agents: Pick<AgentHost, 'wake'>,
  signal: AbortSignal,
): Promise<void> {
  for await (const place of tree.places()) {
    if (signal.aborted) return
    const { waiting, header, problem } = await tree.facts(place)
    if (!waiting || problem || !header || namedPreset(header) === undefined) continue
    const read = await reader.read(place.id)
    if (signal.aborted) return
    if (read.ok && read.value.state.ended?.reason !== 'killed') agents.wake(place.id)
  }
}
