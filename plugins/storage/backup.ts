/**
 * The rolling backup of one open database, at most one a day, and the one before it. It is taken in small steps a while
 * after opening, so that short runs rarely pay for it; a file that only ever sees short runs gets it when it is closed.
 */
import { readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, errorMessage, type Logger, type Random } from 'svc/sdk'
import { refuseDamageAside } from './aside.ts'
import { hasRows, markDamaged, refuseDamage } from './damage.ts'
import { type Connection, connect } from './driver.ts'
import { isDamage } from './failure.ts'
import { backupOf, previousBackupOf } from './rescue.ts'

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
/** Pages copied before other work gets its turn: about a millisecond. */
const firstStepPages = 100

/** Started with the database, ended before it is closed. */
export class RollingBackup {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #random: Random
  readonly #log: Logger
  #cancelTimer = () => {}
  #running: Promise<void> | undefined
  #isStopped = false
  /** Pages are being copied, in many steps between which others write. */
  #isCopying = false

  constructor(connection: Connection, ports: { readonly clock: Clock; readonly random: Random; readonly log: Logger }) {
    this.#connection = connection
    this.#clock = ports.clock
    this.#random = ports.random
    this.#log = ports.log
    this.#wait(firstCheckMs)
  }

  get isRunning(): boolean {
    return this.#isCopying
  }

  /** Where it is small or overdue, finishes the backup under way or takes the one that is due; otherwise stops it. */
  end(): void | Promise<void> {
    this.#cancelTimer()
    const file = statSync(this.#connection.name, { throwIfNoEntry: false })
    const limit = file && file.size > smallBytes ? overdueMs : dayMs
    const isWanted = file !== undefined && this.#isDue(file.birthtimeMs, limit)
    this.#isStopped = !isWanted && !(file && file.size <= smallBytes)
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
    const last = statSync(backupOf(this.#connection.name), { throwIfNoEntry: false })
    // A backup from the future means that the clock was set back.
    return last ? Math.abs(now - last.mtimeMs) >= limit : now - since >= limit
  }

  /** Never rejects: a backup that fails is reported, and the one before it stays. */
  async #take(): Promise<void> {
    const { name: file } = this.#connection
    const part = `${partsOf(file)}${this.#random.hex(4)}`
    this.#isCopying = true
    try {
      if (!hasRows(this.#connection)) return
      removeOldParts(file, this.#clock.now() - dayMs)
      writeFileSync(part, '', { mode: 0o600 })
      await this.#connection.backup(part, { progress: stepSize(() => this.#isStopped) })
      await checkCopy(part)
      const now = this.#clock.now() / 1000
      utimesSync(part, now, now)
      this.#keepPrevious()
      renameSync(part, backupOf(file))
      this.#log.debug(`backed up ${file}`)
    } catch (error) {
      if (!(error instanceof Interrupted)) this.#report(error)
    } finally {
      this.#isCopying = false
      for (const rest of ['', '-wal', '-shm', '-journal']) rmSync(part + rest, { force: true })
    }
  }

  /** The one before stays, unless that would cost one with much more in it: the reason for that may not be known yet. */
  #keepPrevious(): void {
    const { name: file } = this.#connection
    const [last, previous] = [backupOf(file), previousBackupOf(file)]
    if (!statSync(last, { throwIfNoEntry: false })?.isFile()) return
    const kept = statSync(previous, { throwIfNoEntry: false })
    const isYoung = kept !== undefined && Math.abs(this.#clock.now() - kept.mtimeMs) < largerForMs
    if (isYoung && hasMuchLess(last, previous)) return
    renameSync(last, previous)
  }

  #report(error: unknown): void {
    const { name: file } = this.#connection
    if (!isDamage(error)) {
      this.#log.warn(`No backup of ${file} was taken: ${errorMessage(error)}.`)
      return
    }
    markDamaged(file, this.#log)
    this.#log.error(
      `The database ${file} is damaged (${errorMessage(error)}). Run svc again, and restart its gateway if one runs: the next start keeps the file aside and goes on with the backup ${backupOf(file)}.`,
    )
  }
}

const partsOf = (file: string) => `${backupOf(file)}-part-`

/** What killed processes left behind. */
function removeOldParts(file: string, before: number): void {
  const parts = readdirSync(dirname(file)).map((name) => join(dirname(file), name))
  for (const part of parts.filter((path) => path.startsWith(partsOf(file)))) {
    const left = statSync(part, { throwIfNoEntry: false })
    if (left && left.mtimeMs < before) rmSync(part, { force: true })
  }
}

/** A large one is read in a thread of its own, which costs more to start than a small one takes. */
async function checkCopy(part: string): Promise<void> {
  if (statSync(part).size > smallBytes) return refuseDamageAside(part)
  const copy = connect(part)
  try {
    refuseDamage(copy)
  } finally {
    copy.close()
  }
}

/** By the pages in use. A file that cannot be read has nothing. */
function hasMuchLess(one: string, other: string): boolean {
  return pagesIn(one) * 2 < pagesIn(other) && pagesIn(other) >= fewPages
}

function pagesIn(file: string): number {
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

class Interrupted extends Error {}

/** How many pages to copy next. When another process writes, the copy begins anew, and larger steps get ahead of it. */
function stepSize(isStopped: () => boolean): (progress: { readonly remainingPages: number }) => number {
  let [pages, left] = [firstStepPages, Number.POSITIVE_INFINITY]
  return ({ remainingPages }) => {
    if (isStopped()) throw new Interrupted()
    if (remainingPages >= left) pages *= 4
    left = remainingPages
    return pages
  }
}
