/** One local database: what of it is not at the server yet, and what came from there. */
import type { Database } from 'svc/sdk/storage'
import type { SharedTableSet } from 'svc/sdk/store'
import { EARLIER, localSchema, OWN, type SharedRow, TableSql } from './table-sql.ts'

/** A row that was changed here. */
export interface LocalChange {
  readonly id: number
  readonly table: string
  readonly key: string
  readonly scope: string
  readonly count: number
  readonly state: number
}

/** A row as the server has it; without `data` it is gone. */
export interface RemoteRow {
  readonly table: string
  readonly key: string
  readonly scope: string
  readonly version: number
  readonly data: string | null
}

/** A row that another one belongs to and that is not here. */
export interface MissingRow {
  readonly table: string
  readonly key: string
}

const CHANGE = 'id, tbl AS "table", row_key AS "key", scope, count, state'

export class LocalCopy {
  readonly set: SharedTableSet
  readonly #open: () => Database
  #opened: { readonly database: Database; readonly tables: ReadonlyMap<string, TableSql> } | undefined
  /** Up to here the rows of others are here. */
  #version = 0

  /** `open` opens the file without writing down what is changed over it. */
  constructor(set: SharedTableSet, open: () => Database) {
    this.set = set
    this.#open = open
  }

  /** Lets a connection write down what is changed over it. */
  static watch(set: SharedTableSet, database: Database, held: readonly string[]): void {
    database.exec(localSchema)
    database.exec('CREATE TEMP TABLE IF NOT EXISTS shared_held (scope TEXT PRIMARY KEY)')
    for (const scope of held) hold(database, scope, true)
    for (const table of set.tables)
      for (const trigger of new TableSql(table, database).triggers()) database.exec(trigger)
  }

  /** What is added to a scope that this process holds is not for others to take over. */
  static hold(database: Database, scope: string, isHeld: boolean): void {
    hold(database, scope, isHeld)
  }

  get version(): number {
    const stored = Number(this.#state('version') ?? 0)
    this.#version = Math.max(this.#version, stored)
    return this.#version
  }

  /** Belongs to the tables of this server from now on; what is here already is marked. */
  join(store: string, base: number): void {
    if (this.#state('store') === store) return
    const { database, tables } = this.#use()
    database.transaction(() => {
      if (this.#state('store') === store) return
      this.set.prepare?.(database, base)
      for (const table of tables.values()) database.exec(table.mark)
      this.#setState('version', 0)
      this.#setState('store', store)
    })
    this.#version = 0
  }

  /** The oldest first. `isEarlier`: those that were there before. */
  changes(limit: number, { isEarlier = false, after = 0 } = {}): readonly LocalChange[] {
    const state = isEarlier ? `state = ${EARLIER}` : `state < ${EARLIER}`
    const sql = `SELECT ${CHANGE} FROM shared_changes WHERE ${state} AND id > ? ORDER BY id LIMIT ?`
    return this.#use().database.prepare(sql).all(after, limit) as unknown as LocalChange[]
  }

  get hasChanges(): boolean {
    return this.#use().database.prepare('SELECT 1 FROM shared_changes LIMIT 1').get() !== undefined
  }

  /** Changes of those who wrote in the scope, which others may have overtaken. */
  ownChanges(scopes: readonly string[]): readonly LocalChange[] {
    const sql = `SELECT ${CHANGE} FROM shared_changes WHERE scope = ? AND state = ${OWN} ORDER BY id`
    return scopes.flatMap((scope) => this.#use().database.prepare(sql).all(scope) as unknown as LocalChange[])
  }

  read({ table, key }: LocalChange): { readonly data: string | null; readonly parent: string | null } {
    const { database, tables } = this.#use()
    const sql = tables.get(table)
    const row = sql?.read(database, key)
    const parent = (row ? sql?.parentOf(row) : sql?.parent(key)) ?? null
    return { data: row ? JSON.stringify(row) : null, parent }
  }

  /** They are at the server, unless they were changed again. */
  done(changes: readonly Pick<LocalChange, 'id' | 'count'>[]): void {
    const { database } = this.#use()
    const remove = database.prepare('DELETE FROM shared_changes WHERE id = ? AND count = ?')
    database.transaction(() => {
      for (const { id, count } of changes) remove.run(id, count)
      if (this.#version > Number(this.#state('version') ?? 0)) this.#setState('version', this.#version)
    })
  }

  /** Others have written nothing of this up to there that is not here. It is stored with the next change. */
  advance(version: number): void {
    this.#version = Math.max(this.#version, version)
  }

  /** Rows that those to come belong to. */
  missing(rows: readonly RemoteRow[]): readonly MissingRow[] {
    const { database, tables } = this.#use()
    const coming = new Set<string>()
    const missing = new Map<string, MissingRow>()
    for (const { table, key, data } of rows) {
      coming.add(`${table} ${key}`)
      if (data === null) continue
      for (const needed of tables.get(table)?.needed(JSON.parse(data) as SharedRow) ?? []) {
        const name = `${needed.table} ${needed.key}`
        const [value] = JSON.parse(needed.key) as [string]
        if (!coming.has(name) && database.prepare(needed.isThere).get(value) === undefined)
          missing.set(name, { table: needed.table, key: needed.key })
      }
    }
    return [...missing.values()]
  }

  /**
   * Takes over rows of the server up to a version. What was changed here since and is not there yet stays, except for `reverted`:
   * those become what the server has, or go. `before` are rows that others belong to.
   */
  apply(
    rows: readonly RemoteRow[],
    {
      version,
      before = [],
      reverted = [],
    }: { version: number; before?: readonly RemoteRow[]; reverted?: readonly Reverted[] },
  ): void {
    const { database } = this.#use()
    const forget = database.prepare('DELETE FROM shared_changes WHERE tbl = ? AND row_key = ?')
    database.transaction(() => {
      // Another process of this home may have done it meanwhile.
      const known = this.version
      for (const row of before) this.#write(row)
      for (const { change, row } of reverted) {
        this.#write(row ?? { ...change, data: null })
        forget.run(change.table, change.key)
      }
      for (const row of rows) if (row.version > known) this.#take(row)
      if (version > known) this.#setState('version', version)
    })
    this.advance(version)
  }

  /** What its holder changed here since, and is not at the server yet, is newer. */
  #take(row: RemoteRow): void {
    const { database } = this.#use()
    const same = 'tbl = ? AND row_key = ?'
    const state = database.prepare(`SELECT state FROM shared_changes WHERE ${same}`).get(row.table, row.key)?.['state']
    if (state === OWN) return
    this.#write(row)
    if (state !== undefined) database.prepare(`DELETE FROM shared_changes WHERE ${same}`).run(row.table, row.key)
  }

  /** What is written in the scope from now on is not the holder's. */
  lose(scopes: readonly string[]): void {
    const { database } = this.#use()
    database.transaction(() => {
      for (const scope of scopes) database.prepare('INSERT OR IGNORE INTO shared_lost (scope) VALUES (?)').run(scope)
    })
  }

  isLost(scope: string): boolean {
    return this.#use().database.prepare('SELECT 1 FROM shared_lost WHERE scope = ?').get(scope) !== undefined
  }

  found(scope: string): void {
    this.#use().database.prepare('DELETE FROM shared_lost WHERE scope = ?').run(scope)
  }

  close(): void | Promise<void> {
    return this.#opened?.database.close()
  }

  #write({ table, key, data }: Pick<RemoteRow, 'table' | 'key' | 'data'>): void {
    const { database, tables } = this.#use()
    // Of a later version.
    const sql = tables.get(table)
    if (!sql) return
    if (data === null) {
      sql.remove(database, key)
      return
    }
    const row = JSON.parse(data) as SharedRow
    const isOrphan = sql.needed(row).some((needed) => {
      return database.prepare(needed.isThere).get(...(JSON.parse(needed.key) as [string])) === undefined
    })
    if (!isOrphan) sql.write(database, key, row)
  }

  #state(name: string): string | number | undefined {
    const row = this.#use().database.prepare('SELECT value FROM shared_state WHERE name = ?').get(name)
    return row?.['value'] as string | number | undefined
  }

  #setState(name: string, value: string | number): void {
    const sql = 'INSERT OR REPLACE INTO shared_state (name, value) VALUES (?, ?)'
    this.#use().database.prepare(sql).run(name, value)
  }

  #use() {
    if (this.#opened) return this.#opened
    const database = this.#open()
    database.exec(localSchema)
    const tables = new Map(this.set.tables.map((table) => [table.name, new TableSql(table, database)]))
    this.#opened = { database, tables }
    return this.#opened
  }
}

/** A change that others have overtaken, and the row in its place. */
export interface Reverted {
  readonly change: LocalChange
  readonly row: RemoteRow | undefined
}

function hold(database: Database, scope: string, isHeld: boolean): void {
  const sql = isHeld
    ? 'INSERT OR IGNORE INTO shared_held (scope) VALUES (?)'
    : 'DELETE FROM shared_held WHERE scope = ?'
  database.prepare(sql).run(scope)
}
