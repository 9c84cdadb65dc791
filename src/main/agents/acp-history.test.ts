import { expect, test } from 'vitest'
import { introduction } from './acp-history.ts'

const LOG = '/home/dev/.dsh/session.jsonl'
const MOST = 100 * 1024

test('what was said stands in it whole, with the path of the log', () => {
  const { text, bytes } = introduction({ text: 'User: hä?\n\nAssistant: yes', logPath: LOG })
  expect(text).toContain(LOG)
  expect(text).toContain('<conversation>\nUser: hä?\n\nAssistant: yes\n</conversation>')
  expect(text).not.toContain('last part')
  expect(bytes).toBe(26)
})

test.each([
  ['letters of one byte', 'a'],
  ['of two', 'ä'],
  ['of three', '–'],
  ['of four', '😀'],
])('of more than 100 KB the last is told, %s', (_, letter) => {
  const long = letter.repeat(MOST)
  const { text, bytes } = introduction({ text: `the beginning ${long}`, logPath: LOG })
  expect(text).not.toContain('the beginning')
  expect(text).toContain('last part')
  expect(bytes).toBeLessThanOrEqual(MOST)
  expect(bytes).toBeGreaterThan(MOST - 4)
  expect(text).not.toContain('�')
  expect(text.isWellFormed()).toBe(true)
})

test('exactly 100 KB are not cut', () => {
  const { text, bytes } = introduction({ text: 'a'.repeat(MOST), logPath: LOG })
  expect(bytes).toBe(MOST)
  expect(text).not.toContain('last part')
})
