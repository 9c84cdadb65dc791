import type { PermissionAsked } from '../../shared/agent-view.ts'

type Options = PermissionAsked['options']

/** An agent's own choices as they stand on its card. */
export interface PermissionChoices {
  readonly options: Options
  /** The one that binds least: this once, never for good; where there is no such, no. Absent where there is neither. */
  readonly first: string | undefined
}

/** From what refuses to what allows most; the default stands last, at the edge, as in dialogs. */
export function permissionChoices(options: Options): PermissionChoices {
  const first = (options.find(({ kind }) => kind === 'allow') ?? options.find(({ kind }) => kind === 'reject'))?.id
  const others = options.filter(({ id }) => id !== first)
  const rank = { reject: 0, other: 1, allow_always: 2, allow: 3 } as const
  return {
    options: [...others.toSorted((a, b) => rank[a.kind] - rank[b.kind]), ...options.filter(({ id }) => id === first)],
    first,
  }
}
