import { rm } from 'node:fs/promises'
import { temporaryFolder, test as base } from './app.ts'

/** The test of `app.ts` with a folder for a home of its own, which outlives the apps that a test starts on it. */
export const test = base.extend<{ home: string }>({
  home: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const home = await temporaryFolder('home')
      await use(home)
      await rm(home, { recursive: true, force: true, maxRetries: 3 })
    },
    // Made before all else and so removed after all else: an app that still runs would write into it again.
    { auto: true },
  ],
})
