/** What `treeline --help` prints. */
export const HELP = `treeline: trees of coding-agent sessions, from the command line

  treeline [--home DIR] COMMAND …

Create and steer sessions
  session create --prompt TEXT        A new main session, in the folder you are in.
    --as SESSION                      Act for a session: the new one becomes its child.
    --fork                            A fork of it, from its last completed step, instead of a subagent.
    --worktree                        … in a new git worktree (with --fork).
    --title TEXT   --cwd DIR          Its title, and its folder (an absolute path).
    --preset NAME  --model PROVIDER/MODEL[:EFFORT]
  session send --session ID --message TEXT [--as SESSION]
                                      A message to a main session, or to a direct child of SESSION.

Look (never changes anything)
  session list                        Every main session with its tree.
  session tree SESSION [--json]       Budgets, roles and ends of a tree; --json for programs,
    --out DIR                         … and each session as DIR/ID.json.
  session status --session ID         One session and everything below it.
  session status --as SESSION         The whole tree of a session, as that session sees it.
  check                               Verify every session, a line for each finding; exit 1 if one is a fault.

Run
  serve                               Own the home and run its agents without a window, until interrupted.
  mcp                                 The three tools over MCP on stdio, inside an agent.

Bring in
  import dsh [DIR] [--dry-run]        Sessions of DeepSeek Harness, from DIR or from the home's own.

The home is --home, else $DSH_HOME, else ~/.dsh. Where TREELINE_TOKEN is set (inside an agent), that says who
you are, and --as and --home are refused.

Results are JSON on stdout. An error is JSON on stderr, with exit code 1; a command line that cannot be
understood exits with 2.
`
