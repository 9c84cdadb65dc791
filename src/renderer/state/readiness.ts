/**
 * Tells whoever looks from outside, a capture or a test, how far the window is: `data-ready` once the list or the empty
 * state has been painted, `data-settled` once the open session's transcript has too.
 */

function afterPaint(name: 'ready' | 'settled'): void {
  // The first frame lays out what React has just put there; in the second it has been painted.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      document.documentElement.dataset[name] = 'true'
    }),
  )
}

/** The sessions are on screen, all of them known. */
export function markReady(): void {
  afterPaint('ready')
}

/** Nothing more is on its way. */
export function markSettled(): void {
  afterPaint('settled')
}
