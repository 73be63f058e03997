/** `sessions.db`, opened at its first use, and opened again when the storage that held it was reloaded. */
import { type Clock, type Database, errorCode, type Storage } from 'svc/sdk'
import { Catalogue } from './catalogue.ts'
import { Journal } from './journal.ts'
import { migrations } from './migrations.ts'
import type { Processes } from './processes.ts'
import { Turns } from './turns.ts'

/** The tables of one open database. */
export interface Shelf {
  readonly database: Database
  readonly catalogue: Catalogue
  readonly turns: Turns
  readonly journal: Journal
}

/** What opening takes. `storage` is asked each time. */
export interface ShelfPorts {
  readonly storage: () => Storage
  readonly file: string
  readonly clock: Clock
  readonly processes: Processes
}

/** Whoever works on the tables goes through `use`. */
export class ShelfKeeper {
  readonly #ports: ShelfPorts
  #shelf: Shelf | undefined
  #closed = false

  constructor(ports: ShelfPorts) {
    this.#ports = ports
  }

  /** Runs `work`, and once more on a fresh shelf when the database was closed by others: then it has done nothing yet. */
  use<T>(work: (shelf: Shelf) => T): T {
    try {
      return work(this.#opened())
    } catch (error) {
      if (errorCode(error) !== 'STORAGE_CLOSED' || this.#closed) throw error
      this.#shelf = undefined
      return work(this.#opened())
    }
  }

  /** Nothing works after this. */
  close(): void | Promise<void> {
    this.#closed = true
    return this.#shelf?.database.close()
  }

  #opened(): Shelf {
    if (this.#shelf) return this.#shelf
    const { storage, file, clock, processes } = this.#ports
    const database = storage().open({ file, migrations })
    const catalogue = new Catalogue(database)
    const turns = new Turns(database, { clock, processes })
    this.#shelf = { database, catalogue, turns, journal: new Journal({ database, catalogue, turns, clock }) }
    return this.#shelf
  }
}
