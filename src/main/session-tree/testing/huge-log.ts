import { closeSync, openSync, writeSync } from 'node:fs'
import { sampleLog } from './sample-log.ts'

/**
 * Writes a log of at least `bytes`, turn after turn of one step with one tool call.
 * @param longest the longest text in it, in bytes: models and tools give a few hundred up to a few thousand.
 * @returns how many events it holds.
 */
export function writeHugeLog(path: string, id: string, bytes: number, longest = 3500): number {
  const file = openSync(path, 'w', 0o600)
  const log = sampleLog(id)
  let events = 0
  let written = writeSync(file, log.text())
  for (let turn = 0; written < bytes;) {
    log.lines.length = 0
    for (let count = 0; count < 100; count++, turn++) {
      const text = WORDS.repeat(1 + (turn % Math.ceil(longest / WORDS.length)))
      log.turnStart().stepStart().user(`Question ${turn}`)
      log
        .say(text, [`call-${turn}`])
        .call(`call-${turn}`)
        .result(`call-${turn}`, text)
        .stepEnd()
        .turnEnd()
    }
    events += log.lines.length
    written += writeSync(file, log.text())
  }
  closeSync(file)
  return events
}

const WORDS = 'The pears ripen late this year, and the ladder still leans against the "old" tree; 果. '
