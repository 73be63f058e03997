/** The ledger on disk: what each account has spent and what is held for calls under way. */
import { type Database, errorCode, type Spending, type Storage, type Usage } from 'svc/sdk'

/** A row for each model call, and a sum for each account. `held_*` is room for calls that are not settled. */
const migrations = [
  `
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  profile TEXT NOT NULL,
  session TEXT,
  turn TEXT,
  purpose TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  input INTEGER, output INTEGER, cached_input INTEGER, cache_write_input INTEGER, reasoning INTEGER,
  usd REAL,
  settled INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX calls_by_time ON calls (at);
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  tokens INTEGER NOT NULL DEFAULT 0,
  held_tokens INTEGER NOT NULL DEFAULT 0,
  counted_usd REAL NOT NULL DEFAULT 0,
  held_usd REAL NOT NULL DEFAULT 0,
  model_calls INTEGER NOT NULL DEFAULT 0,
  tool_calls INTEGER NOT NULL DEFAULT 0,
  unpriced_calls INTEGER NOT NULL DEFAULT 0,
  input INTEGER, output INTEGER, cached_input INTEGER, cache_write_input INTEGER, reasoning INTEGER,
  usd REAL
) WITHOUT ROWID;
`,
]

/** What caps look at. */
export interface Standing {
  readonly firstAt: number
  readonly tokens: number
  /** What is known, and what is assumed where no price is. */
  readonly usd: number
  readonly toolCalls: number
}

/** One call to be. */
export interface Entry {
  readonly at: number
  readonly profile: string
  readonly session: string | undefined
  readonly turn: string | undefined
  readonly purpose: string
  readonly provider: string
  readonly model: string
}

/** Room held, or taken, for a call. */
export interface Amount {
  readonly tokens: number
  readonly usd: number
}

type Row = Record<string, number | null>

const columns = {
  input: 'input',
  output: 'output',
  cachedInput: 'cached_input',
  cacheWriteInput: 'cache_write_input',
  reasoning: 'reasoning',
  costUsd: 'usd',
} as const satisfies Partial<Record<keyof Usage, string>>
const keys = Object.keys(columns) as (keyof typeof columns)[]
const names = Object.values(columns)

const sql = {
  standing: `SELECT first_at AS firstAt, tokens + held_tokens AS tokens, counted_usd + held_usd AS usd,
    tool_calls AS toolCalls FROM accounts WHERE id = ?`,
  hold: `INSERT INTO accounts (id, first_at, last_at, held_tokens, held_usd, model_calls) VALUES (?, ?, ?, ?, ?, 1)
    ON CONFLICT (id) DO UPDATE SET last_at = excluded.last_at, held_tokens = held_tokens + excluded.held_tokens,
      held_usd = held_usd + excluded.held_usd, model_calls = model_calls + 1`,
  free: `UPDATE accounts SET held_tokens = held_tokens - ?, held_usd = held_usd - ?, model_calls = model_calls - ?
    WHERE id = ?`,
  settle: `UPDATE accounts SET held_tokens = held_tokens - ?, held_usd = held_usd - ?, tokens = tokens + ?,
    counted_usd = counted_usd + ?, unpriced_calls = unpriced_calls + ?,
    ${names.map((name) => `${name} = coalesce(${name} + ?, ${name}, ?)`).join(', ')} WHERE id = ?`,
  tool: `INSERT INTO accounts (id, first_at, last_at, tool_calls) VALUES (?, ?, ?, 1)
    ON CONFLICT (id) DO UPDATE SET tool_calls = tool_calls + 1`,
  add: `INSERT INTO calls (at, profile, session, turn, purpose, provider, model) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  settleCall: `UPDATE calls SET settled = 1, ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`,
  removeCall: 'DELETE FROM calls WHERE id = ?',
  account: 'SELECT * FROM accounts WHERE id = ?',
  // Turns are many and short: what they spent is in their session and in `calls`.
  prune: `DELETE FROM accounts WHERE last_at < ? AND id LIKE 'turn:%'`,
} as const

/** Every method is one transaction; several processes may work on one file. */
export class Ledger {
  readonly #storage: () => Storage
  readonly #file: string
  #database: Database | undefined
  #closed = false

  constructor(storage: () => Storage, file: string) {
    this.#storage = storage
    this.#file = file
  }

  /** Looks and holds in one step, so that nobody comes between. `check` throws to refuse. */
  hold(entry: Entry, accounts: readonly string[], { tokens, usd }: Amount, check: Check): number {
    return this.#with((database) =>
      database.transaction(() => {
        const standing = database.prepare<Standing & Row>(sql.standing)
        for (const id of accounts) check(id, standing.get(id))
        for (const id of accounts) database.prepare(sql.hold).run(id, entry.at, entry.at, tokens, usd)
        const { at, profile, session, turn, purpose, provider, model } = entry
        const added = database
          .prepare(sql.add)
          .run(at, profile, session ?? null, turn ?? null, purpose, provider, model)
        return Number(added.lastInsertRowid)
      }),
    )
  }

  settle(call: number, accounts: readonly string[], held: Amount, taken: Amount, usage: Usage): void {
    const counts = keys.map((key) => usage[key] ?? null)
    const twice = counts.flatMap((count) => [count, count])
    this.#with((database) =>
      database.transaction(() => {
        const statement = database.prepare(sql.settle)
        const { tokens, usd } = taken
        for (const id of accounts)
          statement.run(held.tokens, held.usd, tokens, usd, usage.unpricedCalls ?? 0, ...twice, id)
        database.prepare(sql.settleCall).run(...counts, call)
      }),
    )
  }

  release(call: number, accounts: readonly string[], { tokens, usd }: Amount): void {
    this.#with((database) =>
      database.transaction(() => {
        for (const id of accounts) database.prepare(sql.free).run(tokens, usd, 1, id)
        database.prepare(sql.removeCall).run(call)
      }),
    )
  }

  countTool(at: number, accounts: readonly string[], check: Check): void {
    this.#with((database) =>
      database.transaction(() => {
        const standing = database.prepare<Standing & Row>(sql.standing)
        for (const id of accounts) check(id, standing.get(id))
        for (const id of accounts) database.prepare(sql.tool).run(id, at, at)
      }),
    )
  }

  spent(account: string): Spending {
    const row = this.#with((database) => database.prepare<Row>(sql.account).get(account)) ?? {}
    return { ...usageOf(row), modelCalls: row['model_calls'] ?? 0, toolCalls: row['tool_calls'] ?? 0 }
  }

  /** Sums of calls since a moment, by one of their columns; the dearest first. */
  summary(by: SummaryColumn, since: number): readonly Summary[] {
    const sums = names.map((name) => `sum(${name}) AS ${name}`).join(', ')
    const text = `SELECT ${summaryColumns[by]} AS name, count(*) AS calls, ${sums},
      sum(settled = 1 AND usd IS NULL) AS unpriced_calls, sum(settled = 0) AS unsettled
      FROM calls WHERE at >= ? GROUP BY 1 ORDER BY usd DESC, calls DESC`
    const rows = this.#with((database) => database.prepare<Row & { name: string }>(text).all(since))
    return rows.map((row) => ({
      name: row.name ?? '',
      calls: row['calls'] ?? 0,
      unsettled: row['unsettled'] ?? 0,
      ...usageOf(row),
    }))
  }

  /** Forgets the accounts of turns that are long over. */
  prune(before: number): void {
    this.#with((database) => database.prepare(sql.prune).run(before))
  }

  close(): void | Promise<void> {
    this.#closed = true
    return this.#database?.close()
  }

  #with<T>(work: (database: Database) => T): T {
    try {
      return work(this.#opened())
    } catch (error) {
      if (errorCode(error) !== 'STORAGE_CLOSED' || this.#closed) throw error
      this.#database = undefined
      return work(this.#opened())
    }
  }

  #opened(): Database {
    this.#database ??= this.#storage().open({ file: this.#file, migrations })
    return this.#database
  }
}

/** Throws when an account has no room; its standing is undefined when nothing was ever counted for it. */
export type Check = (account: string, standing: Standing | undefined) => void

/** How spending can be grouped, and the SQL for it. */
export const summaryColumns = {
  day: `strftime('%Y-%m-%d', at / 1000, 'unixepoch', 'localtime')`,
  provider: 'provider',
  model: `provider || '/' || model`,
  session: `coalesce(session, '(none)')`,
  purpose: 'purpose',
  profile: 'profile',
} as const
export type SummaryColumn = keyof typeof summaryColumns

/** What a group of calls took. */
export interface Summary extends Usage {
  readonly name: string
  readonly calls: number
  /** Calls under way, or cut off by a crash: they are counted in caps with their estimate. */
  readonly unsettled: number
}

function usageOf(row: Row): Usage {
  const known = keys.map((key) => [key, row[columns[key]]] as const).filter(([, count]) => typeof count === 'number')
  const unpriced = row['unpriced_calls'] ? { unpricedCalls: row['unpriced_calls'] } : {}
  return { ...Object.fromEntries(known), ...unpriced }
}
