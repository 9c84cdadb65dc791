import type { ToolConnection } from '../../../main/gateway/tool-client.ts'

interface Promised {
  readonly prompt: string
  /** Absent for a main. */
  readonly parent?: string
  readonly worktree?: string
}

/** What the owner of a home has said yes to: from then on a crash must not take it away. */
export interface Acknowledged {
  /** Session id → what was promised of it. */
  readonly sessions: Map<string, Promised>
  readonly messages: { readonly session: string; readonly text: string }[]
}

export function nothingYet(): Acknowledged {
  return { sessions: new Map(), messages: [] }
}

/** Side by side, as agents, windows and command lines would call. */
const WORKERS = 4
/** Enough mains to spread over, few enough that each gets children. */
const MOST_MAINS = 3

/**
 * Creates mains, subagents and forks in worktrees, and sends messages, at random, until the connection ends. Every prompt is
 * a command for the shell, so that the owner appends turns at the same time. Only what was answered is taken down.
 * @param random from 0 to 1
 */
export async function drive(
  connection: ToolConnection,
  parts: { readonly project: string; readonly acknowledged: Acknowledged; readonly random: () => number },
): Promise<void> {
  const { project, acknowledged, random } = parts
  const mains: string[] = []
  const children: { readonly id: string; readonly parent: string }[] = []
  const know = (id: string, parent: string | undefined) =>
    parent === undefined ? mains.push(id) : children.push({ id, parent })
  for (const [id, { parent }] of acknowledged.sessions) know(id, parent)
  const end = new AbortController()
  void connection.ended.then(() => end.abort())
  let count = 0
  const text = () => `echo "${process.pid}-${Date.now()}-${(count += 1)}"`
  const pick = <Value>(values: readonly Value[]): Value | undefined => values[Math.floor(random() * values.length)]

  async function create(request: object, as?: string): Promise<void> {
    const prompt = text()
    const answer = await connection.call('session_create', {
      request: { prompt, ...request },
      ...(as !== undefined && { as }),
    })
    if (!answer.ok) return refusedOnlyByTheEnd(answer.error.code, answer.error.message)
    const { session_id, worktree } = fieldsOf(answer.value)
    if (typeof session_id !== 'string') throw new Error(`No session: ${JSON.stringify(answer.value)}`)
    acknowledged.sessions.set(session_id, {
      prompt,
      ...(as !== undefined && { parent: as }),
      ...(typeof worktree === 'string' && { worktree }),
    })
    know(session_id, as)
  }

  async function send(session: string, as?: string): Promise<void> {
    const message = text()
    const request = { session_id: session, message }
    const answer = await connection.call('session_send', { request, ...(as !== undefined && { as }) })
    if (!answer.ok) return refusedOnlyByTheEnd(answer.error.code, answer.error.message)
    acknowledged.messages.push({ session, text: message })
  }

  async function step(): Promise<void> {
    const main = pick(mains)
    if (main === undefined || (mains.length < MOST_MAINS && random() < 0.1)) {
      return create({ cwd: project, preset: 'shell' })
    }
    const choice = random()
    const child = pick(children)
    if (choice < 0.3) return create({ fork: true, worktree: true, title: `Try ${count}` }, main)
    if (choice < 0.4) return create({ fork: true }, main)
    if (choice < 0.6) return create({}, child && random() < 0.5 ? child.id : main)
    return child && random() < 0.6 ? send(child.id, child.parent) : send(main)
  }

  async function work(): Promise<void> {
    while (!end.signal.aborted) await step()
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
}

/** Whoever is killed answers nothing any more; any other refusal is a fault that must be seen. */
function refusedOnlyByTheEnd(code: string, message: string): void {
  if (code !== 'owner_unreachable') throw new Error(`The owner refused: ${code}: ${message}`)
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return { ...(typeof value === 'object' && value) }
}
