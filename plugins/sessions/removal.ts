/** Removes sessions a few at a time, so that neither other processes nor this one wait for long. */
import { type Clock, SvcError } from 'svc/sdk'
import type { Catalogue, SessionMark } from './catalogue.ts'
import type { Shelf, ShelfKeeper } from './shelf.ts'
import { isTimeSure } from './sure-time.ts'
import type { Trash, TrashFile } from './trash.ts'

/**
 * What one transaction copies and removes: about 20 ms on a slow machine. A session is never split, so that a crash leaves it whole
 * or removed.
 */
const BATCH_MESSAGES = 500
/** What a session costs beside its messages, in messages. */
const SESSION_WEIGHT = 5
/** SQLite gives the lock to whoever asks just then: without a pause as long as the work another process could wait in vain. */
const PAUSE_MS = 25

/** How a removal goes on. */
export interface RemovalOptions {
  readonly clock: Clock
  /** Ends it after the batch that is under way. */
  readonly signal?: AbortSignal
  /** Whatever is removed is kept there first; undefined leaves no copy. */
  readonly trash: Trash | undefined
}

/** What was removed, and the file with all of it. */
export interface Removed<T> {
  readonly removed: readonly T[]
  readonly backup?: string
}

/** Numbers of sessions with a turn at work. */
export function atWork({ catalogue, turns }: Shelf): ReadonlySet<number> {
  const open = catalogue.withOpenTurns(undefined).filter(({ number }) => turns.isAtWork(number))
  return new Set(open.map(({ number }) => number))
}

/** Each of them once. Throws `SESSION_NOT_FOUND` or `SESSION_IN_USE`. */
export function removable(shelf: Shelf, ids: readonly string[]): SessionMark[] {
  const busy = atWork(shelf)
  return [...new Set(ids)].map((id) => {
    const session = shelf.catalogue.mark(id)
    if (!busy.has(session.number)) return session
    throw new SvcError(
      'SESSION_IN_USE',
      `A turn is at work in session "${id}". Stop it or wait for its end, then try again. Nothing was removed.`,
      { status: 409 },
    )
  })
}

/**
 * What was used since it was marked stays. The first batch is removed when the call returns. Rejects with `SESSION_TRASH`
 * when a copy could not be written.
 */
export async function removeInBatches<T extends SessionMark>(
  keeper: ShelfKeeper,
  sessions: readonly T[],
  { clock, signal, trash }: RemovalOptions,
): Promise<Removed<T>> {
  const removed: T[] = []
  const copies = trash?.begin()
  try {
    for (const [at, batch] of batchesOf(sessions).entries()) {
      if (at > 0) await clock.sleep(PAUSE_MS, signal).catch(() => {})
      if (signal?.aborted) break
      const gone = keeper.use((shelf) => shelf.journal.exclusively(() => removeBatch(shelf, batch, copies)))
      for (const session of gone) removed.push(session)
    }
  } finally {
    copies?.close()
  }
  if (removed.length === 0 || !trash || !copies) return { removed }
  keeper.use(({ catalogue }) => tidyTrash(trash, catalogue, clock))
  return { removed, backup: copies.file }
}

/** Removes copies whose time is over. */
export function tidyTrash(trash: Trash, catalogue: Catalogue, clock: Clock): void {
  trash.tidy((limit) => isTimeSure(catalogue, clock.now(), limit))
}

/** The copies are taken while nobody else can write, so that they are what is removed. */
function removeBatch<T extends SessionMark>(shelf: Shelf, batch: readonly T[], copies: TrashFile | undefined): T[] {
  const gone = batch.filter((session) => shelf.catalogue.isAsMarked(session) && !shelf.turns.isAtWork(session.number))
  if (gone.length === 0) return []
  copies?.keep(
    shelf,
    gone.map(({ id }) => id),
  )
  for (const { number } of gone) shelf.catalogue.remove(number)
  return gone
}

function batchesOf<T extends SessionMark>(sessions: readonly T[]): T[][] {
  const batches: T[][] = []
  let room = 0
  for (const session of sessions) {
    const weight = SESSION_WEIGHT + session.messageCount
    const batch = batches.at(-1)
    if (batch && weight <= room) batch.push(session)
    else {
      batches.push([session])
      room = BATCH_MESSAGES
    }
    room -= weight
  }
  return batches
}
