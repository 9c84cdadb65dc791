/**
 * Spec §7, line by line, as it stands there: the titles of acceptance.test.ts and of e2e/acceptance.spec.ts. The details are in
 * the tests of each part.
 */
export const ACCEPTANCE = {
  freshChild:
    'session_create({ fork: false, worktree: false }) creates a subagent and behaves like the current fresh-child path',
  onlyMain: 'only a main caller can request fork: true',
  worktreeNeedsFork: 'worktree: true requires fork: true and creates no worktree otherwise',
  boundary: "a fork starts at the parent's latest completed durable boundary",
  nothingOpen: 'no incomplete parent tool call or fork request is copied into the child prefix',
  restart: 'child relationships are persisted and survive process restart',
  layout: 'session logs use the canonical tree layout and plain .jsonl files',
  provider: 'worktree paths are provider-owned, returned, and recorded without assuming a repository-relative location',
  nested: 'session_status returns one nested folder-style tree with forks and subagents arrays',
  outside: "session_status cannot inspect a session outside the caller's tree",
  send: 'session_send can address a direct child and rejects unrelated sessions',
  sidebar: 'the sidebar renders main sessions and forks only',
  header: 'the active session header renders its subagent list and count',
  recursive: 'recursive subagents remain operational without appearing in the sidebar',
  threeTools: 'no session_read or list_agents tool is required by the public design',
  ordinaryTools: 'existing ordinary filesystem tools can search every returned session_path',
} as const
