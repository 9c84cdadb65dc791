import { ipcMain, type IpcMainInvokeEvent } from 'electron'
import { channelOf, NAVIGATOR_CALLS, TOOL_CALLS, type Calls } from '../../shared/bridge.ts'
import { fail } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { CallArguments } from './ipc-arguments.ts'
import { isOwnAddress } from './links.ts'

/** What answers each call of the table, with arguments already parsed. */
export type CallHandlers = {
  readonly [Name in keyof Calls]: (...values: CallArguments[Name]) => ReturnType<Calls[Name]>
}

/**
 * Registers every call of the table. Who sends is looked at first and synchronously: only the top frame of our own
 * window's own page is answered, everyone else is refused by a rejection (engineering §3.1, item 17). A handler that
 * throws is a bug: it is reported, and the window gets `internal`.
 * @param handlers may still be on their way: a call waits for them
 * @returns what takes the handlers away again
 */
export function registerCalls(
  handlers: Promise<CallHandlers>,
  report: (sentence: string, error?: unknown) => void,
): () => void {
  const names: readonly (keyof Calls)[] = [...TOOL_CALLS, ...NAVIGATOR_CALLS]
  for (const name of names) {
    ipcMain.handle(channelOf(name), (event, ...values: unknown[]) => {
      if (!isOurWindow(event)) {
        report(`A call of ${name} by ${event.senderFrame?.url ?? 'a frame that is gone'} was refused.`)
        throw new Error('This page may not call Treeline.')
      }
      return answer(name, values, handlers, report)
    })
  }
  return () => {
    for (const name of names) ipcMain.removeHandler(channelOf(name))
  }
}

/** `senderFrame` is null once the frame has navigated or is gone, which is why nothing may be awaited before this. */
function isOurWindow(event: Pick<IpcMainInvokeEvent, 'senderFrame'>): boolean {
  const frame = event.senderFrame
  return frame !== null && frame.parent === null && isOwnAddress(frame.url)
}

async function answer<Name extends keyof Calls>(
  name: Name,
  values: readonly unknown[],
  handlers: Promise<CallHandlers>,
  report: (sentence: string, error?: unknown) => void,
): Promise<Awaited<ReturnType<Calls[Name]>> | ReturnType<typeof fail>> {
  try {
    // The schemas take longest to load of all that a call needs: after the window, which is why they are not above.
    const { parseArguments } = await import('./ipc-arguments.ts')
    const parsed = parseArguments(name, values)
    if (!parsed.ok) return parsed
    const handler = (await handlers)[name]
    return await handler(...parsed.value)
  } catch (error) {
    report(`${name} failed unexpectedly.`, error)
    const reason = error instanceof Error ? error.message : String(error)
    return fail(
      toolError('internal', `Something went wrong inside Treeline (${reason}). Its own log, under Help, says more.`),
    )
  }
}
