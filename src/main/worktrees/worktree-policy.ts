import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { isBranchName } from './branch-name.ts'
import { folderNameOf, shortIdOf, slugOf } from './slug.ts'

/** The two templates of the settings, as they are stored there; null: the default (issue 2 D). */
export interface WorktreeTemplates {
  readonly worktreePath: string | null
  readonly worktreeBranch: string | null
}

/** `{home}` is the DSH home, `{repository}` the repository's name, `{slug}` the title, `{id}` the session id's end. */
const DEFAULT_TEMPLATES = {
  worktreePath: '{home}/worktrees/{repository}/{slug}-{id}',
  worktreeBranch: 'treeline/{slug}-{id}',
} as const

/** Where worktrees lie and how their branches are named: checked templates, and what fills them. */
export interface WorktreePolicy {
  readonly home: string
  readonly path: string
  readonly branch: string
}

/** A worktree's place and branch by the policy. */
export interface WorktreeNames {
  readonly path: string
  readonly branch: string
}

export interface NameParts {
  readonly repository: string
  readonly slug: string
  readonly id: string
}

/** Stands for any session while a template is judged. */
const SAMPLE: NameParts = { repository: 'repository', slug: 'title', id: '0a1b2c3d' }

/**
 * Checks the templates against each other and against what git and the file system take.
 * @param home the DSH home, absolute
 * @returns the policy, or `settings_invalid` with `field` `worktreePath` or `worktreeBranch` and a sentence for the
 * settings page
 */
export function parseWorktreePolicy(home: string, templates: WorktreeTemplates): Result<WorktreePolicy> {
  const path = templates.worktreePath ?? DEFAULT_TEMPLATES.worktreePath
  const branch = templates.worktreeBranch ?? DEFAULT_TEMPLATES.worktreeBranch
  const policy: WorktreePolicy = { home, path, branch }
  const problem =
    placeholderProblem('worktreePath', path, ['home', 'repository', 'slug', 'id']) ??
    placeholderProblem('worktreeBranch', branch, ['repository', 'slug', 'id']) ??
    pathProblem(policy) ??
    branchProblem(policy)
  return problem ? fail(problem) : ok(policy)
}

/** What fills the templates for one session of one repository. */
export function namePartsOf(repository: string, name: string, sessionId: string): NameParts {
  return { repository: folderNameOf(repository), slug: slugOf(name), id: shortIdOf(sessionId) }
}

/** Path (absolute, normalised) and branch for the parts given. Pure: whether they are free is another question. */
export function fillPolicy(policy: WorktreePolicy, parts: NameParts): WorktreeNames {
  return {
    path: resolve(expandHome(fill(policy.path, { ...parts, home: policy.home }))),
    branch: fill(policy.branch, { ...parts }),
  }
}

/**
 * Names to try in turn when some are taken: as asked, then numbered, then with the branch's folders flattened, for
 * where a branch called `treeline` keeps every `treeline/…` from being made.
 */
export function* candidateNames(names: WorktreeNames): Generator<WorktreeNames> {
  const flat = names.branch.replaceAll('/', '-')
  for (const branch of flat === names.branch ? [names.branch] : [names.branch, flat]) {
    for (let number = 1; number <= 20; number += 1) {
      const suffix = number === 1 ? '' : `-${number}`
      yield { path: names.path + suffix, branch: branch + suffix }
    }
  }
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{([^{}]*)\}/g, (whole, key: string) => values[key] ?? whole)
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') || path.startsWith(`~${sep}`) ? join(homedir(), path.slice(1)) : path
}

function placeholderProblem(field: string, template: string, known: readonly string[]): ToolError | undefined {
  const refuse = (why: string): ToolError =>
    toolError('settings_invalid', `The template ${JSON.stringify(template)} cannot be used: ${why}`, { field })
  const listed = known.map((name) => `{${name}}`).join(', ')
  if (template.trim() === '') return refuse('it is empty. Leave the setting out to use the default.')
  if (/\p{Cc}/u.test(template)) return refuse('it has a line break or another control sign in it.')
  const used = [...template.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? '')
  const unknown = used.find((name) => !known.includes(name))
  if (unknown !== undefined) return refuse(`{${unknown}} is not known here. Known are ${listed}.`)
  if (/[{}]/.test(template.replace(/\{[^{}]*\}/g, ''))) return refuse(`a brace has no partner. Known are ${listed}.`)
  if (!used.includes('slug') && !used.includes('id')) {
    return refuse('it needs {slug} or {id}, or every session would get the same name.')
  }
  return undefined
}

function pathProblem(policy: WorktreePolicy): ToolError | undefined {
  const refuse = (why: string): ToolError =>
    toolError('settings_invalid', `The template ${JSON.stringify(policy.path)} cannot be used: ${why}`, {
      field: 'worktreePath',
    })
  const filled = expandHome(fill(policy.path, { ...SAMPLE, home: policy.home }))
  if (!isAbsolute(filled)) return refuse('it must begin with {home}, ~/ or an absolute folder.')
  if (filled.split(/[\\/]/).includes('..')) return refuse('it must not go upwards with "..".')
  if (dirname(resolve(filled)) === resolve(filled)) return refuse('it names the root of the disk.')
  if (!/\{(?:slug|id)\}/.test(policy.path.split(/[\\/]/).findLast((part) => part !== '') ?? '')) {
    return refuse('its last folder needs {slug} or {id}, since that folder is the worktree itself.')
  }
  return undefined
}

function branchProblem(policy: WorktreePolicy): ToolError | undefined {
  const name = fill(policy.branch, { ...SAMPLE })
  if (isBranchName(name)) return undefined
  return toolError(
    'settings_invalid',
    `The template ${JSON.stringify(policy.branch)} cannot be used: git takes no branch named ${JSON.stringify(name)}.`,
    { field: 'worktreeBranch' },
  )
}
