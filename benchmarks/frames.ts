import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { _electron, type Page } from '@playwright/test'
import { commandLine, type Claim } from './measure.ts'
import { writeSessions } from './sample-logs.ts'

const AGENTS = 8
const WATCHED_MS = 8000
/** A frame that a person sees as a jerk. */
const JERK_MS = 50

/** The window's frames while eight agents talk at once and the transcript of one of them follows. */
export async function* frameClaims(folder: string): AsyncIterable<Claim> {
  const { tree } = await writeSessions(join(folder, 'home'), 1000)
  const home = dirname(tree)
  await mkdir(join(home, 'treeline'), { recursive: true })
  await writeFile(join(home, 'treeline', 'settings.json'), JSON.stringify({ agentsAtOnce: AGENTS }))
  const [executablePath = '', ...rest] = commandLine('TREELINE_BENCH_APP')
  const app = await _electron.launch({ executablePath, args: [...rest, '--home', home] })
  try {
    const page = await app.firstWindow()
    await page.waitForSelector('html[data-ready="true"]', { state: 'attached' })
    const quiet = await page.evaluate<Frames>(WATCH_FRAMES)
    await startTalkers(page, home)
    const busy = await page.evaluate<Frames>(WATCH_FRAMES)
    yield {
      name: `longest of ${busy.frames} frames while ${AGENTS} agents run, ${busy.jerks} over ${JERK_MS} ms`,
      ours: `${busy.longest.toFixed(0)} ms`,
      other: `${quiet.longest.toFixed(0)} ms of ${quiet.frames} frames before them`,
      ratio: busy.longest,
      goal: { kind: 'at most', value: JERK_MS, unit: 'ms' },
    }
  } finally {
    await app.close()
  }
}

interface Frames {
  readonly frames: number
  readonly longest: number
  readonly jerks: number
}

// What runs in the page is text here: benchmarks are programs of Node, and are compiled without the page's names.

/** Watches the gaps between frames, in milliseconds. */
const WATCH_FRAMES = `new Promise((resolve) => {
  const gaps = []
  let begin, last
  const take = (now) => {
    begin ??= now
    if (last !== undefined) gaps.push(now - last)
    last = now
    if (now - begin < ${WATCHED_MS}) return requestAnimationFrame(take)
    const jerks = gaps.filter((gap) => gap > ${JERK_MS}).length
    resolve({ frames: gaps.length, longest: Math.max(...gaps), jerks })
  }
  requestAnimationFrame(take)
})`

const ALL_RUN = `document.querySelectorAll('[role=treeitem][aria-description^=Running]').length === ${AGENTS}`

/** Starts the agents, opens the transcript of one of them, and resolves once all of them run. */
async function startTalkers(page: Page, cwd: string): Promise<void> {
  // A hundred lines a second each, for longer than they are watched.
  const talk = `let i = 0; setInterval(() => { console.log("line " + i + " of what an agent has to say"); if (++i > 2000) process.exit() }, 10)`
  const prompt = `exec '${process.execPath}' -e '${talk}'`
  for (let agent = 1; agent <= AGENTS; agent++) {
    const request = { prompt, cwd, preset: 'shell', title: `Talker ${agent}` }
    const made = await page.evaluate<{ readonly ok: boolean }>(
      `window.treeline.session_create(${JSON.stringify(request)})`,
    )
    if (!made.ok) throw new Error(`A talker was refused: ${JSON.stringify(made)}`)
  }
  const rows = page.getByRole('tree', { name: 'Sessions' }).getByRole('treeitem', { name: /^Talker/ })
  await rows.first().click()
  await page.waitForFunction(ALL_RUN)
}
