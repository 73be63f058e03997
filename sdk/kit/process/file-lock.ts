/**
 * A lock between processes: a file that names its holder. A lock whose holder has ended is taken over. Processes of
 * other machines that share the folder cannot be asked, so they count as running.
 */
import {
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Clock, Random } from '../../ports.ts'
import { isPidInUse } from './identity.ts'
import { hasEnded, type LockHolder, newHolder, parseHolder } from './lock-holder.ts'

/** A lock that this process holds. @since 0.1 */
export interface FileLock extends Disposable {
  /** The holder that ended without a release, if the lock was taken over from one. */
  readonly previous: LockHolder | undefined
  /** Stores a JSON value in the lock, for the process that takes it over. */
  note(value: unknown): void
  /** Removes the file, unless another process has taken the lock over. */
  release(): void
}

/**
 * The result of an attempt: the lock, or who holds it. The holder is undefined if the file does not name one.
 * @since 0.1
 */
export type LockAttempt =
  | { readonly lock: FileLock }
  | { readonly lock: undefined; readonly holder: LockHolder | undefined }

/** How to wait for a lock. @since 0.1 */
export interface LockOptions {
  readonly file: string
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly random: Pick<Random, 'hex' | 'next'>
  /** Milliseconds to wait for a holder that runs (default 10,000). */
  readonly waitMs?: number
  /** Returns the error to throw when the time is over. */
  onTimeout(holder: LockHolder | undefined): Error
}

const WAIT_MS = 10_000
const MAX_ATTEMPTS = 20
/** A file that names no process is being written, or was left by a crash or a power cut; after this time, the latter. */
const DAMAGED_MS = 500

/**
 * Runs `work` while holding the lock. Creates the folder. Throws what `onTimeout` returns, or the error of the system.
 * @since 0.1
 */
export async function withFileLock<T>(options: LockOptions, work: () => T | Promise<T>): Promise<T> {
  const { file, clock, random, waitMs = WAIT_MS } = options
  const start = clock.monotonic()
  for (;;) {
    const attempt = tryFileLock(file, random)
    if (attempt.lock) {
      try {
        return await work()
      } finally {
        attempt.lock.release()
      }
    }
    if (clock.monotonic() - start > waitMs) throw options.onTimeout(attempt.holder)
    await clock.sleep(5 + random.next() * 20)
  }
}

/** Takes the lock at once, or returns who holds it. Creates the folder. Throws the error of the system. @since 0.1 */
export function tryFileLock(file: string, random: Pick<Random, 'hex'>): LockAttempt {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const mine = newHolder(random.hex(8))
  const draft = writeDraft(file, mine)
  try {
    let previous: LockHolder | undefined
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (place(draft, file)) {
        removeOldDrafts(file)
        return { lock: held(file, mine, previous) }
      }
      const text = readLock(file)
      if (text === undefined) continue
      const holder = parseHolder(text)
      const isLeft = holder === undefined ? ageDifference(draft, file) > DAMAGED_MS : hasEnded(holder)
      if (!isLeft || !takeAway(file, text, draft)) return { lock: undefined, holder }
      previous = holder
    }
    return { lock: undefined, holder: undefined }
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * The running process that holds a lock; undefined if none does. Throws the error of the system if it cannot be read.
 * @since 0.1
 */
export function findLockHolder(file: string): LockHolder | undefined {
  const holder = parseHolder(readLock(file) ?? '')
  return holder && !hasEnded(holder) ? holder : undefined
}

function held(file: string, mine: LockHolder, previous: LockHolder | undefined): FileLock {
  const release = () => {
    if (parseHolder(readLock(file) ?? '')?.token === mine.token) rmSync(file, { force: true })
  }
  return {
    previous,
    note(value) {
      renameSync(writeDraft(file, { ...mine, note: value }), file)
    },
    release,
    [Symbol.dispose]: release,
  }
}

/**
 * Removes a lock that was left. A marker named after that very lock lets one process at a time do so: a second one
 * could otherwise remove the lock that the first has taken since. Returns false if another process is doing it.
 */
function takeAway(file: string, left: string, draft: string): boolean {
  const marker = `${file}.${parseHolder(left)?.token || 'left'}.takeover`
  if (!place(draft, marker)) {
    const other = parseHolder(readLock(marker) ?? '')
    if (other ? hasEnded(other) : ageDifference(draft, marker) > DAMAGED_MS) rmSync(marker, { force: true })
    return false
  }
  try {
    if (readLock(file) === left) rmSync(file, { force: true })
  } finally {
    rmSync(marker, { force: true })
  }
  return true
}

/** Writes the content of a lock under another name. Nothing else runs in this process until it gets its own. */
function writeDraft(file: string, holder: LockHolder): string {
  const draft = `${file}.${process.pid}.draft`
  writeFileSync(draft, JSON.stringify(holder), { mode: 0o600 })
  return draft
}

/** Removes what processes left that were killed between writing a draft and giving it its name. */
function removeOldDrafts(file: string): void {
  const [folder, start] = [dirname(file), `${basename(file)}.`]
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(start) && /^(\d+)\.draft$/.exec(name.slice(start.length))?.[1]
    if (pid && !isPidInUse(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

/** Gives a draft its name, so that no reader sees half of it. Returns false if the name is taken. */
function place(draft: string, file: string): boolean {
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    // File systems without hard links.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(code)) throw error
  }
  try {
    copyFileSync(draft, file, constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Milliseconds between the last changes of two files, by the clock of their file system. 0 if one is missing. */
function ageDifference(draft: string, file: string): number {
  const [mine, other] = [draft, file].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs)
  return mine === undefined || other === undefined ? 0 : Math.abs(mine - other)
}

function readLock(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
