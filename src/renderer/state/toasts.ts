import { create } from 'zustand'

/** A sentence that appears at the edge of the window: what went wrong, or what was done. */
export interface Toast {
  readonly id: number
  readonly tone: 'failed' | 'done'
  readonly message: string
}

/** More would cover the transcript; the oldest goes first. */
const MOST = 3

export const useToasts = create<{ readonly toasts: readonly Toast[] }>()(() => ({ toasts: [] }))

let next = 1

/** Shows a sentence. The same sentence is not shown twice at a time. */
export function say(tone: Toast['tone'], message: string): void {
  useToasts.setState(({ toasts }) => {
    if (toasts.some((toast) => toast.message === message)) return { toasts }
    next += 1
    return { toasts: [...toasts, { id: next, tone, message }].slice(-MOST) }
  })
}

/** Takes a sentence away. */
export function dismiss(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }))
}
