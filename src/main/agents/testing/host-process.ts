// A process of its own that owns a home's agents, to be killed in the middle of a turn. It says "ready" and takes ids.
// node host-process.ts FOLDER SESSION…
import { parseSessionId } from '../../../shared/session-id.ts'
import { makeAgentHome } from './agent-home.ts'

const [folder = '', ...ids] = process.argv.slice(2)
const { host } = makeAgentHome({ folder })
for (const id of ids) {
  const parsed = parseSessionId(id)
  if (parsed.ok) host.wake(parsed.value)
}
process.stdout.write('ready\n')
setInterval(() => undefined, 1000)
