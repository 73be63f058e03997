/** The service: opens databases, and closes those that are still open when the plugin ends. */
import { type Clock, errorMessage, type Logger, type Random } from 'svc/sdk'
import type { ServiceCaller } from 'svc/sdk/host'
import type { Database, DatabaseOptions, Storage } from 'svc/sdk/storage'
import type { DatabaseWatcher } from 'svc/sdk/store'
import { RollingBackup } from './backup.ts'
import { markDamaged } from './damage.ts'
import { OpenDatabase } from './database.ts'
import { recordGeneration } from './database-generation.ts'
import { Upkeep } from './database-upkeep.ts'
import { settleOthers } from './group-commit.ts'
import { openSound } from './open-database.ts'

export interface StorageDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Those who see each database that is opened. */
  watchers?(): readonly DatabaseWatcher[]
}

/** Contract: `Storage` of the SDK. The same file may be opened several times. */
export class SqliteStorage implements Storage {
  readonly #deps: StorageDeps
  readonly #open = new Set<Database>()

  constructor(deps: StorageDeps) {
    this.#deps = deps
  }

  open(options: DatabaseOptions, caller?: ServiceCaller): Database {
    settleOthers(options.file, undefined)
    const connection = openSound(options, this.#deps, caller)
    const backup = new RollingBackup(connection, this.#deps)
    let waits: readonly ((scope: string | undefined) => Promise<void>)[] = []
    const database = new OpenDatabase(connection, {
      damaged: () => markDamaged(options.file, this.#deps.log),
      failed: (error) =>
        this.#deps.log.error(`What was written to ${options.file} was not kept: ${errorMessage(error)}`, { error }),
      closing: () => {
        upkeep.end()
        return backup.end()
      },
      closed: () => this.#open.delete(database),
      reached: (generation) => recordGeneration(options.file, generation, this.#deps.random),
      synced: (scope) => (waits.length > 0 ? Promise.all(waits.map((wait) => wait(scope))) : undefined),
    })
    const upkeep = new Upkeep({
      ...this.#deps,
      database,
      connection,
      step: options.upkeep,
      isCopying: () => backup.isRunning,
    })
    this.#open.add(database)
    waits = (this.#deps.watchers?.() ?? []).flatMap((watcher) => watcher.opened(database) ?? [])
    return database
  }

  /** Closes every database that its owner has left open. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((database) => database.close()))
  }
}
