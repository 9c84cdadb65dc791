/** Keys while text is being typed (field fault F29). */

interface KeyPress {
  readonly key: string
  readonly keyCode: number
  readonly isComposing?: boolean
  readonly nativeEvent?: { readonly isComposing: boolean }
}

/** What an input method reports for keys that it takes for itself, Enter and Escape among them. */
const TAKEN_BY_INPUT_METHOD = 229

/** Whether this key belongs to a composition and must do nothing else. */
export function isComposing(event: KeyPress): boolean {
  return (
    event.isComposing === true || event.nativeEvent?.isComposing === true || event.keyCode === TAKEN_BY_INPUT_METHOD
  )
}

/** Whether the focus is where letters are typed: the window's shortcuts are quiet then. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('input:not([type="radio"]), textarea, select, [contenteditable]') !== null
  )
}

const isMac = navigator.userAgent.includes('Mac OS')

/** A shortcut as this system writes it. */
export function shortcut(keys: { readonly mac: string; readonly other: string }): string {
  return isMac ? keys.mac : keys.other
}

/** The key that stands for Ctrl, or for ⌘ on a Mac. */
export function isMod(event: { readonly ctrlKey: boolean; readonly metaKey: boolean }): boolean {
  return isMac ? event.metaKey : event.ctrlKey
}
