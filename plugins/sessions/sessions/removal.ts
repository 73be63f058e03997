/** Removes sessions in batches, so that neither other processes nor the event loop of this one wait for long. */
import { type Clock, type SessionSummary, SvcError } from 'svc/sdk'
import { SessionsRemoved } from 'svc/sdk/hooks'
import type { RemovedSessionGroup } from 'svc/sdk/sessions'
import { BatchSize } from 'svc/sdk/storage'
import { archivePieces } from './archive.ts'
import { type Catalogue, type SessionMark, type SessionRow, toSummary } from './catalogue.ts'
import type { SessionDatabase, SessionTables } from './session-database.ts'
import { isTimeSure } from './sure-time.ts'
import { FORMAT, type Trash, type TrashFile } from './trash.ts'

/** Rows that one transaction deletes (see part.ts): about 15 ms, whatever the machine. */
const DELETED = { first: 200, min: 20, max: 500, targetMs: 15 } as const
/** Rows that are copied to the trash before other work gets its turn. */
const COPIED = { first: 200, min: 20, max: 1000, targetMs: 15 } as const
/** What a session costs beside its messages, in messages. */
const SESSION_WEIGHT = 5
const PAUSE_MS = 25
/** Batches after which the log is written into the database, so that no later commit has to write much of it at once. */
const BATCHES_A_CHECKPOINT = 8

/** The steps of a removal. */
export interface RemovalOptions {
  readonly clock: Clock
  /** Ends it after the batch that is under way. The first batch is always done. */
  readonly signal?: AbortSignal
  /** Whatever is removed is kept there first; undefined leaves no copy. */
  readonly trash: Trash | undefined
}

/** What was removed, and the file with all of it. */
export interface Removed {
  readonly removed: readonly SessionSummary[]
  readonly backup?: string
}

/** A session whose copy is in the trash, and what tells that it is still as it was copied. */
interface Copied {
  readonly row: SessionRow
  readonly state: string | undefined
}

/** Numbers of sessions with a turn at work. */
export function listWorkingSessions({ catalogue, turns }: SessionTables): ReadonlySet<number> {
  const open = catalogue.withOpenTurns(undefined).filter(({ number }) => turns.isAtWork(number))
  return new Set(open.map(({ number }) => number))
}

/** Each of them once. Throws `SESSION_NOT_FOUND` or `SESSION_IN_USE`. */
export function removable(tables: SessionTables, ids: readonly string[]): SessionMark[] {
  const busy = listWorkingSessions(tables)
  return [...new Set(ids)].map((id) => {
    const session = tables.catalogue.mark(id)
    if (!busy.has(session.number)) return session
    throw new SvcError(
      'SESSION_IN_USE',
      `A turn is at work in session "${id}". Stop it or wait for its end, then try again. Nothing was removed.`,
      { status: 409 },
    )
  })
}

/** What was used since it was marked stays. Rejects with `SESSION_TRASH` when a copy could not be written. */
export async function removeInBatches(
  keeper: SessionDatabase,
  sessions: readonly SessionMark[],
  options: RemovalOptions,
): Promise<Removed> {
  const removed: SessionSummary[] = []
  const copies = options.trash?.begin()
  const pace = new Pace(keeper, options)
  try {
    for (let next = 0; next < sessions.length; ) {
      if (next > 0 && !(await pace.pause())) break
      const batch = batchFrom(sessions, next, pace.deleted.size)
      next += batch.length
      const copied = await copyAll(keeper, batch, { copies, pace })
      const gone = pace.delete((tables) => hide(tables, copied)).map(toSummary)
      removed.push(...gone)
      await announceRemoved(keeper, gone, { isRestorable: copies !== undefined })
      await clearRemovals(keeper, pace)
    }
  } finally {
    copies?.close({ isNeeded: removed.length > 0 })
  }
  if (removed.length === 0) return { removed }
  const { trash, clock } = options
  if (!trash || !copies) return { removed }
  keeper.use(({ catalogue }) => tidyTrash(trash, catalogue, clock))
  return { removed, backup: copies.file }
}

/** A power cut does not bring back what listeners hear of. */
async function announceRemoved(
  keeper: SessionDatabase,
  sessions: readonly SessionSummary[],
  { isRestorable }: Pick<RemovedSessionGroup, 'isRestorable'>,
): Promise<void> {
  if (sessions.length === 0) return
  await keeper.use(({ database }) => database.synced())
  await keeper.announce(SessionsRemoved, { sessions, isRestorable })
}

/** Resumes removals that a crash interrupted; resolves when all is done, or after the batch under way at the signal. */
export async function resumeRemovals(keeper: SessionDatabase, options: Omit<RemovalOptions, 'trash'>): Promise<void> {
  if (keeper.use(({ removals }) => removals.isEmpty())) return
  const pace = new Pace(keeper, options)
  pace.delete(() => {})
  await clearRemovals(keeper, pace)
}

/** Removes copies whose time is over. */
export function tidyTrash(trash: Trash, catalogue: Catalogue, clock: Clock): void {
  trash.tidy((limit) => isTimeSure(catalogue, clock.now(), limit))
}

/** The sizes of batches, and the pauses between them. */
class Pace {
  readonly deleted: BatchSize
  readonly copied: BatchSize
  readonly #keeper: SessionDatabase
  readonly #clock: Clock
  readonly #signal: AbortSignal | undefined
  #batches = 0

  constructor(keeper: SessionDatabase, { clock, signal }: Pick<RemovalOptions, 'clock' | 'signal'>) {
    this.#keeper = keeper
    this.#clock = clock
    this.#signal = signal
    this.deleted = new BatchSize(clock, DELETED)
    this.copied = new BatchSize(clock, COPIED)
  }

  /** One transaction: `first`, and then rows of what is being removed. */
  delete<T>(first: (tables: SessionTables) => T): T {
    return this.deleted.run((rows) =>
      this.#keeper.use((tables) =>
        tables.database.transaction(() => {
          const done = first(tables)
          tables.removals.removePart(rows)
          return done
        }),
      ),
    )
  }

  /** False when it is to end. */
  async pause(): Promise<boolean> {
    if (++this.#batches % BATCHES_A_CHECKPOINT === 0)
      this.#keeper.use(({ database }) => database.prepare('PRAGMA wal_checkpoint(PASSIVE)').all())
    await this.#clock.sleep(this.deleted.pauseMs(PAUSE_MS), this.#signal).catch(() => {})
    return this.#signal?.aborted !== true
  }
}

async function clearRemovals(keeper: SessionDatabase, pace: Pace): Promise<void> {
  while (!keeper.use(({ removals }) => removals.isEmpty()) && (await pace.pause())) pace.delete(() => {})
}

/** On the disk when it resolves; nothing is written where no copy is wanted. */
async function copyAll(
  keeper: SessionDatabase,
  batch: readonly SessionMark[],
  { copies, pace }: { readonly copies: TrashFile | undefined; readonly pace: Pace },
): Promise<Copied[]> {
  const copied: Copied[] = []
  for (const session of batch) {
    const row = keeper.use((tables) => findUnchanged(tables, session))
    if (!row) continue
    const state = keeper.use(({ catalogue }) => catalogue.state(row.number))
    if (copies) await copy(keeper, row, { copies, pace })
    copied.push({ row, state })
  }
  await copies?.keep()
  return copied
}

async function copy(
  keeper: SessionDatabase,
  row: SessionRow,
  { copies, pace }: { readonly copies: TrashFile; readonly pace: Pace },
): Promise<void> {
  const pieces = keeper.use((tables) => archivePieces(tables, row, { head: FORMAT, rows: () => pace.copied.size }))
  const isLarge = row.messageCount > COPIED.first
  for (let isDone = false; !isDone; ) {
    isDone = pace.copied.run(() => {
      const { done, value } = pieces.next()
      copies.write(done ? '\n' : value)
      return done === true
    })
    // A copy holds no lock: others need no pause, only this event loop does.
    if (isLarge) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Those that have not changed since they were copied. Copies are made without blocking writers. */
function hide(tables: SessionTables, copied: readonly Copied[]): SessionRow[] {
  const { catalogue, turns, removals } = tables
  const gone = copied.filter(({ row, state }) => catalogue.state(row.number) === state && !turns.isAtWork(row.number))
  for (const { row } of gone) removals.mark(row.number)
  return gone.map(({ row }) => row)
}

function findUnchanged({ catalogue, turns }: SessionTables, session: SessionMark): SessionRow | undefined {
  return catalogue.isAsMarked(session) && !turns.isAtWork(session.number) ? catalogue.find(session.id) : undefined
}

/** Small sessions share a transaction; a large one has several. */
function batchFrom(sessions: readonly SessionMark[], first: number, size: number): SessionMark[] {
  let end = first
  for (let weight = 0; end < sessions.length; end++) {
    weight += SESSION_WEIGHT + (sessions[end]?.messageCount ?? 0)
    if (weight > size && end > first) break
  }
  return sessions.slice(first, end)
}
