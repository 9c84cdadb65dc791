import { useEffect, useState } from 'react'

type MarkdownModule = typeof import('./markdown.tsx')

/** Loaded behind the first paint: it is the largest part of the window's code. */
let loading: Promise<MarkdownModule> | null = null
let loaded: MarkdownModule | null = null

/** Begins to load it; may be called before it is needed. */
export async function loadMarkdown(): Promise<MarkdownModule> {
  loading ??= import('./markdown.tsx')
  loaded = await loading
  return loaded
}

/** The markdown view, or null until it is there. */
export function useMarkdown(): MarkdownModule['Markdown'] | null {
  const [ready, setReady] = useState(loaded)
  useEffect(() => {
    if (ready) return
    void loadMarkdown().then(setReady)
  }, [ready])
  return ready?.Markdown ?? null
}
