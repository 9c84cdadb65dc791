import '@fontsource-variable/inter'
import '@fontsource-variable/jetbrains-mono'
import './ui/tokens.css'
import './ui/base.css'
import './ui/controls.css'
import './ui/popups.css'
import './transcript/transcript.css'
import './app.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { connectImport, readOffer } from './first-start/import-store.ts'
import { listenToMenu } from './menu-commands.ts'
import { listenToShortcuts } from './shortcuts.ts'
import { startClock } from './state/clock.ts'
import { connectSessions, loadSessions } from './state/connect.ts'
import { loadSettings } from './state/settings-store.ts'
import { loadMarkdown } from './transcript/use-markdown.ts'

/** Longer than the first answer usually takes, shorter than an empty window is noticed. */
const PATIENCE = 150

/** The window lives as long as its page: what is started here is never stopped. */
async function start(): Promise<void> {
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no #root')
  connectSessions()
  listenToMenu()
  listenToShortcuts()
  startClock()
  connectImport()
  const first = Promise.all([
    loadSessions(),
    loadSettings(),
    readOffer(),
    document.fonts.load('13px "Inter Variable"'),
    document.fonts.load('12px "JetBrains Mono Variable"'),
  ])
  await Promise.race([first, new Promise((resolve) => setTimeout(resolve, PATIENCE))])
  createRoot(root).render(<App />)
  await loadMarkdown()
}

void start()
