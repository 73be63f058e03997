/** The statements for one shared table in a local database. */
import type { Database, SqlValue } from 'svc/sdk/storage'
import type { SharedReference, SharedTable } from 'svc/sdk/store'

/** A row as it travels: columns and values, with keys of other rows where numbers of them are. */
export type SharedRow = Readonly<Record<string, SqlValue>>

/**
 * What a change is: of one who may write in the scope (0), an addition that the holder of the scope is to take (1), or a row that was
 * there before rows of this file were shared (2).
 */
export const OWN = 0
export const PROPOSED = 1
export const EARLIER = 2

/** Local tables beside those of the owner. `shared_changes` outlives a crash: what it names is not at the server yet. */
export const localSchema = `
CREATE TABLE IF NOT EXISTS shared_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tbl TEXT NOT NULL,
  row_key TEXT NOT NULL,
  scope TEXT NOT NULL,
  count INTEGER NOT NULL,
  state INTEGER NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS shared_changes_key ON shared_changes (tbl, row_key);
CREATE INDEX IF NOT EXISTS shared_changes_scope ON shared_changes (scope);
CREATE INDEX IF NOT EXISTS shared_changes_new ON shared_changes (id) WHERE state < ${EARLIER};
CREATE TABLE IF NOT EXISTS shared_state (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shared_lost (scope TEXT PRIMARY KEY) WITHOUT ROWID;
`

export class TableSql {
  readonly table: SharedTable
  readonly #columns: readonly string[]

  constructor(table: SharedTable, database: Database) {
    this.table = table
    const all = database.prepare<{ name: string }>(`SELECT name FROM pragma_table_info('${table.name}')`).all()
    this.#columns = all.map(({ name }) => name).filter((name) => !table.local?.includes(name))
  }

  /** Statements that write down every change of a row, for the connection on which they run. */
  triggers(): readonly string[] {
    const { name, where = 'TRUE' } = this.table
    const isRenamed = this.table.key.map((column) => `old.${column} IS NOT new.${column}`).join(' OR ')
    const events = [
      { suffix: 'insert', event: 'INSERT', row: 'new', when: named(where, 'new') },
      { suffix: 'update', event: 'UPDATE', row: 'new', when: named(where, 'new') },
      { suffix: 'delete', event: 'DELETE', row: 'old', when: named(where, 'old') },
      // Under its earlier key it is gone.
      { suffix: 'rename', event: 'UPDATE', row: 'old', when: `(${named(where, 'old')}) AND (${isRenamed})` },
    ] as const
    return events.map(({ suffix, event, row, when }) => {
      const key = this.#keyOf(row)
      const state = this.#stateOf(row)
      const same = `tbl = '${name}' AND row_key = ${key}`
      return `CREATE TEMP TRIGGER IF NOT EXISTS shared_${name}_${suffix} AFTER ${event} ON main.${name} WHEN ${when} BEGIN
        UPDATE shared_changes SET count = count + 1, state = min(state, ${state}) WHERE ${same};
        INSERT INTO shared_changes (tbl, row_key, scope, count, state)
          SELECT '${name}', ${key}, ${named(this.table.scope, row)}, 1, ${state}
          WHERE ${this.#isWhole(row)} AND NOT EXISTS (SELECT 1 FROM shared_changes WHERE ${same});
      END`
    })
  }

  /** Marks all rows that are there. */
  get mark(): string {
    const { name, scope, where = 'TRUE' } = this.table
    const key = this.#keyOf('row')
    return `INSERT INTO shared_changes (tbl, row_key, scope, count, state)
      SELECT '${name}', ${key}, ${scope}, 1, ${EARLIER} FROM ${name} AS row
      WHERE ${where} AND ${this.#isWhole('row')}
      AND NOT EXISTS (SELECT 1 FROM shared_changes WHERE tbl = '${name}' AND row_key = ${key})`
  }

  /** Undefined when it is not there. */
  read(database: Database, key: string): SharedRow | undefined {
    const columns = this.#columns.map((column) =>
      this.#reference(column) ? `${this.#keyOfReference(column, 'row')} AS ${column}` : column,
    )
    const sql = `SELECT ${columns.join(', ')} FROM ${this.table.name} AS row WHERE ${this.#match}`
    const row = database.prepare<SharedRow>(sql).get(...parseKey(key)) as SharedRow | undefined
    return row && (this.table.seal?.holds(row) ?? true) ? row : undefined
  }

  /** The row to which it belongs, as `table [key]`; undefined when it belongs to none. */
  parent(key: string): string | undefined {
    const at = this.table.key.findIndex((column) => this.#reference(column))
    const reference = this.#reference(this.table.key[at] ?? '')
    return reference && nameParent(reference.table, parseKey(key)[at] ?? null)
  }

  /** The same, for a row whose key does not name it. */
  parentOf(row: SharedRow): string | undefined {
    const [column] = Object.keys(this.table.references ?? {})
    const reference = column === undefined ? undefined : this.#reference(column)
    return reference && nameParent(reference.table, row[column as string] ?? null)
  }

  /** The rows that have to be there before it. */
  needed(row: SharedRow): readonly { readonly table: string; readonly key: string; readonly isThere: string }[] {
    return Object.entries(this.table.references ?? {}).map(([column, { table, key }]) => ({
      table,
      key: JSON.stringify([row[column]]),
      isThere: `SELECT 1 FROM ${table} WHERE ${key} = ?`,
    }))
  }

  /** Makes the row as it is given. Columns that only a later version knows are left out. */
  write(database: Database, key: string, given: SharedRow): void {
    const row = this.table.seal?.renew(given) ?? given
    const columns = this.#columns.filter((column) => Object.hasOwn(row, column))
    const rest = columns.filter((column) => !this.table.key.includes(column))
    const values = (names: readonly string[]) => names.map((name) => row[name] as SqlValue)
    const sets = rest.map((column) => `${column} = ${this.#value(column)}`).join(', ')
    if (rest.length > 0) {
      const update = `UPDATE ${this.table.name} SET ${sets} WHERE ${this.#match}`
      if (database.prepare(update).run(...values(rest), ...parseKey(key)).changes > 0) return
    }
    const insert = `INSERT OR REPLACE INTO ${this.table.name} (${columns.join(', ')})
      VALUES (${columns.map((column) => this.#value(column)).join(', ')})`
    database.prepare(insert).run(...values(columns))
  }

  remove(database: Database, key: string): void {
    database.prepare(`DELETE FROM ${this.table.name} WHERE ${this.#match}`).run(...parseKey(key))
  }

  get #match(): string {
    return this.table.key.map((column) => `${column} = ${this.#value(column)}`).join(' AND ')
  }

  #value(column: string): string {
    const reference = this.#reference(column)
    return reference ? `(SELECT ${reference.number} FROM ${reference.table} WHERE ${reference.key} = ?)` : '?'
  }

  #reference(column: string) {
    return this.table.references?.[column]
  }

  #keyOf(row: string): string {
    const parts = this.table.key.map((column) =>
      this.#reference(column) ? this.#keyOfReference(column, row) : `${row}.${column}`,
    )
    return `json_array(${parts.join(', ')})`
  }

  #keyOfReference(column: string, row: string): string {
    const { table, number, key } = this.#reference(column) as SharedReference
    return `(SELECT ${key} FROM ${table} WHERE ${number} = ${row}.${column})`
  }

  /** A row that goes with the one that it belongs to is not named: that one is. */
  #isWhole(row: string): string {
    const references = Object.keys(this.table.references ?? {}).map((column) => this.#keyOfReference(column, row))
    return [...references, `(${named(this.table.scope, row)})`].map((each) => `${each} IS NOT NULL`).join(' AND ')
  }

  #stateOf(row: string): string {
    if (!this.table.isOpen) return String(OWN)
    const isHeld = `EXISTS (SELECT 1 FROM shared_held WHERE scope = ${named(this.table.scope, row)})`
    return `CASE WHEN ${isHeld} THEN ${OWN} ELSE ${PROPOSED} END`
  }
}

export function nameParent(table: string, key: SqlValue): string {
  return `${table} ${JSON.stringify([key])}`
}

function parseKey(key: string): SqlValue[] {
  return JSON.parse(key) as SqlValue[]
}

function named(sql: string, row: string): string {
  return sql.replace(/\brow\./g, `${row}.`)
}
