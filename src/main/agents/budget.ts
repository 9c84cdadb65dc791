import { fail, ok, type Result } from '../../shared/result.ts'
import type { EventDraft } from '../../shared/session-event.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import type { SessionPlace, SessionTree } from '../session-tree/session-tree.ts'
import { childPlaces } from '../session-tree/tree-reading.ts'
import { ENVELOPE_EVENT, ownDraft, RAISE_EVENT } from './own-events.ts'
import type { SessionReader } from './session-reader.ts'

/** What a session may spend, in tokens, and what it and everything below it has spent. */
interface Envelope {
  readonly limit: number | undefined
  readonly spent: number
}

/** A limit that is used up, and whose it is. */
export interface UsedUp {
  readonly owner: SessionId
  readonly limit: number
  readonly spent: number
}

/** Tokens that are left under every limit that holds; Infinity where none does. */
interface Room {
  readonly left: number
  /** The nearest limit that is used up, where one is. */
  readonly usedUp?: UsedUp
}

/** The limit that holds for a session, in tokens. */
interface Holding {
  /** Whose limit it is: the session itself, or the nearest ancestor that has one. */
  readonly owner: SessionPlace
  readonly limit: number
  readonly spent: number
  /** Given out of it to sessions below that have limits of their own. */
  readonly given: number
  /** How many sessions stand below the owner, at all levels. */
  readonly sharers: number
}

/** Part of a parent's budget that is promised to a child which is not published yet. */
interface Allocation {
  /** To be called once the child is published, or came to nothing. */
  settle(): void
}

/** Budgets as Voss defines them: set once, given down the tree, never raised; all of it folded from the logs. */
export interface Budgets {
  envelope(place: SessionPlace): Promise<Result<Envelope>>
  /** The limit on which a session draws; undefined where none holds. Fails as the owner's log does. */
  holding(place: SessionPlace): Promise<Result<Holding | undefined>>
  /** What a session may still spend under its own limit and its ancestors'. */
  room(place: SessionPlace): Promise<Result<Room>>
  /**
   * Promises a child `limit` tokens: `child.limit <= parent.limit - reserve - sum(existing child limits)`, where the parent is
   * the nearest ancestor that has a limit. Fails with `budget_exceeded` and the numbers.
   * @param limit absent: the child has no limit of its own and draws on that ancestor; always granted.
   */
  allocate(parent: SessionId, limit: number | undefined, reserve: number): Promise<Result<Allocation>>
  /**
   * Refuses to raise a limit, and records the attempt in the session's log. Lowering is refused as well, unrecorded: a limit is
   * set once. Fails always: `budget_exceeded`, or as the log does.
   */
  refuseRaise(id: SessionId, asked: number): Promise<Result<never>>
}

/** @param now milliseconds since the epoch. */
export function createBudgets(tree: SessionTree, reader: SessionReader, now: () => number): Budgets {
  /** Promised and not yet in any log, by the session it is taken from. */
  const promised = new Map<SessionId, number>()
  let order: Promise<unknown> = Promise.resolve()

  async function spentBelow(place: SessionPlace): Promise<Result<number>> {
    const own = await reader.read(place.id)
    if (!own.ok) return own
    let sum = own.value.state.spent
    for (const child of await childPlaces(place)) {
      const spent = await spentBelow(child)
      // A log that cannot be read says nothing about what it cost: its neighbours count all the same.
      if (spent.ok) sum += spent.value
    }
    return ok(sum)
  }

  /** The limits given out of a session's budget: each child's own, or where it has none, what was given out below it. */
  async function given(place: SessionPlace): Promise<number> {
    let sum = 0
    for (const child of await childPlaces(place)) {
      const reading = await reader.read(child.id)
      const limit = reading.ok ? reading.value.state.limit : undefined
      sum += limit ?? (await given(child))
    }
    return sum
  }

  /** The session and its ancestors that have a limit, nearest first. */
  async function* limited(
    place: SessionPlace,
  ): AsyncGenerator<{ readonly place: SessionPlace; readonly limit: number }> {
    for (const id of [place.id, ...place.ancestors.toReversed()]) {
      const reading = await reader.read(id)
      const limit = reading.ok ? reading.value.state.limit : undefined
      if (reading.ok && limit !== undefined) yield { place: reading.value.place, limit }
    }
  }

  async function allocateNow(parent: SessionId, limit: number, reserve: number): Promise<Result<Allocation>> {
    const place = await tree.locate(parent)
    if (!place.ok) return place
    const next = await limited(place.value).next()
    if (next.done) return ok({ settle: () => undefined })
    const { place: owner, limit: whole } = next.value
    const taken = (await given(owner)) + (promised.get(owner.id) ?? 0)
    const left = whole - reserve - taken
    if (limit > left) return fail(overAllocation({ owner: owner.id, whole, reserve, taken, limit, left }))
    promised.set(owner.id, (promised.get(owner.id) ?? 0) + limit)
    let isOpen = true
    return ok({
      settle() {
        if (isOpen) promised.set(owner.id, (promised.get(owner.id) ?? 0) - limit)
        isOpen = false
      },
    })
  }

  return {
    async envelope(place) {
      const [reading, spent] = [await reader.read(place.id), await spentBelow(place)]
      if (!reading.ok) return reading
      return spent.ok ? ok({ limit: reading.value.state.limit, spent: spent.value }) : spent
    },
    async holding(place) {
      const next = await limited(place).next()
      if (next.done) return ok(undefined)
      const { place: owner, limit } = next.value
      const spent = await spentBelow(owner)
      if (!spent.ok) return spent
      const [taken, sharers] = await Promise.all([given(owner), countBelow(owner)])
      return ok({ owner, limit, spent: spent.value, given: taken, sharers })
    },
    async room(place) {
      let left = Number.POSITIVE_INFINITY
      for await (const { place: owner, limit } of limited(place)) {
        const below = await spentBelow(owner)
        if (!below.ok) return below
        const spent = below.value
        if (spent >= limit) return ok({ left: 0, usedUp: { owner: owner.id, limit, spent } })
        left = Math.min(left, limit - spent)
      }
      return ok({ left })
    },
    allocate(parent, limit, reserve) {
      if (limit === undefined) return Promise.resolve(ok({ settle: () => undefined }))
      // One after the other: two creations at once must not both get the last of it.
      const mine = order.then(() => allocateNow(parent, limit, reserve))
      order = mine.catch(() => undefined)
      return mine
    },
    async refuseRaise(id, asked) {
      const reading = await reader.read(id)
      if (!reading.ok) return reading
      const { limit } = reading.value.state
      if (limit === undefined) {
        const message = `${id} was made without a budget, and gets none later. Make a new session with one.`
        return fail(toolError('budget_exceeded', message, { field: 'budget' }))
      }
      const isRaise = asked > limit
      if (isRaise) {
        const time = now()
        const data = { limit, asked, reason: 'cap_raise_rejected', time }
        const recorded = await tree.appendNext(id, [ownDraft(RAISE_EVENT, data, time)])
        if (!recorded.ok) return recorded
      }
      const message = `The limit is ${tokens(limit)} and cannot be changed to ${tokens(asked)}: it is set once, when a session is made.${isRaise ? ' The attempt is recorded.' : ''} Make a new session for more work.`
      return fail(toolError('budget_exceeded', message, { field: 'budget' }))
    },
  }
}

async function countBelow(place: SessionPlace): Promise<number> {
  let count = 0
  for (const child of await childPlaces(place)) count += 1 + (await countBelow(child))
  return count
}

/** What a new session's log says of its budget, scope and role; nothing where there is nothing to say. */
export function envelopeDrafts(
  envelope: {
    readonly budget?: number | undefined
    readonly scope?: readonly string[] | undefined
    readonly role?: string | undefined
    /** The preset that the budget came from, if one: when it is edited to give more, that is an attempt to raise. */
    readonly preset?: string | undefined
  },
  time: number,
): EventDraft[] {
  const { budget: limit, scope, role, preset } = envelope
  if (limit === undefined && scope === undefined && role === undefined) return []
  const from = limit !== undefined && preset !== undefined
  const data = {
    ...(limit !== undefined && { limit }),
    ...(from && { preset }),
    ...(scope && { scope }),
    ...(role !== undefined && { role }),
  }
  return [ownDraft(ENVELOPE_EVENT, data, time)]
}

/** Why a session is not run: in words, with the numbers. */
export function usedUpError(id: SessionId, { owner, limit, spent }: UsedUp): ToolError {
  const whose = owner === id ? 'its budget' : `the budget of ${owner}, on which it draws,`
  const message = `${id} is stopped: ${whose} of ${tokens(limit)} is used up (${tokens(spent)} spent). A limit is not raised; make a new session to go on.`
  return toolError('budget_exceeded', message, { field: 'budget' })
}

function overAllocation(numbers: {
  readonly owner: SessionId
  readonly whole: number
  readonly reserve: number
  readonly taken: number
  readonly limit: number
  readonly left: number
}): ToolError {
  const { owner, whole, reserve, taken, limit, left } = numbers
  const message =
    `A budget of ${tokens(limit)} was asked for, but ${owner} can give at most ${tokens(Math.max(0, left))}: ` +
    `${whole} in all, less ${reserve} in reserve and ${taken} given to others. Ask for less, or leave the budget out.`
  return toolError('budget_exceeded', message, { field: 'budget' })
}

function tokens(count: number): string {
  return `${count.toLocaleString('en')} tokens`
}
