import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const projectRoot = resolve(fileURLToPath(new URL('..', import.meta.url)))

const runtimeSchema = z.object({ executable: z.string(), args: z.array(z.string()), version: z.string() })

/** The Electron of this checkout. `args` come before all others: the declared Electron is told the app's folder there. */
export type ElectronRuntime = z.infer<typeof runtimeSchema>

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
