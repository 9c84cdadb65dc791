import { contextBridge, ipcRenderer } from 'electron'
import {
  channelOf,
  NAVIGATOR_CALLS,
  PUSHES,
  TOOL_CALLS,
  type Calls,
  type Pushes,
  type TreelineBridge,
} from '../shared/bridge.ts'
import { fail, type Result } from '../shared/result.ts'
import { toolError } from '../shared/tool-error.ts'

/** Calls main and always answers a Result: what IPC rejects with has lost its name and code on the way. */
async function call(name: keyof Calls, values: readonly unknown[]): Promise<Result<unknown>> {
  try {
    const answer: unknown = await ipcRenderer.invoke(channelOf(name), ...values)
    if (isResult(answer)) return answer
    return fail(toolError('internal', `Treeline gave no proper answer to ${name}. Please start it again.`))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail(toolError('internal', `${name} could not be done: ${reason}`))
  }
}

function isResult(value: unknown): value is Result<unknown> {
  return typeof value === 'object' && value !== null && 'ok' in value && typeof value.ok === 'boolean'
}

function bound(names: readonly (keyof Calls)[]): (readonly unknown[])[] {
  return names.map((name) => [name, (...values: unknown[]) => call(name, values)])
}

/** Listens to one push. The listener gets the value only, never the event, which would hand over the sender. */
function on<Push extends keyof Pushes>(push: Push, listener: (value: Pushes[Push]) => void): () => void {
  if (!PUSHES.includes(push)) throw new TypeError(`There is no push named ${push}.`)
  const heard = (_event: unknown, value: Pushes[Push]): void => listener(value)
  ipcRenderer.on(channelOf(push), heard)
  return () => {
    ipcRenderer.off(channelOf(push), heard)
  }
}

// The lists are closed and the table is typed, so what `fromEntries` cannot know is known here.
const tools: Pick<TreelineBridge, (typeof TOOL_CALLS)[number]> = Object.fromEntries(bound(TOOL_CALLS))
const navigator: TreelineBridge['navigator'] = Object.fromEntries([...bound(NAVIGATOR_CALLS), ['on', on]])

// The context bridge freezes what it hands to the page.
contextBridge.exposeInMainWorld('treeline', { ...tools, navigator } satisfies TreelineBridge)
