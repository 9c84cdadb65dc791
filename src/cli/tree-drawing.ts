import type { SessionTreeNode } from '../main/agents/nodes.ts'
import type { SessionTreeView } from '../shared/tools.ts'

/**
 * A tree as lines for a person: forks first, then subagents, each with its state, what it has spent of what it may, its role
 * and its scope. Pure.
 * @param nodes those of the same tree; a session without one could not be read, and has its status only
 */
export function drawTree(view: SessionTreeView, nodes: readonly SessionTreeNode[]): string {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const lines: string[] = []
  const draw = (session: SessionTreeView, first: string, rest: string) => {
    lines.push(`${first}${lineOf(session, byId.get(session.session_id))}`)
    const children = [...session.forks, ...session.subagents]
    for (const [index, child] of children.entries()) {
      const isLast = index === children.length - 1
      draw(child, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`)
    }
  }
  draw(view, '', '')
  return `${lines.join('\n')}\n`
}

function lineOf({ kind, session_id, title, status }: SessionTreeView, node: SessionTreeNode | undefined): string {
  const parts = [`${kind} ${session_id}`]
  if (title !== undefined) parts.push(printable(JSON.stringify(title)))
  parts.push(status === 'running' ? status : (node?.terminal_state?.reason ?? status))
  if (node) {
    const { limit, spent } = node.envelope
    parts.push(limit === null ? `${spent} tokens` : `${spent}/${limit} tokens`)
    if (node.role !== null) parts.push(`role ${printable(node.role)}`)
    if (node.scope.length > 0) parts.push(`scope ${node.scope.map(printable).join(' ')}`)
    const raises = node.rejected_raises.length
    if (raises > 0) parts.push(`${raises} rejected ${raises === 1 ? 'raise' : 'raises'}`)
  }
  return parts.join('  ')
}

/** Titles and roles come from anywhere, and may hold what a terminal obeys (field fault F29). */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
}
