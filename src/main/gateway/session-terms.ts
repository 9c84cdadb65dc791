import { ok } from '../../shared/result.ts'
import { envelopeDrafts, type Budgets } from '../agents/budget.ts'
import { presetForNew, type PresetList } from '../agents/presets.ts'
import type { TermsFor } from '../tools/session-terms.ts'

/** What is known of presets at a moment: those there are, and the one chosen in settings for sessions that name none. */
export interface KnownPresets {
  readonly list: PresetList
  readonly chosen?: string | undefined
}

/**
 * The terms of new sessions, from presets and budgets. A budget comes from the host, or from the preset that a request names
 * or a main gets; a child that merely takes over its parent's preset draws on the parent's budget instead of having the
 * same again.
 * @param parts.reserve tokens that a parent keeps for itself when it gives to its children.
 */
export function termsFromPresets(parts: {
  readonly presets: () => Promise<KnownPresets>
  readonly budgets: Budgets
  readonly reserve: () => Promise<number>
}): TermsFor {
  return async ({ asked, budget, parent, now }) => {
    const { list, chosen } = await parts.presets()
    const found = presetForNew(list, { asked, parent: parent?.header, chosen })
    if (!found.ok) return found
    const preset = found.value
    const isOwn = asked !== undefined || !parent
    const limit = budget ?? (isOwn ? preset?.budget : undefined)
    const promise = parent && (await parts.budgets.allocate(parent.place.id, limit, await parts.reserve()))
    if (promise && !promise.ok) return promise
    return ok({
      ...(preset && { agentPreset: preset.id }),
      notes: envelopeDrafts(
        {
          budget: limit,
          scope: preset?.scope,
          role: preset?.role,
          preset: budget === undefined ? preset?.id : undefined,
        },
        now,
      ),
      ...(promise && { settle: () => promise.value.settle() }),
    })
  }
}
