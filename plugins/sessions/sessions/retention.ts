/** Removes old sessions automatically, once a day at the end of a turn. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Clock, errorMessage, type Logger } from 'svc/sdk'
import { shellQuote } from 'svc/sdk/shell'
import type { Catalogue, SessionMark } from './catalogue.ts'
import { listWorkingSessions, removeInBatches } from './removal.ts'
import type { SessionDatabase } from './session-database.ts'
import { isTimeSure } from './sure-time.ts'
import type { Trash } from './trash.ts'

const DAY_MS = 86_400_000

/** What retention works with. */
export interface RetentionDeps {
  readonly database: SessionDatabase
  readonly days: number
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
  readonly trash: Trash
  /** A file that exists while a reported refusal holds. */
  readonly told: string
}

export class Retention {
  readonly #deps: RetentionDeps
  #last: number | undefined
  #running: Promise<void> | undefined

  constructor(deps: RetentionDeps) {
    this.#deps = deps
  }

  /** Begins a run unless there was one within a day. Never throws. */
  daily(): void {
    const now = this.#deps.clock.now()
    if (this.#running || (this.#last !== undefined && Math.abs(now - this.#last) < DAY_MS)) return
    this.#last = now
    this.#running = this.#run(now)
      .catch((error: unknown) =>
        this.#deps.log.warn(`Old conversations could not be removed: ${errorMessage(error)}`, { error }),
      )
      .finally(() => {
        this.#running = undefined
      })
  }

  /** Resolves when no run is under way. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #run(now: number): Promise<void> {
    const { database, days, log, clock, signal, trash } = this.#deps
    const limit = now - days * DAY_MS
    const { old, doubt } = database.use((open) => {
      const busy = listWorkingSessions(open)
      const found = open.catalogue.marks({ usedBefore: limit }).filter(({ number }) => !busy.has(number))
      return { old: found, doubt: findClockDoubt(found, { catalogue: open.catalogue, now, limit }) }
    })
    if (old.length === 0) return
    if (doubt !== undefined) return this.#refuse(old, doubt)
    rmSync(this.#deps.told, { force: true })
    const { removed, backup } = await removeInBatches(database, old, { clock, signal, trash })
    if (backup === undefined) return
    const undo = `svc sessions import ${shellQuote(backup)}`
    log.info(`Old conversations were removed. To undo it: ${undo}`, { count: removed.length, days })
  }

  #refuse(old: readonly SessionMark[], doubt: string): void {
    const { told, days, log } = this.#deps
    if (existsSync(told)) return
    mkdirSync(dirname(told), { recursive: true, mode: 0o700 })
    writeFileSync(told, '', { mode: 0o600 })
    log.error(
      `sessions.retention_days is ${days}, but no conversation was removed: ${doubt}. Check the clock of this machine. If it is right, remove them once by hand: svc sessions prune --older-than ${Math.ceil(days)}d`,
      { count: old.length },
    )
  }
}

/** Why the clock may be wrong, if these were removed. */
function findClockDoubt(
  old: readonly SessionMark[],
  { catalogue, now, limit }: { readonly catalogue: Catalogue; readonly now: number; readonly limit: number },
): string | undefined {
  if (!isTimeSure(catalogue, now, limit)) return 'nothing was used within that time, so the clock may have jumped'
  const { sessions } = catalogue.use(now)
  return old.length * 2 > sessions ? `${old.length} of ${sessions} would go at once` : undefined
}
