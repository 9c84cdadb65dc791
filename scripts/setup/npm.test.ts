import { join } from 'node:path'
import { expect, test } from 'vitest'
import { npmCommand } from './npm.mjs'

const node = join('/opt', 'node', 'bin', 'node')
const beside = join('/opt', 'node', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js')

test('npm is the one that was called, else the one beside this Node, else whatever is called npm', () => {
  const called = '/usr/lib/npm/bin/npm-cli.js'
  expect(npmCommand({ npm_execpath: called }, node, () => true)).toEqual({ command: node, args: [called] })
  expect(npmCommand({}, node, (path) => path === beside)).toEqual({ command: node, args: [beside] })
  expect(npmCommand({}, node, () => false)).toEqual({ command: 'npm', args: [] })
})

test('another package manager that started us is not taken for npm', () => {
  const env = { npm_execpath: '/usr/lib/pnpm/bin/pnpm.cjs' }
  expect(npmCommand(env, node, (path) => path === beside)).toEqual({ command: node, args: [beside] })
})
