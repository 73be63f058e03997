/** The live feed: batches of events in the order of their commit, none twice and none left out. */
import type { Boards, TaskEventQuery } from 'svc/sdk/kanban'
import { formatServerEvent } from 'svc/sdk/web'
import { toEvent } from './wire.ts'

/** Events in one batch. */
const BATCH = 200

interface FeedOptions {
  readonly boards: Boards
  readonly query: Pick<TaskEventQuery, 'board' | 'taskId' | 'kinds'>
  /** A cursor; undefined: what happens from now on. */
  readonly since: number | undefined
  readonly signal: AbortSignal
}

/** Events of a page, with the cursor behind them. */
export async function readPage(boards: Boards, query: FeedOptions['query'], since: number | undefined, limit: number) {
  const events = await boards.events({ ...query, limit, ...(since !== undefined && { after: since }) })
  return { events: events.map(toEvent), cursor: events.at(-1)?.id ?? since ?? (await findCursor(boards, query)) }
}

/** Texts of server-sent events. */
export async function* follow(options: FeedOptions): AsyncGenerator<string> {
  for await (const batch of followBatches(options)) yield formatServerEvent(batch, { name: 'events', id: batch.cursor })
}

interface Batch {
  readonly events: readonly ReturnType<typeof toEvent>[]
  readonly cursor: number
}

/**
 * Batches until the signal aborts. The first one has the cursor, though nothing happened yet: a client that is cut
 * off before anything happens misses nothing either.
 */
export async function* followBatches({ boards, query, since, signal }: FeedOptions): AsyncGenerator<Batch> {
  let wake: () => void = () => {}
  let isDirty = true
  const stop = () => wake()
  // Before the first page is read: what is committed in between is told by it.
  await using _watching = await boards.watch((board) => {
    if (board !== undefined && typeof query.board === 'string' && board !== query.board) return
    isDirty = true
    wake()
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    let cursor = since ?? (await findCursor(boards, query))
    yield { events: [], cursor }
    while (!signal.aborted) {
      isDirty = false
      const events = await boards.events({ ...query, after: cursor, limit: BATCH })
      cursor = events.at(-1)?.id ?? cursor
      if (events.length > 0) yield { events: events.map(toEvent), cursor }
      if (events.length === BATCH || isDirty || signal.aborted) continue
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      wake = () => {}
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Of the newest event, whatever it is about. */
async function findCursor(boards: Boards, query: FeedOptions['query']): Promise<number> {
  const board = query.board === undefined ? {} : { board: query.board }
  return (await boards.events({ ...board, limit: 1 })).at(-1)?.id ?? 0
}
