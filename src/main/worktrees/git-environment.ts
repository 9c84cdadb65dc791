import { delimiter } from 'node:path'

/**
 * Variables that bind git to one repository or make it speak otherwise than expected. They are inherited when Treeline
 * is started from a hook or an alias, and would send every call to that repository. `GIT_CONFIG_COUNT`,
 * `GIT_CONFIG_GLOBAL` and the like stay: they are the user's settings.
 */
const CLEARED = [
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_CONFIG',
  'GIT_CONFIG_PARAMETERS',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NAMESPACE',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_QUARANTINE_PATH',
  'GIT_REFLOG_ACTION',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
  // These write to stderr, which is read for git's own words.
  'GIT_CURL_VERBOSE',
  'GIT_TRACE',
  'GIT_TRACE2',
  'GIT_TRACE2_EVENT',
  'GIT_TRACE2_PERF',
  'GIT_TRACE_PACKET',
  'GIT_TRACE_PERFORMANCE',
  'GIT_TRACE_SETUP',
]

/**
 * The environment every git of ours runs in: English messages, no prompt for a password by any of git's ways to ask
 * (field fault F19), no repository inherited.
 * @param inherited the environment Treeline runs in
 * @param folders the PATH, as `searchFolders` gives it
 * @param extra set last
 */
export function gitEnvironment(
  inherited: NodeJS.ProcessEnv,
  folders: readonly string[],
  extra: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...inherited }
  for (const name of CLEARED) delete environment[name]
  // On Windows the variable may be spelled Path, and two spellings in one block are undefined behaviour.
  delete environment['Path']
  return {
    ...environment,
    PATH: folders.join(delimiter),
    LC_ALL: 'C',
    LANGUAGE: '',
    GIT_TERMINAL_PROMPT: '0',
    // Empty, not absent: an empty value also keeps git from asking core.askPass and SSH_ASKPASS.
    GIT_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_PAGER: 'cat',
    ...extra,
  }
}
