/**
 * The rolling backup of one open database, at most one a day, and the one before it. It is taken in small steps a while
 * after opening, so that short runs rarely pay for it; a file that only ever sees short runs gets it when it is closed.
 */
import { readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, errorMessage, type Logger, type Random } from 'svc/sdk'
import { type AsideWork, copyAside } from './aside.ts'
import { hasRows, markDamaged, refuseDamage } from './damage.ts'
import { getBackupFile, getPreviousBackupFile } from './database-generation.ts'
import { type Connection, connect } from './driver.ts'
import { isDamage } from './storage-errors.ts'

const firstCheckMs = 15_000
const checkEveryMs = 3_600_000
const dayMs = 86_400_000
/** Copied in about 10 ms, which an exit may take once a day. */
const smallBytes = 4 * 1024 * 1024
/** After this long without a backup, an exit takes it whatever the size. */
const overdueMs = 3 * dayMs
/** How long a backup stays that has much more in it than those after it. */
const largerForMs = 30 * dayMs
/** Less than this is not much, whatever the share. */
const fewPages = 16
/** More pages than a small file has: it is copied in one step. */
const ALL_PAGES = 1_000_000

/** Started with the database, ended before it is closed. */
export class RollingBackup {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #random: Random
  readonly #log: Logger
  #cancelTimer = () => {}
  #running: Promise<void> | undefined
  #isStopped = false
  /** A cancellable copy of a large file. */
  #aside: AsideWork | undefined

  constructor(connection: Connection, ports: { readonly clock: Clock; readonly random: Random; readonly log: Logger }) {
    this.#connection = connection
    this.#clock = ports.clock
    this.#random = ports.random
    this.#log = ports.log
    this.#wait(firstCheckMs)
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Where it is small or overdue, finishes the backup under way or takes the one that is due; otherwise stops it. */
  end(): void | Promise<void> {
    this.#cancelTimer()
    const file = statSync(this.#connection.name, { throwIfNoEntry: false })
    const limit = file && file.size > smallBytes ? overdueMs : dayMs
    const isWanted = file !== undefined && this.#isDue(file.birthtimeMs, limit)
    this.#isStopped = !isWanted && !(file && file.size <= smallBytes)
    if (this.#isStopped) this.#aside?.stop()
    if (this.#running) return this.#running
    if (isWanted) return this.#take()
  }

  #wait(ms: number): void {
    this.#cancelTimer = this.#clock.after(ms, () => this.#check(), { background: true })
  }

  #check(): void {
    this.#wait(checkEveryMs)
    if (this.#running || !this.#isDue(0)) return
    this.#running = this.#take().finally(() => {
      this.#running = undefined
    })
  }

  /** As long as there is no backup, the day counts from `since`. */
  #isDue(since: number, limit = dayMs): boolean {
    const now = this.#clock.now()
    const last = statSync(getBackupFile(this.#connection.name), { throwIfNoEntry: false })
    // An empty file is not a backup. A backup from the future means that the clock was set back.
    return last && last.size > 0 ? Math.abs(now - last.mtimeMs) >= limit : now - since >= limit
  }

  /** Never rejects: a backup that fails is reported, and the one before it stays. */
  async #take(): Promise<void> {
    const { name: file } = this.#connection
    const part = `${getPartPrefix(file)}${this.#random.hex(4)}`
    try {
      if (!hasRows(this.#connection)) return
      removeOldParts(file, this.#clock.now() - dayMs)
      writeFileSync(part, '', { mode: 0o600 })
      if (!(await this.#copy(part))) return
      const now = this.#clock.now() / 1000
      utimesSync(part, now, now)
      this.#keepPrevious()
      renameSync(part, getBackupFile(file))
      this.#log.debug(`backed up ${file}`)
    } catch (error) {
      this.#report(error)
    } finally {
      this.#aside = undefined
      for (const rest of ['', '-wal', '-shm', '-journal']) rmSync(part + rest, { force: true })
    }
  }

  /** A sound copy of one moment; false when it was given up. Others write meanwhile. */
  async #copy(part: string): Promise<boolean> {
    const { name: file } = this.#connection
    if (measureFile(file) + measureFile(`${file}-wal`) <= smallBytes) {
      await copySmall(file, part)
      return true
    }
    if (this.#isStopped) return false
    this.#aside = copyAside(file, part)
    return this.#aside.isDone
  }

  /** The one before stays, unless that would cost one with much more in it: the reason for that may not be known yet. */
  #keepPrevious(): void {
    const { name: file } = this.#connection
    const [last, previous] = [getBackupFile(file), getPreviousBackupFile(file)]
    if (!statSync(last, { throwIfNoEntry: false })?.isFile()) return
    const kept = statSync(previous, { throwIfNoEntry: false })
    const isYoung = kept !== undefined && Math.abs(this.#clock.now() - kept.mtimeMs) < largerForMs
    if (isYoung && hasMuchLess(last, previous)) return
    renameSync(last, previous)
  }

  #report(error: unknown): void {
    const { name: file } = this.#connection
    if (!isDamage(error)) {
      this.#log.warn(`No backup of ${file} was taken: ${errorMessage(error)}.`, { error })
      return
    }
    markDamaged(file, this.#log)
    this.#log.error(
      `The database ${file} is damaged (${errorMessage(error)}). Run svc again, and restart its gateway if one runs: the next start sets the file aside and continues with the backup ${getBackupFile(file)}.`,
      { error },
    )
  }
}

const getPartPrefix = (file: string) => `${getBackupFile(file)}-part-`

/** What killed processes left behind. */
function removeOldParts(file: string, before: number): void {
  const parts = readdirSync(dirname(file)).map((name) => join(dirname(file), name))
  for (const part of parts.filter((path) => path.startsWith(getPartPrefix(file)))) {
    const left = statSync(part, { throwIfNoEntry: false })
    if (left && left.mtimeMs < before) rmSync(part, { force: true })
  }
}

/** In this thread, which takes less than to start another one. Its own connection has no transaction open. */
async function copySmall(file: string, part: string): Promise<void> {
  const connection = connect(file)
  try {
    await connection.backup(part, { progress: () => ALL_PAGES })
  } finally {
    connection.close()
  }
  const copy = connect(part)
  try {
    refuseDamage(copy)
  } finally {
    copy.close()
  }
}

function measureFile(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** By the pages in use. A file that cannot be read has nothing. */
function hasMuchLess(one: string, other: string): boolean {
  return countPages(one) * 2 < countPages(other) && countPages(other) >= fewPages
}

function countPages(file: string): number {
  try {
    const connection = connect(file)
    try {
      const count = (name: string) => Number(connection.pragma(name, { simple: true }))
      return count('page_count') - count('freelist_count')
    } finally {
      connection.close()
    }
  } catch {
    return 0
  }
}
