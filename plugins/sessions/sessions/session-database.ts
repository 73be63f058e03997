/** `sessions.db`, opened at its first use, and opened again when the storage that held it was reloaded. */
import type { Clock } from 'svc/sdk'
import { type Database, ManagedDatabase, type Storage } from 'svc/sdk/storage'
import { type Announce, announceNothing } from './announcements.ts'
import { Catalogue } from './catalogue.ts'
import { Conversations } from './conversation.ts'
import { Edits } from './edits.ts'
import { Journal } from './journal.ts'
import { migrations } from './migrations.ts'
import type { Processes } from './processes.ts'
import { Removals } from './removals.ts'
import { type RejectedState, States } from './states.ts'
import { Turns } from './turns.ts'

/** The tables of one open database. */
export interface SessionTables {
  readonly database: Database
  readonly catalogue: Catalogue
  readonly turns: Turns
  readonly journal: Journal
  readonly edits: Edits
  readonly states: States
  readonly conversations: Conversations
  readonly removals: Removals
}

/** What opening takes. `storage` is asked each time. */
export interface SessionDatabaseDeps {
  readonly storage: () => Storage
  readonly file: string
  readonly clock: Clock
  readonly processes: Processes
  /** One step of work that can wait. */
  readonly upkeep?: (database: Database) => boolean
  /** Called once for a stored value that its owner rejects. */
  readonly rejected?: (state: RejectedState) => void
  /** A number for a row that no other machine gives; undefined where no others share the tables. */
  readonly nextNumber?: () => number | undefined
  /** Called with every change that others may have to know of, after it is stored. */
  readonly announce?: Announce
}

/** All access to the tables goes through `use`. */
export class SessionDatabase {
  readonly #ports: SessionDatabaseDeps
  readonly #database: ManagedDatabase
  readonly announce: Announce
  #tables: SessionTables | undefined

  constructor(deps: SessionDatabaseDeps) {
    this.#ports = deps
    this.announce = deps.announce ?? announceNothing
    const { storage, file, upkeep } = deps
    this.#database = new ManagedDatabase(storage, { file, migrations, ...(upkeep && { upkeep }) })
  }

  /** Runs `work`, and once more on fresh tables if the database was closed by others: then it has done nothing yet. */
  use<T>(work: (tables: SessionTables) => T): T {
    return this.#database.use((database) => work(this.#openTables(database)))
  }

  /** Nothing works after this. */
  close(): void | Promise<void> {
    return this.#database.close()
  }

  #openTables(database: Database): SessionTables {
    if (this.#tables?.database === database) return this.#tables
    const { clock, processes, nextNumber } = this.#ports
    const catalogue = new Catalogue(database)
    const turns = new Turns(database, { clock, processes })
    const journal = new Journal({ database, catalogue, turns, clock })
    this.#tables = {
      database,
      catalogue,
      turns,
      journal,
      edits: new Edits(database, nextNumber),
      states: new States(database, this.#ports.rejected, nextNumber),
      conversations: new Conversations(),
      removals: new Removals(database),
    }
    return this.#tables
  }
}
