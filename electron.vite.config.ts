import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'

// Targets are the floor runtime's (Electron 33: Node 20.18, Chrome 130), not the declared one's: see docs/decisions/0003.
export default defineConfig({
  main: {
    build: {
      target: 'node20.18',
      outDir: 'out',
      emptyOutDir: false,
      rolldownOptions: {
        input: {
          'main/index': 'src/main/index.ts',
          'main/indexer-worker': 'src/main/catalog/indexer-worker.ts',
          'main/sweep-worker': 'src/main/session-tree/sweep-worker.ts',
          'cli/treeline': 'src/cli/treeline.ts',
        },
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      target: 'node20.18',
      externalizeDeps: false,
      rolldownOptions: { output: { format: 'cjs', entryFileNames: '[name].cjs' } },
    },
  },
  renderer: {
    plugins: [react()],
    build: { target: 'chrome130', minify: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  },
})
