/**
 * Notices that the ledger was replaced by an empty one: the name of the database that was used is kept in a file beside
 * it. A backup that took its place has the same name.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { SvcError } from 'svc/sdk'
import type { Database } from 'svc/sdk/storage'

/** What a process knows of the database that it has open. */
export class LossMark {
  readonly #file: string
  /** Looked at once for each opening: an open file is not replaced. */
  readonly #sound = new WeakSet<Database>()

  constructor(file: string) {
    this.#file = file
  }

  /** Keeps the name of the first database that is used. */
  remember(database: Database): void {
    if (!this.#sound.has(database) && this.#known() === undefined) this.accept(database)
  }

  /** Throws `BUDGET_LEDGER_LOST`. */
  refuseLost(database: Database): void {
    if (this.#sound.has(database)) return
    this.remember(database)
    if (this.#known() !== readLedgerId(database)) {
      throw new SvcError(
        'BUDGET_LEDGER_LOST',
        `What was spent before is not known: ${database.file} was removed or emptied. Nothing is asked under a cap until you run \`svc budget confirm\`; caps count from now on then.`,
        { status: 429 },
      )
    }
    this.#sound.add(database)
  }

  /** The database is the one to count in. Says whether another one was before. */
  accept(database: Database): boolean {
    const [known, name] = [this.#known(), readLedgerId(database)]
    if (known === name) return false
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
    writeFileSync(this.#file, `${name}\n`, { mode: 0o600 })
    return known !== undefined
  }

  #known(): string | undefined {
    try {
      return readFileSync(this.#file, 'utf8').trim() || undefined
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ENOENT') return undefined
      throw error
    }
  }
}

function readLedgerId(database: Database): string {
  return database.prepare<{ id: string }>('SELECT id FROM ledger').get()?.id ?? ''
}
