/**
 * What a piece of maintenance costs others: the longest wait of another process for the write lock of a database, and the
 * longest time in which the event loop of this one did not turn, beside that of a process that does nothing in the same
 * seconds. Times of a real machine: for figures, not for tests.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'

/** Asks for the lock, gives it back, and pauses for two milliseconds; the longest wait is printed when its input ends. */
const SCRIPT = `
const Driver = require(process.argv[1])
const connection = new Driver(process.argv[2], { timeout: 600_000 })
const begin = connection.prepare('BEGIN IMMEDIATE')
const end = connection.prepare('ROLLBACK')
let longest = 0
let tries = 0
const timer = setInterval(() => {
  const started = performance.now()
  begin.run()
  end.run()
  longest = Math.max(longest, performance.now() - started)
  if (++tries === 1) process.stdout.write('ready\\n')
}, 2)
process.stdin.resume().on('end', () => {
  clearInterval(timer)
  connection.close()
  process.stdout.write(JSON.stringify({ longest, tries }))
})`

/** A loop in which nothing happens: how late the machine alone lets it turn. */
const BARE = `
let last = performance.now()
let longest = 0
const look = () => {
  const now = performance.now()
  longest = Math.max(longest, now - last - 1)
  last = now
}
setTimeout(() => {
  last = performance.now()
  setInterval(look, 1)
  process.stdout.write('ready\\n')
}, 100)
process.stdin.resume().on('end', () => {
  look()
  process.stdout.write(JSON.stringify({ longest: Math.max(0, longest) }))
  process.exit()
})`

/** Milliseconds. */
export interface Contention {
  /** Of another process, for the write lock. */
  readonly longestWait: number
  /** Of the event loop of this process. */
  readonly longestFreeze: number
  /** Of the event loop of a process that does nothing meanwhile. */
  readonly bareFreeze: number
  readonly took: number
}

/** Runs `work` on a database that is there already. `from` is a file of a package that has better-sqlite3. */
export async function contention(file: string, from: string, work: () => Promise<unknown>): Promise<Contention> {
  const library = createRequire(from).resolve('better-sqlite3')
  const observers = [observe(SCRIPT, library, file), observe(BARE)] as const
  try {
    await Promise.all(observers.map(({ ready }) => ready))
    const { longestFreeze, took } = await freeze(work)
    const [longestWait, bareFreeze] = await Promise.all([observers[0].end(), observers[1].end()])
    return { longestWait, longestFreeze, bareFreeze, took }
  } finally {
    for (const { stop } of observers) stop()
  }
}

/** A process that prints a line when it is ready, and what it saw when its input ends. */
function observe(script: string, ...args: string[]) {
  const child = spawn(process.execPath, ['-e', script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  let said = ''
  const ready = once(child.stdout, 'data').then(() => {
    child.stdout.on('data', (text) => {
      said += text
    })
  })
  const end = async (): Promise<number> => {
    child.stdin.end()
    await exited
    return (JSON.parse(said) as { longest: number }).longest
  }
  return { ready, end, stop: () => child.kill() }
}

/** The longest time between two turns of the event loop while `work` runs, less the millisecond that is meant. */
export async function freeze(work: () => Promise<unknown>): Promise<Pick<Contention, 'longestFreeze' | 'took'>> {
  const started = performance.now()
  let [last, longest] = [started, 0]
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last - 1)
    last = now
  }
  const timer = setInterval(look, 1)
  try {
    await work()
    await new Promise((resolve) => setTimeout(resolve, 5))
  } finally {
    clearInterval(timer)
  }
  look()
  return { longestFreeze: Math.max(0, longest), took: performance.now() - started }
}
