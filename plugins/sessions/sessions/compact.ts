/** Space that removed sessions leave behind: in the index of the search, and in the file. */
import { type Clock, type Sessions, SvcError } from 'svc/sdk'
import type { Database } from 'svc/sdk/storage'
import { BatchSize } from 'svc/sdk/storage'
import type { Indexing } from './indexing.ts'
import { listWorkingSessions, resumeRemovals } from './removal.ts'
import type { SessionDatabase } from './session-database.ts'

const PAUSE_MS = 10
/** Free pages that one transaction gives back to the disk. */
const FREED = { first: 100, min: 10, max: 1000, targetMs: 15 } as const
/** `PRAGMA auto_vacuum` of a file that can give pages back a few at a time. */
const INCREMENTAL = 2

type Options = NonNullable<Parameters<Sessions['compact']>[0]> & { readonly clock: Clock; readonly indexing: Indexing }

/** Contract: `Sessions.compact` of the SDK. */
export async function compact(keeper: SessionDatabase, options: Options): ReturnType<Sessions['compact']> {
  const { progress, signal, clock, indexing } = options
  const bytes = () => keeper.use(({ catalogue }) => catalogue.stats().bytes)
  const isSteady = keeper.use(({ database }) => pragma(database, 'auto_vacuum') === INCREMENTAL)
  const before = bytes()
  if (!isSteady) refuseTurns(keeper)
  await resumeRemovals(keeper, { clock, ...(signal && { signal }) })
  for (let steps = 1; keeper.use(({ database }) => indexing.merge(database, 'all')); steps++) {
    progress?.('index', steps)
    await clock.sleep(indexing.pauseMs(PAUSE_MS), signal)
  }
  if (isSteady) await shrink(keeper, options)
  else {
    progress?.('file', 0)
    rewrite(keeper)
  }
  keeper.use(({ database }) => {
    // Most of it without blocking writers; the rest is small.
    database.prepare('PRAGMA wal_checkpoint(PASSIVE)').all()
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
  })
  return { before, after: bytes() }
}

/** Gives free pages back in steps, between which others write. */
async function shrink(keeper: SessionDatabase, { clock, signal, progress }: Options): Promise<void> {
  const freed = new BatchSize(clock, FREED)
  for (let steps = 1; keeper.use(({ database }) => pragma(database, 'freelist_count')) > 0; steps++) {
    freed.run((pages) => keeper.use(({ database }) => database.exec(`PRAGMA incremental_vacuum(${pages})`)))
    progress?.('space', steps)
    await clock.sleep(freed.pauseMs(PAUSE_MS), signal)
  }
}

/** A file of an earlier version: SQLite writes all of it in one transaction. From then on it can give pages back in steps. */
function rewrite(keeper: SessionDatabase): void {
  refuseTurns(keeper)
  keeper.use(({ database }) => database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM'))
}

function pragma(database: Database, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}

function refuseTurns(keeper: SessionDatabase): void {
  const busy = keeper.use((tables) => listWorkingSessions(tables).size)
  if (busy === 0) return
  throw new SvcError(
    'SESSION_IN_USE',
    `A turn is at work in ${busy === 1 ? 'a session' : `${busy} sessions`}, and would fail while the file is rewritten. Wait for the end, then try again. Nothing is lost.`,
    { status: 409 },
  )
}
