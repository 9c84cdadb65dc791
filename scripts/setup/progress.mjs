import { StepFailure } from './failure.mjs'

/**
 * Told to a step while it works: what it is doing now, and how far it is.
 * @typedef {(figure: string) => void} Tell
 */

/**
 * One line a step, printed when it is done with the time it took. On a terminal the line stands there from the start and
 * its figure moves; elsewhere (a log) only finished lines are written.
 * @param {NodeJS.WriteStream} stream
 * @param {() => number} now milliseconds
 */
export function progressOn(stream, now = () => performance.now()) {
  const moving = stream.isTTY

  /** @param {string} line */
  const draw = (line) => {
    if (moving) stream.write(`\r\u001B[2K${line.slice(0, (stream.columns ?? 80) - 1)}`)
  }
  /** @param {string} line */
  const finish = (line) => stream.write(moving ? `\r\u001B[2K${line}\n` : `${line}\n`)

  return {
    /** @param {string} line */
    say: (line) => void stream.write(`${line}\n`),

    /**
     * @template T
     * @param {string} name what is being done, as a noun: "the packages of package-lock.json"
     * @param {(tell: Tell) => Promise<T>} work
     * @returns {Promise<T>} rejects with what `work` rejects with, the step's name added
     */
    async step(name, work) {
      const start = now()
      const seconds = () => `${((now() - start) / 1000).toFixed(1)} s`
      let figure = ''
      const redraw = () => draw(`  ${name} … ${seconds()}${figure === '' ? '' : `, ${figure}`}`)
      redraw()
      const timer = moving ? setInterval(redraw, 200) : undefined
      try {
        const result = await work((text) => {
          figure = text
        })
        finish(`  ${name}: done in ${seconds()}`)
        return result
      } catch (error) {
        finish(`  ${name}: failed after ${seconds()}`)
        if (error instanceof StepFailure) error.step ??= name
        throw error
      } finally {
        clearInterval(timer)
      }
    },
  }
}

/** @typedef {ReturnType<typeof progressOn>} Progress */
