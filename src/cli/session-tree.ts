import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fail, ok, type Result } from '../shared/result.ts'
import { parseSessionId } from '../shared/session-id.ts'
import { toolError } from '../shared/tool-error.ts'
import { readNodes, type SessionNodes } from '../main/agents/nodes.ts'
import { createSessionReader } from '../main/agents/session-reader.ts'
import type { HomePaths } from '../main/session-tree/home-paths.ts'
import { openSessionTree } from '../main/session-tree/tree-provider.ts'
import { replaceFile } from '../main/settings/replace-file.ts'
import { lookAsHost } from './look.ts'
import { printResult, printWarning } from './output.ts'
import { drawTree } from './tree-drawing.ts'

interface TreeOptions {
  readonly root: string
  readonly json: boolean
  /** A folder that gets each node as `<node_id>.json`, mode 0600; relative to `folder`. */
  readonly out?: string
  /** Where the command was called, absolute. */
  readonly folder: string
}

/**
 * Prints a tree with the budgets, roles and ends of its sessions, from the logs (as `voss session tree` does): drawn, or with
 * `--json` as `{root_id, nodes}`. Sessions that cannot be read are named on stderr and do not take the others down.
 * Fails as finding and reading the root does, and with `io_failed` where a node's file cannot be written.
 */
export async function printSessionTree(paths: HomePaths, options: TreeOptions): Promise<Result<undefined>> {
  const root = parseSessionId(options.root, 'root')
  if (!root.ok) return root
  const tree = openSessionTree(paths.tree)
  const read = await readNodes(tree, createSessionReader(tree), root.value)
  if (!read.ok) return read
  const { root_id, nodes, unreadable } = read.value
  if (options.out !== undefined) {
    const written = await writeNodes(resolve(options.folder, options.out), nodes)
    if (!written.ok) return written
  }
  if (options.json) printResult({ root_id, nodes })
  else {
    const view = await lookAsHost(paths, { session_id: root.value })
    if (!view.ok) return view
    process.stdout.write(drawTree(view.value.tree, nodes))
  }
  for (const { id, reason } of unreadable) printWarning(`${id} is left out: ${reason}`)
  return ok(undefined)
}

async function writeNodes(folder: string, nodes: SessionNodes['nodes']): Promise<Result<void>> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const node of nodes)
      await replaceFile(join(folder, `${node.id}.json`), `${JSON.stringify(node, undefined, 2)}\n`)
    return ok(undefined)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail(toolError('io_failed', `The nodes cannot be written to ${folder}: ${reason}.`, { path: folder }))
  }
}
