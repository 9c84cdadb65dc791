import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { openHome, type HomeHost } from '../gateway/home-host.ts'
import { homePaths } from '../session-tree/home-paths.ts'
import { accessHome } from './home-access.ts'

let folder: string
const open = () => openHome({ paths: homePaths(folder), app: 'window', serve: false })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'treeline-home-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('has the home where nobody else does, says nothing, and gives it back', async () => {
  const told: (ToolError | undefined)[] = []
  const access = accessHome<HomeHost>(open, (hindrance) => told.push(hindrance))
  expect((await access.home()).ok).toBe(true)
  await access.close()
  expect(told).toEqual([])
  const next = await open()
  expect(next.ok).toBe(true)
  if (next.ok) await next.value.close()
})

it('says that another process has the home, and gets it once that is done', async () => {
  const owner = await open()
  if (!owner.ok) throw new Error(owner.error.message)
  const told: (ToolError | undefined)[] = []
  const { promise: isTold, resolve } = Promise.withResolvers<void>()
  const access = accessHome<HomeHost>(open, (hindrance) => {
    told.push(hindrance)
    resolve()
  })
  const waitsAMoment = access.home()
  await isTold
  await owner.value.close()
  expect((await waitsAMoment).ok).toBe(true)
  expect(told).toEqual([expect.objectContaining({ code: 'home_owned' }), undefined])
  await access.close()
})

it('answers in the owner’s words after a moment, and stops asking when it is closed', async () => {
  const owner = await open()
  if (!owner.ok) throw new Error(owner.error.message)
  let asked = 0
  const access = accessHome<HomeHost>(
    () => {
      asked += 1
      return open()
    },
    () => undefined,
  )
  expect(await access.home()).toMatchObject({ ok: false, error: { code: 'home_owned' } })
  expect(asked).toBeGreaterThan(1)
  await access.close()
  await owner.value.close()
})

it('does not ask again after a failure that is no owner’s', async () => {
  let asked = 0
  const told: (ToolError | undefined)[] = []
  const access = accessHome<HomeHost>(
    async () => {
      asked += 1
      return { ok: false, error: toolError('io_failed', 'The disk is full.') }
    },
    (hindrance) => told.push(hindrance),
  )
  expect(await access.home()).toMatchObject({ ok: false, error: { code: 'io_failed' } })
  await access.close()
  expect([asked, told.length]).toEqual([1, 1])
})
