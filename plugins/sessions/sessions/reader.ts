/** A session that is read part by part, so that memory does not grow with its size. */
import { SvcError, type TurnEvent } from 'svc/sdk'
import type { SessionArchive, SessionReader } from 'svc/sdk/sessions'
import { atOneMoment, collectChanges, toArchived } from './archive.ts'
import { type SessionRow, toSummary } from './catalogue.ts'
import type { SessionTables } from './session-database.ts'

/** Rows of a part, or as many pages. */
const PART = 100

/** Runs with the open database. */
export type UseTables = <T>(work: (tables: SessionTables) => T) => T

/**
 * Contract: `Sessions.read` of the SDK. Nothing is ever changed among the recorded messages and events, so their last places
 * are enough to leave out what is written later.
 */
export function readSession(use: UseTables, id: string): SessionReader {
  const { row, top, lastSeq, length } = use((tables) =>
    atOneMoment(tables, id, (row) => {
      const { catalogue, journal } = tables
      const systemPrompt = catalogue.systemPrompt(row.number)
      return {
        row,
        top: {
          session: toSummary(row),
          ...(systemPrompt !== undefined && { systemPrompt }),
          ...collectChanges(tables, row),
        },
        lastSeq: journal.lastSeq(row.number),
        length: journal.lastPosition(row.number),
      }
    }),
  )
  return {
    ...top,
    length,
    messages: () => readMessages(use, row, length),
    events: () => readEvents(use, row, lastSeq),
    kept: (digest) => use(({ catalogue }) => catalogue.kept(digest)),
  }
}

function* readMessages(
  use: UseTables,
  row: SessionRow,
  last: number,
): Generator<SessionArchive['messages'][number], void> {
  for (let after = 0; after < last; ) {
    const part = use(({ journal }) => journal.messagesPart(row, after, PART))
    const next = part.at(-1)?.position
    if (next === undefined) throw removedMeanwhile(row)
    for (const message of part) if (message.position <= last) yield toArchived(message)
    after = next
  }
}

function* readEvents(use: UseTables, row: SessionRow, last: number): Generator<TurnEvent, void> {
  for (let after = 0; after < last; ) {
    const part = use(({ journal }) => journal.eventsPart(row, after, PART))
    const next = part.at(-1)?.seq
    if (next === undefined) throw removedMeanwhile(row)
    for (const event of part) if (event.seq <= last) yield event
    after = next
  }
}

function removedMeanwhile({ id }: SessionRow): SvcError {
  return new SvcError('SESSION_NOT_FOUND', `Session "${id}" was removed while it was read.`, { status: 404 })
}
