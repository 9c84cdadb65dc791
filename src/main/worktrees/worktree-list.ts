import { ok, type Result } from '../../shared/result.ts'
import { QUERY, type RunGit } from './git.ts'

/** One entry of `git worktree list`. */
export interface ListedWorktree {
  readonly path: string
  /** The commit checked out; absent in a bare repository's own entry. */
  readonly head?: string
  /** Short name; absent where detached or bare. */
  readonly branch?: string
  readonly bare: boolean
}

/**
 * Every worktree of a repository, the main one first. NUL-separated where git can (2.36 and newer); an older git is
 * read line by line, with quoted paths undone and line breaks in a path put together again (field fault F12).
 * Fails as {@link RunGit} does.
 */
export async function listWorktrees(git: RunGit, commonDirectory: string): Promise<Result<readonly ListedWorktree[]>> {
  const list = [`--git-dir=${commonDirectory}`, 'worktree', 'list', '--porcelain']
  // 129 is git's usage error: this git does not know -z.
  const options = { cwd: commonDirectory, env: QUERY }
  const separated = await git([...list, '-z'], { ...options, expectedExit: [0, 129] })
  if (!separated.ok) return separated
  if (separated.value.exitCode === 0) return ok(parseRecords(separated.value.stdout, '\0'))
  const lines = await git(list, options)
  return lines.ok ? ok(parseRecords(joinBrokenPaths(lines.value.stdout), '\n')) : lines
}

function parseRecords(text: string, separator: '\0' | '\n'): readonly ListedWorktree[] {
  return text
    .split(separator + separator)
    .map((record) => parseRecord(record.split(separator), separator === '\n'))
    .filter((entry) => entry !== undefined)
}

function parseRecord(attributes: readonly string[], mayBeQuoted: boolean): ListedWorktree | undefined {
  const valueOf = (key: string): string | undefined =>
    attributes.find((attribute) => attribute.startsWith(`${key} `))?.slice(key.length + 1)
  const path = valueOf('worktree')
  if (path === undefined) return undefined
  const head = valueOf('HEAD')
  const branch = valueOf('branch')?.replace(/^refs\/heads\//, '')
  return {
    path: mayBeQuoted ? unquotePath(decodeBreaks(path)) : path,
    ...(head === undefined ? {} : { head }),
    ...(branch === undefined ? {} : { branch }),
    bare: attributes.includes('bare'),
  }
}

/** Stands for a line break inside a path while lines are split; no path can hold a NUL. */
const BREAK = '\0'

/** An old git writes a path with a line break as it is: what follows until a line git writes itself belongs to it. */
function joinBrokenPaths(text: string): string {
  return text.replace(/^worktree ([\s\S]*?)\n(?=HEAD [0-9a-f]{40,64}$|bare$)/gm, (_, path: string) => {
    return `worktree ${path.replaceAll('\n', BREAK)}\n`
  })
}

function decodeBreaks(path: string): string {
  return path.replaceAll(BREAK, '\n')
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }

/**
 * Undoes git's C-style quoting: `"\346\236\234"` is bytes in octal. Text that is not quoted is returned as it is; an
 * absolute path never begins with a quote.
 */
export function unquotePath(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text
  const bytes: Buffer[] = []
  const inside = text.slice(1, -1)
  for (const [piece, octal, sign] of inside.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8)]))
    else if (sign !== undefined) bytes.push(Buffer.from([ESCAPES[sign] ?? sign.charCodeAt(0)]))
    else bytes.push(Buffer.from(piece))
  }
  return Buffer.concat(bytes).toString()
}
