/** Space that removed sessions leave behind: in the index of the search, and in the file. */
import { type Clock, type Database, type Sessions, SvcError } from 'svc/sdk'
import { atWork } from './removal.ts'
import type { ShelfKeeper } from './shelf.ts'

/** Pages of the index that a step writes: a few milliseconds. */
const PAGES_AT_ONCE = 4
const PAUSE_MS = 10
/** Marks of removed messages are kept from this id on (fts5_index.c, FTS5_TOMBSTONE_ROWID), in about ten bytes each. */
const MARKS_SQL = 'SELECT coalesce(sum(length(block)), 0) AS bytes FROM message_index_data WHERE id >= 9007199254740992'
/** Fewer are not worth the work. */
const LEAST_BYTES = 16_384

/** Merges the index a little further, in a commit of its own; false when that changes nothing. */
function mergeStep(database: Database): boolean {
  const changes = database.prepare<{ count: number }>('SELECT total_changes() AS count')
  return database.transaction(() => {
    const before = Number(changes.get()?.count)
    database.prepare("INSERT INTO message_index (message_index, rank) VALUES ('merge', ?)").run(-PAGES_AT_ONCE)
    // Source: https://www.sqlite.org/fts5.html#the_merge_command; the command itself may count as one.
    return Number(changes.get()?.count) - before >= 2
  })
}

/** For now and then: takes a step when a tenth or more of what was indexed is marked as removed. Whether there is more to do. */
export function mergeIfDue(database: Database): boolean {
  const marks = Number(database.prepare<{ bytes: number }>(MARKS_SQL).get()?.bytes)
  if (marks < LEAST_BYTES) return false
  const last = database.prepare<{ id: number | null }>('SELECT max(id) AS id FROM messages').get()?.id ?? 0
  return marks >= last && mergeStep(database)
}

/** Contract: `Sessions.compact` of the SDK. */
export async function compact(
  keeper: ShelfKeeper,
  { progress, signal, clock }: NonNullable<Parameters<Sessions['compact']>[0]> & { readonly clock: Clock },
): ReturnType<Sessions['compact']> {
  const bytes = () => keeper.use(({ catalogue }) => catalogue.stats().bytes)
  const before = bytes()
  refuseTurns(keeper)
  for (let steps = 1; keeper.use(({ database }) => mergeStep(database)); steps++) {
    progress?.('index', steps)
    await clock.sleep(PAUSE_MS, signal)
  }
  progress?.('file', 0)
  refuseTurns(keeper)
  keeper.use(({ database }) => {
    // From then on pages can be given back a few at a time.
    database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM')
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
  })
  return { before, after: bytes() }
}

function refuseTurns(keeper: ShelfKeeper): void {
  const busy = keeper.use((shelf) => atWork(shelf).size)
  if (busy === 0) return
  throw new SvcError(
    'SESSION_IN_USE',
    `A turn is at work in ${busy === 1 ? 'a session' : `${busy} sessions`}, and would fail while the file is rewritten. Wait for the end, then try again. Nothing is lost.`,
    { status: 409 },
  )
}
