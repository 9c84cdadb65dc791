import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Answer } from './lock-process.ts'

const PROGRAM = fileURLToPath(new URL('./lock-process.ts', import.meta.url))
const children = new Set<ChildProcess>()

/** Starts a competitor for a home, and waits until it is ready to be told to go. `args`: see lock-process.ts. */
export async function startCompetitor(lockFolder: string, ...args: string[]): Promise<ChildProcess> {
  const child = fork(PROGRAM, [lockFolder, ...args], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  children.add(child)
  const { got } = await answerOf(child)
  if (got !== 'ready') throw new Error(`a competitor answered ${got} before it was told anything`)
  return child
}

function answerOf(child: ChildProcess): Promise<Answer> {
  return new Promise((resolve, reject) => {
    child.once('message', (answer: Answer) => resolve(answer))
    child.once('exit', () => reject(new Error('the competitor ended without an answer')))
  })
}

/** Tells a competitor to acquire the home or to release it, and waits for what came of it. */
export function tell(child: ChildProcess, what: 'go' | 'release'): Promise<Answer> {
  const answer = answerOf(child)
  child.send(what)
  return answer
}

/** Kills a process the hard way and waits until it is gone. */
export async function kill(child: ChildProcess): Promise<void> {
  children.delete(child)
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Kills what a test has left running. */
export async function killCompetitors(): Promise<void> {
  await Promise.all([...children].map(kill))
}
