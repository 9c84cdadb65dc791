import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
    // One core is left free by default, and of two that is half: much of the time is waiting for processes and disks.
    maxWorkers: '100%',
    // Real files, real git and killed processes on two cores: slow is not stuck.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
