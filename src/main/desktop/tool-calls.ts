import { toolError } from '../../shared/tool-error.ts'
import { newSessionId } from '../session-tree/session-id.ts'
import { hostCaller } from '../tools/caller.ts'
import { sessionStatus } from '../tools/session-status.ts'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import type { CallHandlers } from './ipc.ts'
import type { Parts } from './parts.ts'

type ToolCalls = Pick<
  CallHandlers,
  'session_create' | 'session_status' | 'session_send' | 'cancel' | 'rename' | 'fork_preview'
>

/** The three tools for the window, and what belongs to creating: preview, cancel, rename. The caller is the host. */
export function toolCalls({ tree, home, navigator, creations, system }: Parts): ToolCalls {
  /** The id each parent's next fork gets, so that the worktree made is the one that the dialog showed. */
  const promised = new Map<string, SessionId>()
  const promise = (parent: SessionId): SessionId => {
    const id = promised.get(parent) ?? newSessionId()
    promised.set(parent, id)
    return id
  }
  return {
    async session_create(request, { as, call, budget } = {}) {
      const caller = hostCaller(as)
      if (!caller.ok) return caller
      return creations.run(as, call, async (signal) => {
        const reached = await home.home()
        if (!reached.ok) return reached
        const sessionId = as === undefined ? undefined : promised.get(as)
        const created = await reached.value.tools.session_create(request, caller.value, {
          signal,
          ...(sessionId === undefined ? {} : { sessionId }),
          ...(budget === undefined ? {} : { budget }),
          onProgress: (sentence) => {
            if (call !== undefined) system.push('create_progress', { call, sentence })
          },
          onWarning: (sentence) => system.push('notice', toolError('worktree_failed', sentence)),
        })
        if (!created.ok) return created
        if (as !== undefined) promised.delete(as)
        // The row is there before the answer, so that the window can select it; the watcher would bring it a moment later.
        const id = parseSessionId(created.value.session_id)
        if (id.ok) await navigator.look(id.value)
        return created
      })
    },
    async session_status(request, { as } = {}) {
      const caller = hostCaller(as)
      if (!caller.ok) return caller
      // Looking needs no home: it works while another process has it. Who is live is said only where it is known.
      return sessionStatus(tree, request, caller.value, home.now()?.agents)
    },
    async session_send(request, { as } = {}) {
      const caller = hostCaller(as)
      if (!caller.ok) return caller
      const reached = await home.home()
      return reached.ok ? reached.value.tools.session_send(request, caller.value) : reached
    },
    async cancel(call) {
      creations.cancel(call)
      return { ok: true, value: null }
    },
    async rename(id, title) {
      const reached = await home.home()
      if (!reached.ok) return reached
      const renamed = await reached.value.rename(id, title)
      if (renamed.ok) await navigator.look(id)
      return renamed
    },
    fork_preview: ({ session_id, worktree, prompt, title }) =>
      navigator.forkPreview(session_id, { worktree, prompt, title, forkId: promise(session_id) }),
  }
}
