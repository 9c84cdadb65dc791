import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const projectRoot = resolve(fileURLToPath(new URL('..', import.meta.url)))

const runtimeSchema = z.object({ executable: z.string(), args: z.array(z.string()), version: z.string() })

/** The Electron of this checkout. `args` come before all others: the declared Electron is told the app's folder there. */
export type ElectronRuntime = z.infer<typeof runtimeSchema>

/**
 * The same app, waiting for Playwright to attach before it makes its window (entry/main.mjs).
 * @returns the executable and what comes before all other arguments; throws outside a run of Playwright
 */
export function waitingApp(): { readonly executable: string; readonly args: readonly string[] } {
  const [executable, ...args] = z.array(z.string()).parse(JSON.parse(process.env['TREELINE_E2E_APP'] ?? '[]'))
  if (executable === undefined) throw new Error('The app is started by Playwright’s tests: npx playwright test.')
  return { executable, args }
}

/**
 * What the set-up has found or fetched (scripts/setup/electron.mjs writes it).
 * @returns the runtime; throws when this checkout was never set up, saying how to
 */
export async function electronRuntime(): Promise<ElectronRuntime> {
  const record = join(projectRoot, 'node_modules', '.cache', 'treeline', 'runtime.json')
  const text = await readFile(record, 'utf8').catch(() => {
    throw new Error(`There is no ${record}: run \`npm run setup\` first.`)
  })
  return runtimeSchema.parse(JSON.parse(text))
}
