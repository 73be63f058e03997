/**
 * The rolling backup of one open database, at most one a day. It is taken in small steps a while after opening, so
 * that short runs never pay for it; a small file that only ever sees short runs gets it when it is closed.
 */
import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { type Clock, errorMessage, type Logger, type Random } from 'svc/sdk'
import { backupOf, findDamage, markDamaged } from './damage.ts'
import { type Connection, connect } from './driver.ts'

const firstCheckMs = 15_000
const checkEveryMs = 3_600_000
const dayMs = 86_400_000
/** Copied in about 10 ms, which an exit may take once a day. */
const smallBytes = 4 * 1024 * 1024
/** Pages copied before other work gets its turn: well under a millisecond. */
const pagesPerStep = 100

/** Started with the database, ended before it is closed. */
export class RollingBackup {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #random: Random
  readonly #log: Logger
  #cancelTimer = () => {}
  #running: Promise<void> | undefined
  #ended = false

  constructor(connection: Connection, ports: { readonly clock: Clock; readonly random: Random; readonly log: Logger }) {
    this.#connection = connection
    this.#clock = ports.clock
    this.#random = ports.random
    this.#log = ports.log
    this.#wait(firstCheckMs)
  }

  /** Stops what is under way. Takes the backup first when it is due and the file is small. */
  end(): void | Promise<void> {
    this.#cancelTimer()
    this.#ended = true
    if (this.#running) return this.#running
    const file = statSync(this.#connection.name, { throwIfNoEntry: false })
    if (file && file.size <= smallBytes && this.#isDue(file.birthtimeMs)) return this.#take(() => false)
  }

  #wait(ms: number): void {
    this.#cancelTimer = this.#clock.after(ms, () => this.#check(), { background: true })
  }

  #check(): void {
    this.#wait(checkEveryMs)
    if (this.#running || !this.#isDue(0)) return
    this.#running = this.#take(() => this.#ended).finally(() => {
      this.#running = undefined
    })
  }

  /** As long as there is no backup, the day counts from `since`. */
  #isDue(since: number): boolean {
    const now = this.#clock.now()
    const last = statSync(backupOf(this.#connection.name), { throwIfNoEntry: false })
    // A backup from the future means that the clock was set back.
    return last ? Math.abs(now - last.mtimeMs) >= dayMs : now - since >= dayMs
  }

  /** Never rejects: a backup that fails is reported, and the one before it stays. */
  async #take(isEnded: () => boolean): Promise<void> {
    const { name: file } = this.#connection
    const part = `${backupOf(file)}-part-${this.#random.hex(4)}`
    try {
      if (!hasRows(this.#connection)) return
      writeFileSync(part, '', { mode: 0o600 })
      await this.#connection.backup(part, {
        progress: () => {
          if (isEnded()) throw new Interrupted()
          return pagesPerStep
        },
      })
      this.#putInPlace(part)
    } catch (error) {
      if (error instanceof Interrupted) return
      this.#log.warn(`no backup of ${file} was taken: ${errorMessage(error)}`)
    } finally {
      for (const rest of ['', '-wal', '-shm', '-journal']) rmSync(part + rest, { force: true })
    }
  }

  #putInPlace(part: string): void {
    const file = this.#connection.name
    const copy = connect(part)
    let damage: string | undefined
    try {
      damage = findDamage(copy)
    } finally {
      copy.close()
    }
    if (damage) {
      markDamaged(file, this.#log)
      this.#log.error(
        `The database ${file} is damaged (${damage}). Restart svc: it keeps the file aside and goes on with the backup ${backupOf(file)}.`,
      )
      return
    }
    const now = this.#clock.now() / 1000
    utimesSync(part, now, now)
    renameSync(part, backupOf(file))
    this.#log.debug(`backed up ${file}`)
  }
}

class Interrupted extends Error {}

/** An empty database must not take the place of a backup that has something in it. */
function hasRows(connection: Connection): boolean {
  const tables = connection
    .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
  return tables.some(({ name }) => connection.prepare(`SELECT 1 FROM "${name.replaceAll('"', '""')}" LIMIT 1`).get())
}
