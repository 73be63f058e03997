/**
 * Events have numbers in an order that a reader can follow: who has an event has read all with smaller numbers. In files one transaction
 * is open at a time. At a server transactions commit side by side, in any order: before one takes numbers, it takes a lock whose
 * own number is below them, together with others, until its commit. A reader waits for those who have such a lock below what it reads.
 */
import type { SharedDatabase, StoreTransaction } from 'svc/sdk/store'
import type { EventRow, NewEvent, Tables } from './tables.ts'

type Database = Pick<SharedDatabase<Tables>, 'dialect' | 'sql' | 'query'>

/** Advisory locks have two numbers of four bytes. */
const MAX_NUMBER = 2 ** 31 - 1
/** A transaction has its lock for the time of a commit. After this it hangs, and its numbers are passed over. */
const PATIENCE = 1000
const PAUSE_SECONDS = 0.005

/** In their order, in one statement. */
export async function insertEvents(
  tx: StoreTransaction<Tables>,
  { dialect, sql }: Database,
  events: readonly NewEvent[],
  at: number,
): Promise<readonly EventRow[]> {
  const rows = events.map(({ board, taskId, runId, kind, data }) => {
    return { board, task_id: taskId, run_id: runId, kind, data: JSON.stringify(data), at }
  })
  if (dialect !== 'postgres') return tx.insertInto('events').values(rows).returningAll().execute()
  const values = rows.map((row, place) => {
    const { board, task_id, run_id, kind, data } = row
    return sql`(${place}::int, ${board}::text, ${task_id}::text, ${run_id}::bigint, ${kind}::text, ${data}::text, ${at}::bigint)`
  })
  const { rows: written } = await sql<EventRow>`
    with numbers as materialized (
      select pg_advisory_xact_lock_shared(${lockClass(sql)}, least(last_value - (not is_called)::int, ${MAX_NUMBER})::int)
      from events_id_seq
    )
    insert into events (board, task_id, run_id, kind, data, at)
    select board, task_id, run_id, kind, data, at from (
      select given.* from numbers, (values ${sql.join(values)}) as given (place, board, task_id, run_id, kind, data, at)
      order by place
    ) as given
    returning *`.execute(tx)
  return written
}

/** Resolves with a number up to which all events can be read that will ever be there; undefined: any. */
export async function settledEvents({ dialect, sql, query }: Database): Promise<number | undefined> {
  if (dialect !== 'postgres') return undefined
  let last: number | undefined
  for (let attempt = 0; ; attempt++) {
    // The last number first: who takes later ones may come and go.
    const { rows } = await sql<{ last: number; below: number | null }>`
      with head as materialized (select last_value - (not is_called)::int as last from events_id_seq)
      select head.last, (
        select min(objid::bigint) from pg_locks
        where head.last is not null and locktype = 'advisory' and objsubid = 2
          and classid::bigint = (${lockClass(sql)}::bigint & 4294967295)
          and database = (select oid from pg_database where datname = current_database())
      ) as below
      from head`.execute(query)
    const [found] = rows
    last ??= Number(found?.last ?? 0)
    const below = found?.below ?? undefined
    if (below === undefined || Number(below) >= last) return last
    if (attempt >= PATIENCE) return Number(below)
    await sql`select pg_sleep(${PAUSE_SECONDS})`.execute(query)
  }
}

/** Each schema has its own. */
function lockClass(sql: Database['sql']) {
  return sql`hashtext('events of ' || current_schema())`
}
