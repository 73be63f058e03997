/**
 * What an account has spent. The calls are the truth; a row of `accounts` only saves adding them up again. Settled calls
 * never change and are numbered in the order in which they were settled, so the row and what came after its `counted` are
 * all of them, regardless of the process that wrote them and the caps at that time. Open calls are few and are added up
 * each time.
 */
import type { Database } from 'svc/sdk/storage'
import { ASSUMED_PRICE } from './call-cost.ts'

/** What caps look at. */
export interface Standing {
  readonly firstAt: number
  readonly tokens: number
  /** What is known, and what is assumed where no price is. */
  readonly usd: number
  readonly toolCalls: number
}

/** An account on which a cap holds, and the condition on `calls` that are its own. */
export interface Account {
  readonly id: string
  readonly where: string
  readonly values: readonly (string | number)[]
}

interface Sum {
  readonly tokens: number
  readonly usd: number
}

interface SumRow extends Sum {
  readonly firstAt: number
  readonly counted: number
  readonly toolCalls: number
}

/** A row that is this many calls behind is dropped: recomputing it costs about as much as catching up. */
const STALE_CALLS = 10_000

const tokens = 'coalesce(cap_tokens, coalesce(input, 0) + coalesce(output, 0))'
const usd = `coalesce(cap_usd, usd,
  (coalesce(input, 0) * ${ASSUMED_PRICE.input} + coalesce(output, 0) * ${ASSUMED_PRICE.output}) / 1e6)`
const sums = `coalesce(sum(${tokens}), 0) AS tokens, coalesce(sum(${usd}), 0) AS usd`

const sql = {
  last: 'SELECT id FROM calls NOT INDEXED WHERE settled = 1 ORDER BY id DESC LIMIT 1',
  read: `SELECT first_at AS firstAt, counted, tokens, usd, tool_calls AS toolCalls FROM accounts WHERE id = ?`,
  begin: (where: string) => `INSERT INTO accounts (id, first_at, counted, tokens, usd)
    SELECT ?, coalesce(min(at), ?), ?, coalesce(sum(settled * ${tokens}), 0), coalesce(sum(settled * ${usd}), 0)
    FROM calls WHERE ${where}`,
  // By number: an index on another column would lead through all calls of a month.
  since: (where: string) => `SELECT ${sums} FROM calls NOT INDEXED WHERE id > ? AND settled = 1 AND (${where})`,
  open: (where: string) => `SELECT ${sums} FROM calls INDEXED BY calls_open WHERE settled = 0 AND (${where})`,
  advance: 'UPDATE accounts SET counted = ?, tokens = tokens + ?, usd = usd + ? WHERE id = ?',
  tool: 'UPDATE accounts SET tool_calls = tool_calls + 1 WHERE id = ?',
  /** A part at each start, because the caller waits for it. */
  prune: 'DELETE FROM accounts WHERE id IN (SELECT id FROM accounts WHERE counted < ? LIMIT 500)',
} as const

const none: Sum = { tokens: 0, usd: 0 }

/** Brings the row up to date. To be called in a transaction. */
export function updateStanding(database: Database, { id, where, values }: Account, at: number): Standing {
  const last = lastSettled(database)
  const read = () => database.prepare<SumRow>(sql.read).get(id)
  const found = read()
  if (!found) database.prepare(sql.begin(where)).run(id, at, last, ...values)
  else if (found.counted < last) {
    const more = database.prepare<Sum>(sql.since(where)).get(found.counted, ...values) ?? none
    database.prepare(sql.advance).run(last, more.tokens, more.usd, id)
  }
  const settled = read() ?? { firstAt: at, toolCalls: 0, ...none }
  const open = database.prepare<Sum>(sql.open(where)).get(...values) ?? none
  return { ...settled, tokens: settled.tokens + open.tokens, usd: settled.usd + open.usd }
}

/** `updateStanding` must have been asked before. */
export function addTool(database: Database, { id }: Account): void {
  database.prepare(sql.tool).run(id)
}

/** Drops rows that were not used for many calls. By calls and not by time: a clock may be wrong. */
export function pruneAccounts(database: Database): void {
  database.prepare(sql.prune).run(lastSettled(database) - STALE_CALLS)
}

function lastSettled(database: Database): number {
  return database.prepare<{ id: number }>(sql.last).get()?.id ?? 0
}
