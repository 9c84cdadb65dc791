import { describe, expect, it } from 'vitest'
import { createTypeAhead, isTypedLetter, treeKey, type TreeKeyRow } from './tree-keys.ts'

const rows: TreeKeyRow[] = [
  { key: 'a', level: 1, expandable: true, expanded: true },
  { key: 'a1', level: 2, expandable: false, expanded: false },
  { key: 'a2', level: 2, expandable: false, expanded: false },
  { key: 'b', level: 1, expandable: true, expanded: false },
]

describe('treeKey', () => {
  it.each([
    ['ArrowDown', 'a', { act: 'focus', id: 'a1' }],
    ['ArrowUp', 'b', { act: 'focus', id: 'a2' }],
    ['Home', 'b', { act: 'focus', id: 'a' }],
    ['End', 'a', { act: 'focus', id: 'b' }],
    ['ArrowRight', 'a', { act: 'focus', id: 'a1' }],
    ['ArrowRight', 'b', { act: 'expand', id: 'b' }],
    ['ArrowLeft', 'a', { act: 'collapse', id: 'a' }],
    ['ArrowLeft', 'a2', { act: 'focus', id: 'a' }],
    ['Enter', 'a1', { act: 'open', id: 'a1' }],
    [' ', 'a1', { act: 'open', id: 'a1' }],
  ])('%s on %s', (key, active, action) => {
    expect(treeKey(key, rows, active)).toEqual(action)
  })

  it('stops at the ends and leaves other keys alone', () => {
    expect(treeKey('ArrowDown', rows, 'b')).toBeNull()
    expect(treeKey('ArrowUp', rows, 'a')).toBeNull()
    expect(treeKey('ArrowLeft', rows, 'b')).toBeNull()
    expect(treeKey('ArrowRight', rows, 'a1')).toBeNull()
    expect(treeKey('Tab', rows, 'a')).toBeNull()
    expect(treeKey('ArrowDown', [], null)).toBeNull()
  })

  it('begins at the first row where the active one is gone', () => {
    expect(treeKey('Enter', rows, 'gone')).toEqual({ act: 'open', id: 'a' })
  })
})

describe('type-ahead', () => {
  const names = [
    { id: '1', name: 'Retry' },
    { id: '2', name: 'Read' },
    { id: '3', name: 'Move' },
  ]

  it('finds by a growing prefix and wraps', () => {
    const find = createTypeAhead()
    expect(find('r', 0, names, '3')).toBe('1')
    expect(find('e', 100, names, '1')).toBe('1')
    expect(find('a', 200, names, '1')).toBe('2')
  })

  it('steps with the same letter, and starts anew after a pause', () => {
    const find = createTypeAhead()
    expect(find('r', 0, names, '1')).toBe('2')
    expect(find('r', 100, names, '2')).toBe('1')
    expect(find('m', 5000, names, '1')).toBe('3')
    expect(find('x', 9000, names, '1')).toBeNull()
  })

  it('is letters only', () => {
    const plain = { ctrlKey: false, metaKey: false, altKey: false }
    expect(isTypedLetter({ key: 'é', ...plain })).toBe(true)
    expect(isTypedLetter({ key: 'F2', ...plain })).toBe(false)
    expect(isTypedLetter({ key: 'b', ...plain, ctrlKey: true })).toBe(false)
  })
})
