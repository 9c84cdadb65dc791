import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONTENT_SECURITY_POLICY, serveBundle } from './bundle-files.ts'

let folder: string
let root: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'treeline-bundle-'))
  root = join(folder, 'renderer')
  await mkdir(join(root, 'assets.js'), { recursive: true })
  await mkdir(join(folder, 'renderer-secret'))
  const files = [
    'renderer/index.html',
    'renderer/a.js',
    'renderer/a.css',
    'renderer/a.woff2',
    'renderer/a.json',
    'renderer/a.png',
  ]
  await Promise.all(
    [...files, 'renderer/a.svg', 'renderer/a.map', 'secret.js', 'renderer-secret/a.js'].map((name) =>
      writeFile(join(folder, name), name),
    ),
  )
  await symlink(join(folder, 'secret.js'), join(root, 'link.js'))
  await symlink(join(folder, 'renderer-secret'), join(root, 'linked'))
  await symlink(join(root, 'a.js'), join(root, 'inside.js'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function get(address: string, method = 'GET'): Promise<Response> {
  return serveBundle(new Request(address, { method }), root)
}

describe('the files of the window', () => {
  it.each([
    ['', 'renderer/index.html', 'text/html; charset=utf-8'],
    ['index.html?x#y', 'renderer/index.html', 'text/html; charset=utf-8'],
    ['a.js', 'renderer/a.js', 'text/javascript; charset=utf-8'],
    ['a.css', 'renderer/a.css', 'text/css; charset=utf-8'],
    ['a.json', 'renderer/a.json', 'application/json; charset=utf-8'],
    ['a.woff2', 'renderer/a.woff2', 'font/woff2'],
    ['a.svg', 'renderer/a.svg', 'image/svg+xml'],
    ['a.png', 'renderer/a.png', 'image/png'],
    ['inside.js', 'renderer/a.js', 'text/javascript; charset=utf-8'],
  ])('serves %j with its exact type and the policy', async (path, text, type) => {
    const answer = await get(`app://bundle/${path}`)
    expect([answer.status, await answer.text(), answer.headers.get('content-type')]).toEqual([200, text, type])
    expect(answer.headers.get('content-security-policy')).toBe(CONTENT_SECURITY_POLICY)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it.each([
    '../secret.js',
    '%2e%2e/secret.js',
    '%2e%2e%2fsecret.js',
    '..%2fsecret.js',
    '..%5csecret.js',
    '%252e%252e/secret.js',
    'a/..%2f..%2fsecret.js',
    '%2fetc/passwd',
    '/etc/passwd',
    'C:%5cWindows%5cwin.js',
    'a.js%00.png',
    'link.js',
    'linked/a.js',
    '../renderer-secret/a.js',
    'assets.js',
    'a.map',
    'a',
    'none.js',
    '%ff.js',
    '%',
  ])('has nothing at %s', async (path) => {
    const answer = await get(`app://bundle/${path}`)
    expect([answer.status, await answer.text()]).toEqual([404, ''])
  })

  it('serves no other host and no other method', async () => {
    expect((await get('app://other/index.html')).status).toBe(404)
    expect((await get('app://bundle/index.html', 'POST')).status).toBe(405)
  })
})
