import { defineConfig } from '@playwright/test'

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: './e2e/global-setup.mjs',
  outputDir: 'test-results',
  // A window takes focus from any other on the same display, and a menu closes without it: one at a time.
  workers: 1,
  fullyParallel: false,
  // A test that passes the second time has found something.
  retries: 0,
  forbidOnly: process.env['CI'] !== undefined,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
})
