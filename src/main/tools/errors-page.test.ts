import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { ERROR_CODES } from '../../shared/tool-error.ts'

it('every code is explained in docs/errors.md, and nothing else is', async () => {
  const page = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows.map((row) => row.split('`')[1])).toEqual([...ERROR_CODES])
  for (const row of rows) {
    const cells = row.split('|').slice(1, -1)
    expect(cells).toHaveLength(3)
    for (const cell of cells) expect(cell.trim()).not.toBe('')
  }
})
