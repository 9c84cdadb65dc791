import { describe, expect, it } from 'vitest'
import { fail, ok } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { createRollback } from './rollback.ts'

const cause = toolError('git_refused', 'Git refused.', { path: '/repository' })

describe('a rollback', () => {
  it('undoes the last step first and reports the first error', async () => {
    const undone: string[] = []
    const rollback = createRollback()
    for (const step of ['intent', 'worktree', 'session']) {
      rollback.did(async () => {
        undone.push(step)
        return ok(undefined)
      })
    }
    expect(await rollback.unwind(cause)).toEqual(cause)
    expect(undone).toEqual(['session', 'worktree', 'intent'])
    expect(await rollback.unwind(cause)).toEqual(cause)
    expect(undone).toHaveLength(3)
  })

  it('keeps what a step that cannot be undone stands on, and says what was left', async () => {
    const undone: string[] = []
    const rollback = createRollback()
    rollback.did(async () => {
      undone.push('intent')
      return ok(undefined)
    })
    rollback.did(async () => fail(toolError('worktree_failed', 'The folder is in use.')))
    const error = await rollback.unwind(cause)
    expect(undone).toEqual([])
    expect(error).toMatchObject({ code: 'git_refused', path: '/repository' })
    expect(error.message).toMatch(/^Git refused\. .*The folder is in use\./)
  })
})
