/** The database of the boards: opened at the first use, with the pairs of the table of transitions in it. */
import { type Random, SvcError } from 'svc/sdk'
import type { SharedDatabase, SharedStore, StoreTransaction } from 'svc/sdk/store'
import { migrations } from './migrations.ts'
import type { MoveDeps } from './move.ts'
import { CHANGES, SqlTables } from './sql-tables.ts'
import type { EventRow, Tables } from './tables.ts'
import { listPairs, TRANSITIONS } from './transitions.ts'

export type Database = SharedDatabase<Tables>
export type Transaction = StoreTransaction<Tables>
export const DEFAULT_BOARD = 'default'

export interface StoreDeps {
  readonly store: () => SharedStore
  readonly random: () => Random
}

/** What a change works with. */
export interface ChangeDeps extends MoveDeps {
  readonly tables: SqlTables
  readonly tx: Transaction
}

export class BoardStore {
  readonly #deps: StoreDeps
  #database: Promise<Database> | undefined
  /** Boards of which others do not know yet that they have changed. */
  readonly #changed = new Set<string>()
  #announcing: Promise<void> | undefined

  constructor(deps: StoreDeps) {
    this.#deps = deps
  }

  open(): Promise<Database> {
    this.#database ??= this.#open().catch((error) => {
      this.#database = undefined
      throw error
    })
    return this.#database
  }

  /** Runs a change with its events as one transaction. `sync`: it survives a power cut. */
  async change<T>(work: (deps: ChangeDeps) => Promise<T>, options: { readonly sync?: boolean } = {}): Promise<T> {
    return (await this.changeWithEvents(work, options)).result
  }

  async changeWithEvents<T>(
    work: (deps: ChangeDeps) => Promise<T>,
    { sync = false }: { readonly sync?: boolean } = {},
  ): Promise<{ readonly result: T; readonly events: readonly EventRow[] }> {
    const db = await this.open()
    const done = await db.transaction(
      async (tx, now) => {
        const tables = new SqlTables({ tx, db, now, hex: (bytes) => this.#deps.random().hex(bytes) })
        const result = await work({ tables, tx, transitions: TRANSITIONS })
        return { result, events: await tables.flush() }
      },
      { sync, isolation: 'read-committed' },
    )
    if (db.dialect === 'postgres') for (const { board } of done.events) this.#announce(db, board)
    return done
  }

  async close(): Promise<void> {
    const database = await this.#database?.catch(() => undefined)
    this.#database = undefined
    await this.#announcing
    await database?.close()
  }

  /**
   * A server lets transactions with notices commit one after the other, so they are sent afterwards, one for all changes of a moment.
   * A process that dies in between has told nothing, as after any notice that is missed.
   */
  #announce(db: Database, board: string): void {
    this.#changed.add(board)
    this.#announcing ??= this.#tell(db).finally(() => {
      this.#announcing = undefined
    })
  }

  async #tell(db: Database): Promise<void> {
    for (const board of this.#changed) {
      this.#changed.delete(board)
      // The next change tells it.
      await db.notify(CHANGES, board).catch(() => undefined)
    }
  }

  async #open(): Promise<Database> {
    const db = await this.#deps.store().open<Tables>({ owner: 'kanban', scope: 'installation', migrations })
    try {
      await this.#prepare(db)
      return db
    } catch (error) {
      await db.close()
      throw error
    }
  }

  /** Pairs of a later version stay: its processes may run beside this one. */
  async #prepare(db: Database): Promise<void> {
    const rows = await db.query.selectFrom('transitions').selectAll().execute()
    const known = new Set(rows.map((row) => `${row.from_status}>${row.to_status}`))
    const missing = listPairs(TRANSITIONS).filter(({ from, to }) => !known.has(`${from}>${to}`))
    const board = await db.query
      .selectFrom('boards')
      .select('slug')
      .where('slug', '=', DEFAULT_BOARD)
      .executeTakeFirst()
    if (missing.length === 0 && board) return
    await db.transaction(async (tx, now) => {
      if (missing.length > 0)
        await tx
          .insertInto('transitions')
          .values(missing.map(({ from, to }) => ({ from_status: from, to_status: to })))
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      await insertBoard(tx, { slug: DEFAULT_BOARD, name: 'Default', now })
    })
  }
}

/** Whether there was none of this name. */
export async function insertBoard(
  tx: Transaction,
  { slug, name, now }: { readonly slug: string; readonly name: string; readonly now: number },
): Promise<boolean> {
  const row = {
    ...{ slug, name, description: '', icon: null, color: null, default_workdir: null, budget_usd: null },
    ...{ created_at: now, is_archived: 0 },
  }
  const insert = tx
    .insertInto('boards')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
  return (await insert.returning('slug').executeTakeFirst()) !== undefined
}

export function boardUnknown(slug: string): SvcError {
  return new SvcError(
    'KANBAN_BOARD_UNKNOWN',
    `There is no board ${JSON.stringify(slug.slice(0, 80))}. \`svc kanban boards list\` shows them.`,
  )
}
