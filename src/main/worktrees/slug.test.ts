import { expect, test } from 'vitest'
import { folderNameOf, shortIdOf, slugOf } from './slug.ts'

test.each([
  ['release', 'release'],
  ['../x', 'x'],
  ['../../etc/passwd', 'etc-passwd'],
  ['a..b', 'a-b'],
  ['x.lock', 'x-lock'],
  ['@{', 'session'],
  ['-rf', 'rf'],
  ['HEAD', 'head'],
  ['Fix the  parser: 2 of 3!', 'fix-the-parser-2-of-3'],
  ['first line\nsecond\u2028third', 'first-line-second-third'],
  ['Déjà vu, Straße', 'deja-vu-straße'],
  ['果园里的苹果', '果园里的苹果'],
  ['שלום world', 'שלום-world'],
  ['हिन्दी', 'हिन्दी'],
  ['한국어', '한국어'],
  ['Ｆｕｌｌ ｗｉｄｔｈ ①', 'full-width-1'],
  ['👩‍👩‍👧‍👦🏳️‍🌈👍🏽', 'session'],
  ['👍🏽 family', 'family'],
  ['\u200b\u2060\ufeff', 'session'],
  ['\u3164', 'session'],
  ['report\u202egnp.exe', 'reportgnp-exe'],
  ['ring\u0007 esc\u001b[31mred', 'ring-esc-31mred'],
  ['Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324algo', 'zalgo'],
  ['', 'session'],
  ['   \t  ', 'session'],
  ['con', 'con-session'],
  ['LPT1', 'lpt1-session'],
  ['a\ud83d', 'a'],
])('%j makes the slug %s', (title, slug) => {
  expect(slugOf(title)).toBe(slug)
})

test('a long title is cut at a hyphen, by whole characters, and within the bytes a name may have', () => {
  expect(slugOf('x'.repeat(300))).toBe('x'.repeat(40))
  expect(slugOf('word '.repeat(60))).toBe('word-word-word-word-word-word-word-word')
  expect(slugOf(`${'a'.repeat(38)} bcdef`)).toBe('a'.repeat(38))
  const wide = slugOf('果园里的苹果和梨子需要在冬天之前全部收完并且记在账上还有更多的字在后面')
  expect(Buffer.byteLength(wide)).toBeLessThanOrEqual(80)
  expect(wide.length).toBe(26)
  // A cut between a letter and its marks would leave another word.
  expect(slugOf('नि'.repeat(40))).toMatch(/^(?:नि)+$/)
})

test.each([
  ['果园 ü', '果园-ü'],
  ['-leading-dash', 'leading-dash'],
  ['My.App_2', 'My.App_2'],
  ['..', 'repository'],
  ['a:b*c?', 'a-b-c'],
  ['Nul', 'Nul-repository'],
  ['aux.txt', 'aux.txt-repository'],
])('a repository called %j gets the folder %s', (name, folder) => {
  expect(folderNameOf(name)).toBe(folder)
})

test('the short id is the end of an id, where a UUIDv7 is random', () => {
  expect(shortIdOf('session-0199f0a0-0000-7000-8000-0000deadbeef')).toBe('deadbeef')
  expect(shortIdOf('0199f0a0-0000-7000-8000-0000deadbee0')).toBe('deadbee0')
  expect(shortIdOf('session-12')).toBe('ession12')
})
