/** The ledger on disk: what each call has taken, and what is held for calls under way. */
import type { SvcError, Usage } from 'svc/sdk'
import type { UsageTotals } from 'svc/sdk/safety'
import { type Database, ManagedDatabase, type Storage } from 'svc/sdk/storage'
import { type Account, addTool, pruneAccounts, type Standing, updateStanding } from './account-totals.ts'
import { LossMark } from './loss-mark.ts'
import { migrations } from './migrations.ts'
import { BUDGET_SCOPE } from './shared.ts'

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
const sql = {
  add: `INSERT INTO calls (at, profile, session, turn, groups, purpose, provider, model, settled, cap_tokens, cap_usd,
    ${names.join(', ')}, uid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${names.map(() => '?').join(', ')}, lower(hex(randomblob(16))))`,
  // A new number: those of settled calls are in the order in which they were settled, see accounts.ts.
  settle: `UPDATE calls SET id = (SELECT max(id) FROM calls) + 1, settled = 1, cap_tokens = ?, cap_usd = ?,
    ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ? AND settled = 0`,
  release: 'DELETE FROM calls WHERE id = ? AND settled = 0',
} as const

/**
 * Unused sums are dropped once in so many calls, in their transaction: a start would pay for a commit of its
 * own. The number is odd because a call that is held takes two numbers (see `settle`), which would pass every even one by.
 */
const PRUNED_EVERY = 999

/** Every method is one transaction; several processes may work on one file. */
export class Ledger {
  readonly #database: ManagedDatabase
  readonly #mark: LossMark

  constructor(storage: () => Storage, file: string) {
    this.#database = new ManagedDatabase(storage, { file, migrations })
    this.#mark = new LossMark(`${file}.name`)
  }

  /**
   * Checks and reserves in one transaction, so that no other process interferes. Throws what `check` returns. Returns
   * the call's number.
   */
  hold(entry: Entry, accounts: readonly Account[], held: Amount, estimate: Usage, check: Check): number {
    return this.#checked(accounts, entry.at, check, (database) =>
      // Until it is settled, or for ever after a crash, the call counts with its estimate; its cost is not known.
      addCall(database, entry, estimate, held, 'held'),
    )
  }

  settle(call: number, entry: Entry, usage: Usage, taken: Amount): void {
    this.#transact((database) => {
      const { changes } = database.prepare(sql.settle).run(taken.tokens, taken.usd, ...listCounts(usage), call)
      // The row is not there when a backup has taken the place of the file meanwhile.
      if (changes === 0) addCall(database, entry, usage, taken, 'settled')
    })
  }

  release(call: number): void {
    this.#transact((database) => database.prepare(sql.release).run(call))
  }

  /** A call for which no cap held: nothing had to be known before it was over. */
  add(entry: Entry, usage: Usage, taken: Amount): void {
    this.#database.use((database) => {
      this.#mark.remember(database)
      database.transaction(() => addCall(database, entry, usage, taken, 'settled'), { soon: true })
    })
  }

  countTool(at: number, accounts: readonly Account[], check: Check): void {
    this.#checked(accounts, at, check, (database) => {
      for (const account of accounts) addTool(database, account)
    })
  }

  /** What caps look at, for each account. */
  standings(at: number, accounts: readonly Account[]): readonly Standing[] {
    return this.#transact((database) => accounts.map((account) => updateStanding(database, account, at)))
  }

  /** Sums of the calls of one account. */
  spent({ where, values }: Omit<Account, 'id'>): UsageTotals {
    const text = `SELECT ${sums} FROM calls WHERE ${where}`
    const row = this.#transact((database) => database.prepare<Row>(text).get(...values)) ?? {}
    return { ...toUsage(row), modelCalls: row['model_calls'] ?? 0 }
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
      ...toUsage(row),
    }))
  }

  /** A person says that this ledger is the one to count in. Returns whether another one was lost. */
  accept(): boolean {
    return this.#transact((database) => this.#mark.accept(database))
  }

  /** Resolves when other machines know of what was reserved. Throws `SCOPE_HELD` when this process had no right to. */
  synced(): Promise<void> {
    return this.#database.use((database) => database.synced(BUDGET_SCOPE))
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  /** A refusal is thrown after the commit, which keeps the sums that were made for it. */
  #checked<T>(accounts: readonly Account[], at: number, check: Check, work: (database: Database) => T): T {
    const done = this.#transact((database) => {
      this.#mark.refuseLost(database)
      for (const account of accounts) {
        const refusal = check(account.id, updateStanding(database, account, at))
        if (refusal) return { refusal }
      }
      return { result: work(database) }
    })
    if ('refusal' in done) throw done.refusal
    return done.result
  }

  #transact<T>(work: (database: Database) => T): T {
    return this.#database.use((database) => database.transaction(() => work(database)))
  }
}

/** Returns why an account has no room. */
export type Check = (account: string, standing: Standing) => SvcError | undefined

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

function addCall(
  database: Database,
  { at, profile, session, turn, groups, purpose, provider, model }: Entry,
  usage: Usage,
  { tokens, usd }: Amount,
  state: 'held' | 'settled',
): number {
  const place = [at, profile, session ?? null, turn ?? null, `,${groups.join(',')},`, purpose, provider, model]
  const isSettled = state === 'settled' ? 1 : 0
  const added = database.prepare(sql.add).run(...place, isSettled, tokens, usd, ...listCounts(usage))
  const number = Number(added.lastInsertRowid)
  if (number % PRUNED_EVERY === 0) pruneAccounts(database)
  return number
}

const listCounts = (usage: Usage) => keys.map((key) => usage[key] ?? null)

function toUsage(row: Row): Usage {
  const known = keys.map((key) => [key, row[columns[key]]] as const).filter(([, count]) => typeof count === 'number')
  const unpriced = row['unpriced_calls'] ? { unpricedCalls: row['unpriced_calls'] } : {}
  return { ...Object.fromEntries(known), ...unpriced }
}
