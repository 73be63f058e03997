/** A lock between processes: a file that names its holder. The lock of a process that died is taken over. */
import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { type Clock, errorMessage, type Random, SvcError } from 'svc/sdk'
import { writeFailed } from './atomic-write.ts'

/** Where and how long to wait. */
export interface LockOptions {
  readonly file: string
  readonly clock: Clock
  readonly random: Random
  /** Milliseconds to wait for a holder that is alive (default 10,000). */
  readonly waitMs?: number
}

interface Holder {
  readonly pid: number
  readonly host: string
  /** The boot and when the process began: tells it from a later one with its number, see `identityOf`. */
  readonly began?: string
  readonly token: string
}

/** A holder writes its name at once; a lock that stays empty this long was left by a crash or a power cut. */
const EMPTY_MS = 500

/** Runs `work` while holding the lock. Throws `CONFIG_LOCKED` when another process keeps it too long. */
export async function withLock<T>(options: LockOptions, work: () => Promise<T>): Promise<T> {
  const release = await acquire(options)
  try {
    return await work()
  } finally {
    await release()
  }
}

async function acquire(options: LockOptions): Promise<() => Promise<void>> {
  const { file, clock, random, waitMs = 10_000 } = options
  const began = await identityOf(process.pid)
  const mine: Holder = {
    pid: process.pid,
    host: hostname(),
    token: random.hex(8),
    ...(began === undefined ? {} : { began }),
  }
  const start = clock.monotonic()
  await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw writeFailed(file, error)
  })
  for (;;) {
    if (await create(file, mine)) return () => remove(file)
    const waited = clock.monotonic() - start
    const holder = await readHolder(file)
    if (waited > waitMs) throw locked(file, holder)
    const isLeft = holder !== undefined && (holder === 'empty' ? waited > EMPTY_MS : await isGone(holder))
    if (!isLeft || !(await takeAway(file, holder))) await clock.sleep(5 + random.next() * 20)
  }
}

async function create(file: string, holder: Holder): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(holder), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw writeFailed(file, error)
  }
}

/** The holder; `empty` when the file says nothing; undefined when it is gone by now. */
async function readHolder(file: string): Promise<Holder | 'empty' | undefined> {
  try {
    const holder = JSON.parse(await readFile(file, 'utf8')) as Partial<Holder> | null
    return typeof holder?.pid === 'number' && typeof holder.token === 'string' ? (holder as Holder) : 'empty'
  } catch (error) {
    if (error instanceof SyntaxError) return 'empty'
    if (codeOf(error) === 'ENOENT') return undefined
    throw new SvcError('CONFIG_LOCKED', `The lock ${file} cannot be read: ${errorMessage(error)}. Remove it.`, {
      cause: error,
    })
  }
}

/** Processes of other machines that share the folder cannot be asked, so they count as alive. */
async function isGone({ host, pid, began }: Holder): Promise<boolean> {
  if (host !== hostname()) return false
  if (began !== undefined && (await identityOf(process.pid)) !== undefined) {
    const now = await identityOf(pid)
    // Earlier versions wrote the ticks alone.
    return began !== (began.includes(':') ? now : now?.split(':')[1])
  }
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ESRCH'
  }
}

/** Removes a dead holder's lock. The marker, named after that very lock, lets only one process do so; others get false. */
async function takeAway(file: string, dead: Holder | 'empty'): Promise<boolean> {
  const token = dead === 'empty' ? 'empty' : dead.token
  const marker = `${file}.${token}`
  try {
    await writeFile(marker, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw writeFailed(marker, error)
  }
  try {
    const now = await readHolder(file)
    if (now === dead || (typeof now === 'object' && now.token === token)) await remove(file)
  } finally {
    await remove(marker)
  }
  return true
}

/**
 * Boot and start time in ticks since then; undefined when there is no such process, or no `/proc`.
 * Source: proc_pid_stat(5), fields 3 (state) and 22 (starttime); the name before them may hold any character.
 */
async function identityOf(pid: number): Promise<string | undefined> {
  const text = (file: string) => readFile(file, 'utf8').catch(() => undefined)
  const stat = await text(`/proc/${pid}/stat`)
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  const [state, startTime] = [fields[0], fields[19]]
  if (!startTime || state === 'Z' || state === 'X') return undefined
  return `${(await text('/proc/sys/kernel/random/boot_id'))?.trim() ?? 'boot'}:${startTime}`
}

async function remove(file: string): Promise<void> {
  await unlink(file).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw writeFailed(file, error)
  })
}

function locked(file: string, holder: Holder | 'empty' | undefined): SvcError {
  const who = typeof holder === 'object' ? `process ${holder.pid} on ${holder.host}` : 'another process'
  const message = `${who} has been writing the configuration for too long. If it is stuck or gone, delete ${file} and try again.`
  return new SvcError('CONFIG_LOCKED', message, { status: 423 })
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
