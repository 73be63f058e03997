/** One at a time: within this process by a queue, between processes by a file that names its holder. */
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { type Clock, type Random, SvcError } from 'svc/sdk'

const WAIT_MS = 30_000
const PAUSE_MS = 15

/** Locks by the paths of their files. */
export class Locks {
  readonly #clock: () => Clock
  readonly #random: () => Random
  readonly #queues: Map<string, Promise<unknown>> = new Map()

  constructor(clock: () => Clock, random: () => Random) {
    this.#clock = clock
    this.#random = random
  }

  /** Throws `CHECKPOINT_BUSY` when another process keeps it too long. */
  async hold<T>(file: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(file) ?? Promise.resolve()
    const mine = before.then(() => this.#alone(file, work))
    const settled = mine.catch(() => undefined)
    this.#queues.set(file, settled)
    try {
      return await mine
    } finally {
      if (this.#queues.get(file) === settled) this.#queues.delete(file)
    }
  }

  async #alone<T>(file: string, work: () => Promise<T>): Promise<T> {
    await this.#take(file)
    try {
      return await work()
    } finally {
      await rm(file, { force: true })
    }
  }

  async #take(file: string): Promise<void> {
    const clock = this.#clock()
    const start = clock.monotonic()
    const holder = [process.pid, hostname(), await identityOf(process.pid)].join('\n')
    // Linked into its place, so that a lock always has all of its text.
    const draft = `${file}.${this.#random().hex(8)}`
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(draft, holder, { mode: 0o600 })
    try {
      while (!(await placed(draft, file))) {
        if (clock.monotonic() - start > WAIT_MS)
          throw new SvcError('CHECKPOINT_BUSY', 'Another svc works on the snapshots of this project. Try again later.')
        if (!(await this.#takeAway(file))) await clock.sleep(PAUSE_MS)
      }
    } finally {
      await rm(draft, { force: true })
    }
  }

  /** Removes the lock of a process that has ended; false when its holder lives. */
  async #takeAway(file: string): Promise<boolean> {
    const holder = await textOf(file)
    if (holder === undefined) return true
    if (!(await isGone(holder))) return false
    const aside = `${file}.${this.#random().hex(8)}`
    try {
      await rename(file, aside)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return true
      throw error
    }
    // Between reading and moving another process may have done the same and taken the lock: that one stays.
    if ((await textOf(aside)) !== holder) await placed(aside, file)
    await rm(aside, { force: true })
    return true
  }
}

async function placed(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    // ESRCH: a process that ended while its file was read.
    if (['ENOENT', 'ESRCH'].includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}

/** Processes of other machines cannot be asked, so they count as alive. */
async function isGone(holder: string): Promise<boolean> {
  const [pid = '', host, identity = ''] = holder.split('\n')
  if (host !== hostname()) return false
  if (identity !== '' && (await identityOf(process.pid)) !== '') {
    const now = await identityOf(Number(pid))
    // Earlier versions wrote the ticks alone.
    return identity !== (identity.includes(':') ? now : now.split(':')[1])
  }
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ESRCH'
  }
}

/**
 * Boot and start time in ticks since then; empty when there is no such process, or no `/proc`.
 * Source: proc_pid_stat(5), fields 3 (state) and 22 (starttime); the name before them may hold any character.
 */
async function identityOf(pid: number): Promise<string> {
  const stat = await textOf(`/proc/${pid}/stat`)
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  const [state, startTime] = [fields[0], fields[19]]
  if (!startTime || state === 'Z' || state === 'X') return ''
  return `${(await textOf('/proc/sys/kernel/random/boot_id'))?.trim() ?? 'boot'}:${startTime}`
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code
