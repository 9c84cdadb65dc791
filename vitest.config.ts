import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
    // Real files, real git and killed processes on two cores: slow is not stuck.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
