import { spawn } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Context } from '@deepseek-ai/cordis'
import { SessionStore } from '@deepseek-ai/dsh-session'
import { SessionId as dshSessionId } from '@deepseek-ai/dsh-session/types'
import Jsonl from '@deepseek-ai/dsh-session-persistence-jsonl'
import { parseSessionId, type SessionId } from '../src/shared/session-id.ts'
import type { ToolError } from '../src/shared/tool-error.ts'
import { keptOrRead, openCatalog, type Catalog } from '../src/main/catalog/catalog.ts'
import { readFactsBlocking } from '../src/main/session-tree/facts-blocking.ts'
import type { SessionFacts, SessionPlace } from '../src/main/session-tree/session-tree.ts'
import { newSessionId } from '../src/main/session-tree/session-id.ts'
import { openSessionTree } from '../src/main/session-tree/tree-provider.ts'
import { createTreeScan, type FoundSession } from '../src/main/session-tree/tree-scan.ts'
import { agentsBatches, agentsOurs, agentsPlain } from './agents-side.ts'
import { measured, type Measured } from './measure.ts'

/** One side of a comparison, run in a process of its own so that neither warms the other's heap. */
const sides: Record<string, (...rest: string[]) => Promise<Measured>> = {
  'list-ours': listOurs,
  'keep-facts': keepFacts,
  'list-kept': listKept,
  'list-dsh': listDsh,
  'fork-ours': forkOurs,
  'fork-copy': forkCopy,
  'tail-ours': tailOurs,
  'tail-dsh': tailDsh,
  'agents-ours': agentsOurs,
  'agents-batches': agentsBatches,
  'agents-plain': agentsPlain,
}

/** As the window's first look does: every log is read. */
async function listOurs(root: string): Promise<Measured> {
  return measured(async () => scanOf(root))
}

/** Keeps the facts of every session, as the window does once it has read them. */
async function keepFacts(root: string): Promise<Measured> {
  const catalog = catalogBeside(root)
  const run = await measured(async () => catalog.put(scanOf(root)))
  catalog.close()
  return run
}

/** From the catalog's file to the facts of every session, each held against its log by a stat. */
async function listKept(root: string): Promise<Measured> {
  let read = 0
  const run = await measured(async () => {
    const catalog = catalogBeside(root)
    const kept = keptOrRead(catalog.all(), (place) => {
      read += 1
      return readFactsBlocking(place)
    })
    scanOf(root, kept)
    catalog.close()
  })
  if (read > 0) throw new Error(`${read} logs were read: what was kept of them did not hold`)
  return run
}

function scanOf(root: string, factsOf?: (place: SessionPlace) => SessionFacts): SessionFacts[] {
  const facts: SessionFacts[] = []
  const report = { found: (session: FoundSession) => facts.push(session.facts), differs: misread, unreadable: misread }
  const scan = createTreeScan(root, report, factsOf)
  const look = scan.look(false)
  while (look.next().done !== true);
  return facts
}

function misread(what: string | ToolError): never {
  throw new Error(`Nobody changes the logs, and all can be read: ${JSON.stringify(what)}`)
}

function catalogBeside(root: string): Catalog {
  const opened = openCatalog(join(root, '..', 'treeline', 'catalog.db'))
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}

async function openDsh(root: string) {
  const context = new Context()
  await context.plugin(SessionStore)
  await context.plugin(Jsonl, { root, compression: 'none', packChunks: false })
  const persistence = context.get('sessionPersistence')
  if (!persistence) throw new Error('The DSH backend did not register itself')
  return persistence
}

async function listDsh(root: string): Promise<Measured> {
  const persistence = await openDsh(root)
  return measured(() => persistence.list())
}

async function forkOurs(root: string, parent: string): Promise<Measured> {
  const tree = openSessionTree(root)
  const id = known(parent)
  const child = newSessionId()
  const run = await measured(async () => {
    const boundary = await tree.boundary(id)
    if (!boundary.ok) throw new Error(boundary.error.message)
    const made = await tree.create({
      id: child,
      kind: 'fork',
      parent: id,
      cwd: '/workspace/benchmark',
      prompt: 'Try the other way.',
      boundary: boundary.value,
      createdAt: Date.now(),
    })
    if (!made.ok) throw new Error(made.error.message)
  })
  await rm(join(root, parent, 'forks', child), { recursive: true })
  return run
}

/** What `cp` and an fsync of the copy take: the least a fork can cost that copies at all. */
async function forkCopy(root: string, parent: string): Promise<Measured> {
  const copy = join(root, `copy-of-${parent}`)
  const run = await measured(async () => {
    const cp = spawn('cp', ['--reflink=never', '--', join(root, parent, 'session.jsonl'), copy])
    const code = await new Promise<number | null>((resolve, reject) => cp.on('error', reject).on('close', resolve))
    if (code !== 0) throw new Error(`cp ended with code ${code}`)
    const file = await open(copy, 'r+')
    await file.sync()
    await file.close()
  })
  await rm(copy)
  return run
}

async function tailOurs(root: string, id: string): Promise<Measured> {
  const tree = openSessionTree(root)
  return measured(async () => {
    const page = await tree.read(known(id), { lines: 200 })
    if (!page.ok) throw new Error(page.error.message)
  })
}

async function tailDsh(root: string, id: string): Promise<Measured> {
  const persistence = await openDsh(root)
  return measured(() => persistence.inspect(dshSessionId(id)))
}

function known(id: string): SessionId {
  const parsed = parseSessionId(id)
  if (!parsed.ok) throw new Error(parsed.error.message)
  return parsed.value
}

const [name = '', ...rest] = process.argv.slice(2)
const side = sides[name]
if (!side) throw new Error(`There is no side named ${name}`)
const run = await side(...rest)
process.stdout.write(JSON.stringify(run), () => process.exit(0))
