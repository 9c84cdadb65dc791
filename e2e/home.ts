import { rm } from 'node:fs/promises'
import { temporaryFolder, test as base } from './app.ts'

/** The test of `app.ts` with a folder for a home of its own, which outlives the apps that a test starts on it. */
export const test = base.extend<{ home: string }>({
  // oxlint-disable-next-line no-empty-pattern
  home: async ({}, use) => {
    const home = await temporaryFolder('home')
    await use(home)
    await rm(home, { recursive: true, force: true, maxRetries: 3 })
  },
})
