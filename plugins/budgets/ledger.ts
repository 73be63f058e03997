/** The ledger on disk: what each account has spent and what is held for calls under way. */
import { type Database, LazyDatabase, type Spending, type Storage, type Usage } from 'svc/sdk'
import { ASSUMED_PRICE } from './price.ts'

/**
 * A row for each model call, and a sum for each account on which a cap holds, begun from the rows that are there.
 * `held_*` is room for calls under way. `groups` holds their names between commas.
 */
const migrations = [
  `
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  profile TEXT NOT NULL,
  session TEXT,
  turn TEXT,
  groups TEXT NOT NULL,
  purpose TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  input INTEGER, output INTEGER, cached_input INTEGER, cache_write_input INTEGER, reasoning INTEGER,
  usd REAL,
  settled INTEGER NOT NULL
);
CREATE INDEX calls_by_time ON calls (at);
CREATE INDEX calls_by_session ON calls (session);
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  usd REAL NOT NULL,
  held_tokens INTEGER NOT NULL DEFAULT 0,
  held_usd REAL NOT NULL DEFAULT 0,
  tool_calls INTEGER NOT NULL DEFAULT 0
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
  readonly groups: readonly string[]
  readonly purpose: string
  readonly provider: string
  readonly model: string
}

/** Room held, or taken, for a call. */
export interface Amount {
  readonly tokens: number
  readonly usd: number
}

/** An account on which a cap holds, and the condition on `calls` that are its own. */
export interface Account {
  readonly id: string
  readonly where: string
  readonly values: readonly (string | number)[]
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
const sums = `count(*) AS model_calls, ${names.map((name) => `sum(${name}) AS ${name}`).join(', ')},
  sum(settled = 1 AND usd IS NULL) AS unpriced_calls, sum(settled = 0) AS unsettled`
const assumed = `(coalesce(input, 0) * ${ASSUMED_PRICE.input} + coalesce(output, 0) * ${ASSUMED_PRICE.output}) / 1e6`

const sql = {
  standing: `SELECT first_at AS firstAt, tokens + held_tokens AS tokens, usd + held_usd AS usd,
    tool_calls AS toolCalls FROM accounts WHERE id = ?`,
  hold: `UPDATE accounts SET last_at = ?, held_tokens = held_tokens + ?, held_usd = held_usd + ? WHERE id = ?`,
  settle: `UPDATE accounts SET held_tokens = held_tokens - ?, held_usd = held_usd - ?, tokens = tokens + ?, usd = usd + ?
    WHERE id = ?`,
  tool: 'UPDATE accounts SET last_at = ?, tool_calls = tool_calls + 1 WHERE id = ?',
  add: `INSERT INTO calls (at, profile, session, turn, groups, purpose, provider, model, settled, ${names.join(', ')})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ${names.map(() => '?').join(', ')})`,
  settleCall: `UPDATE calls SET settled = 1, ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`,
  removeCall: 'DELETE FROM calls WHERE id = ?',
  prune: 'DELETE FROM accounts WHERE last_at < ?',
} as const

/** Every method is one transaction; several processes may work on one file. */
export class Ledger {
  readonly #database: LazyDatabase

  constructor(storage: () => Storage, file: string) {
    this.#database = new LazyDatabase(storage, { file, migrations })
  }

  /** Looks and holds in one step, so that nobody comes between. `check` throws to refuse. Returns the call's number. */
  hold(entry: Entry, accounts: readonly Account[], { tokens, usd, ...estimate }: Amount & Usage, check: Check): number {
    return this.#transact((database) => {
      for (const account of accounts) check(account.id, this.#standing(database, account, entry.at))
      for (const { id } of accounts) database.prepare(sql.hold).run(entry.at, tokens, usd, id)
      // Until it is settled, or for ever after a crash, the call counts with its estimate; its cost is not known.
      return addCall(database, entry, estimate, 'held')
    })
  }

  settle(call: number, accounts: readonly Account[], held: Amount, taken: Amount, usage: Usage): void {
    this.#transact((database) => {
      const statement = database.prepare(sql.settle)
      for (const { id } of accounts) statement.run(held.tokens, held.usd, taken.tokens, taken.usd, id)
      database.prepare(sql.settleCall).run(...countsOf(usage), call)
    })
  }

  release(call: number, accounts: readonly Account[], { tokens, usd }: Amount): void {
    this.#transact((database) => {
      for (const { id } of accounts) database.prepare(sql.settle).run(tokens, usd, 0, 0, id)
      database.prepare(sql.removeCall).run(call)
    })
  }

  /** A call for which no cap held: nothing had to be known before it was over. */
  add(entry: Entry, usage: Usage): void {
    this.#database.use((database) =>
      database.transaction(() => addCall(database, entry, usage, 'settled'), { soon: true }),
    )
  }

  countTool(at: number, accounts: readonly Account[], check: Check): void {
    this.#transact((database) => {
      for (const account of accounts) check(account.id, this.#standing(database, account, at))
      for (const { id } of accounts) database.prepare(sql.tool).run(at, id)
    })
  }

  /** Sums of the calls of one account. */
  spent({ where, values }: Omit<Account, 'id'>): Spending {
    const text = `SELECT ${sums} FROM calls WHERE ${where}`
    const row = this.#transact((database) => database.prepare<Row>(text).get(...values)) ?? {}
    return { ...usageOf(row), modelCalls: row['model_calls'] ?? 0 }
  }

  /** Sums of calls since a moment, by one of their columns; the dearest first. */
  summary(by: SummaryColumn, since: number): readonly Summary[] {
    const text = `SELECT ${summaryColumns[by]} AS name, ${sums}
      FROM calls WHERE at >= ? GROUP BY 1 ORDER BY usd DESC, model_calls DESC`
    const rows = this.#transact((database) => database.prepare<Row & { name: string }>(text).all(since))
    return rows.map((row) => ({
      name: row.name ?? '',
      calls: row['model_calls'] ?? 0,
      unsettled: row['unsettled'] ?? 0,
      ...usageOf(row),
    }))
  }

  /** Forgets accounts that were not used for long: what they spent is in the calls. */
  prune(before: number): void {
    this.#transact((database) => database.prepare(sql.prune).run(before))
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  /** An account is begun with what its calls have taken before anybody set a cap. */
  #standing(database: Database, { id, where, values }: Account, at: number): Standing {
    const read = () => database.prepare<Standing & Row>(sql.standing).get(id)
    const found = read()
    if (found) return found
    database
      .prepare(
        `INSERT INTO accounts (id, first_at, last_at, tokens, usd)
        SELECT ?, coalesce(min(at), ?), ?, coalesce(sum(coalesce(input, 0) + coalesce(output, 0)), 0),
          coalesce(sum(coalesce(usd, ${assumed})), 0) FROM calls WHERE ${where}`,
      )
      .run(id, at, at, ...values)
    return read() ?? { firstAt: at, tokens: 0, usd: 0, toolCalls: 0 }
  }

  #transact<T>(work: (database: Database) => T): T {
    return this.#database.use((database) => database.transaction(() => work(database)))
  }
}

/** Throws when an account has no room. */
export type Check = (account: string, standing: Standing) => void

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

function addCall(database: Database, entry: Entry, usage: Usage, state: 'held' | 'settled'): number {
  const { at, profile, session, turn, groups, purpose, provider, model } = entry
  const place = [at, profile, session ?? null, turn ?? null, `,${groups.join(',')},`, purpose, provider, model]
  const added = database.prepare(sql.add).run(...place, state === 'settled' ? 1 : 0, ...countsOf(usage))
  return Number(added.lastInsertRowid)
}

const countsOf = (usage: Usage) => keys.map((key) => usage[key] ?? null)

function usageOf(row: Row): Usage {
  const known = keys.map((key) => [key, row[columns[key]]] as const).filter(([, count]) => typeof count === 'number')
  const unpriced = row['unpriced_calls'] ? { unpricedCalls: row['unpriced_calls'] } : {}
  return { ...Object.fromEntries(known), ...unpriced }
}
