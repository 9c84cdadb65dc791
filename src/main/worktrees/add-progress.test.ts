import { expect, test } from 'vitest'
import { readAddProgress } from './add-progress.ts'

function told(hasHook: boolean, ...pieces: readonly string[]): string[] {
  const sentences: string[] = []
  const progress = readAddProgress((sentence) => sentences.push(sentence), hasHook)
  for (const piece of pieces) progress.read(piece)
  return sentences
}

test('files, then the hook and what it says, whatever the pieces', () => {
  expect(
    told(
      true,
      'Updating fi',
      'les:  50% (1/2)\rUpdating files: 100% (2/2), done.\nHEAD is',
      ' now at abc one\nlinking\n',
    ),
  ).toEqual([
    'Checking out files: 50%',
    'Checking out files: 100%',
    'Waiting for the post-checkout hook…',
    'Waiting for the post-checkout hook: linking',
  ])
})

test('a percentage that comes in late does not hide that the hook is waited for', () => {
  const pieces = ['HEAD is now at abc one\n', 'Updating files: 100% (2/2), done.\n']
  expect(told(true, ...pieces)).toEqual(['Waiting for the post-checkout hook…'])
})

test('without a hook nothing is waited for', () => {
  expect(told(false, 'Updating files: 100% (2/2), done.\nHEAD is now at abc one\n')).toEqual([
    'Checking out files: 100%',
  ])
})
