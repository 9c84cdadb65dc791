import type { LiveCatalog } from '../catalog/live-catalog.ts'
import type { SessionFacts, SessionTree } from '../session-tree/session-tree.ts'
import type { SeenSession } from '../session-tree/tree-watcher-index.ts'

/** Where the feed gets facts from: the logs themselves at first, the catalog once it is there. */
export interface FactsSource {
  readonly factsOf: (seen: SeenSession) => Promise<SessionFacts>
  /**
   * Uses the catalog from now on, and lets it look at what was read before it was there: it keeps those facts, and knows
   * or finds the words that neither end of a log shows. Resolves when it has.
   */
  attach(catalog: Pick<LiveCatalog, 'factsOf' | 'loaded'>): Promise<void>
}

/**
 * Facts without a catalog at first: loading SQLite takes longer than reading the logs of the rows that a person sees
 * first, so it comes after the first paint (design §8).
 * @param corrected is told facts that turn out to be more than was read before
 */
export function createFactsSource(
  tree: Pick<SessionTree, 'facts'>,
  corrected: (facts: SessionFacts) => Promise<void>,
): FactsSource {
  const early = new Map<string, { readonly seen: SeenSession; readonly facts: SessionFacts }>()
  let attached: Pick<LiveCatalog, 'factsOf'> | undefined
  return {
    async factsOf(seen) {
      if (attached) {
        early.delete(seen.place.logPath)
        return attached.factsOf(seen)
      }
      const facts = seen.facts ?? (await tree.facts(seen.place))
      early.set(seen.place.logPath, { seen, facts })
      return facts
    },
    async attach(catalog) {
      await catalog.loaded
      attached = catalog
      for (const [path, { seen, facts }] of early) {
        // Asked for again since: then there are newer facts than these.
        if (!early.delete(path)) continue
        const now = await catalog.factsOf(seen)
        if (now.title !== facts.title || now.firstPrompt !== facts.firstPrompt) await corrected(now)
      }
    },
  }
}
