import { runCommand } from './setup/command.mjs'
import { prepare } from './setup/prepare.mjs'

// npm run setup [-- --retry]: everything the other commands would do first, and nothing else.
await runCommand(async (progress) => {
  const unknown = process.argv.slice(2).filter((argument) => argument !== '--retry')
  if (unknown.length > 0) {
    process.stderr.write(`Unknown: ${unknown.join(' ')}\nUsage: npm run setup [-- --retry]\n`)
    return 2
  }
  const { version } = await prepare(progress, { retry: process.argv.includes('--retry') })
  progress.say(`Ready, with Electron ${version}. Next: npm start`)
  return 0
})
