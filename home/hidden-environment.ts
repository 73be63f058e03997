/**
 * On Linux every program of a user can read the variables that another one was started with: `/proc/<pid>/environ` shows
 * the memory where the system stored them, and removing a variable does not clear that memory (measured with glibc).
 * So values of secrets are overwritten there; this process and its children read them from a copy.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

/** Where the variables of this process begin in its memory: `env_start`, the 50th field of proc_pid_stat(5). */
const ENV_START = 50
/** The second field is the name of the program in parentheses, which may hold anything; the third comes after it. */
const AFTER_NAME = 3

/** The variables that were asked to be hidden. */
let secrets: readonly string[] = []

/** Runs it while these variables are not there: a program that it starts at once does not inherit them. */
export function withoutSecrets<T>(run: () => T): T {
  const kept = secrets.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  for (const [name] of kept) delete process.env[name]
  try {
    return run()
  } finally {
    for (const [name, value] of kept) process.env[name] = value
  }
}

/**
 * Overwrites the values of these variables with zeros in what other programs see. `process.env` keeps them. Returns the
 * names that are still to be seen, all of them where the system does not let a process write to its own memory. Elsewhere
 * than on Linux it does nothing.
 */
export function hideEnvironment(names: readonly string[]): readonly string[] {
  secrets = names
  if (process.platform !== 'linux' || names.length === 0) return []
  try {
    overwrite(names)
    return visible(names).map(({ name }) => name)
  } catch {
    return names
  }
}

function overwrite(names: readonly string[]): void {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[ENV_START - AFTER_NAME])
  const found = visible(names)
  // Setting a variable allocates a copy: only then nothing in this process reads the old place any more.
  for (const { name } of found) {
    const value = process.env[name]
    if (value !== undefined) process.env[name] = value
  }
  const memory = openSync('/proc/self/mem', 'r+')
  try {
    for (const { at, length } of found) writeSync(memory, Buffer.alloc(length), 0, length, start + at)
  } finally {
    closeSync(memory)
  }
}

interface Value {
  readonly name: string
  /** Where it begins, in bytes from the first variable. */
  readonly at: number
  readonly length: number
}

/** The values of these variables that can be seen. A name may be there twice. */
function visible(names: readonly string[]): Value[] {
  const wanted = new Set(names)
  const found: Value[] = []
  let at = 0
  for (const entry of readFileSync('/proc/self/environ', 'latin1').split('\0')) {
    const end = entry.indexOf('=')
    const name = entry.slice(0, end)
    if (end > 0 && wanted.has(name) && entry.length > end + 1)
      found.push({ name, at: at + end + 1, length: entry.length - end - 1 })
    at += entry.length + 1
  }
  return found
}
