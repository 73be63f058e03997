/** A session as plain data, to be kept outside of the database and brought back. */
import { type SessionArchive, SvcError } from 'svc/sdk'
import { toSummary } from './catalogue.ts'
import type { Shelf } from './shelf.ts'

/** Reads a session in one moment. Throws `SESSION_NOT_FOUND`. */
export function exportSession({ catalogue, journal, edits, database }: Shelf, id: string): SessionArchive {
  return database.transaction(() => {
    const row = catalogue.find(id)
    const systemPrompt = catalogue.systemPrompt(row.number)
    const events = journal.events(row, 0)
    const kept = events.flatMap((event) => {
      const text = event.type === 'turn.start' && event.tools ? catalogue.kept(event.tools) : undefined
      return event.type === 'turn.start' && event.tools && text !== undefined ? [[event.tools, text]] : []
    })
    const changes = edits.of(row.number).map(({ id: _, first, last, ...edit }) => {
      return { ...edit, first: first - 1, last: last - 1 }
    })
    return {
      session: toSummary(row),
      ...(systemPrompt !== undefined && { systemPrompt }),
      messages: journal.messages(row, 0).map(({ message, at, turnId, seq }) => ({ message, at, turnId, seq })),
      events,
      ...(changes.length > 0 && { edits: changes }),
      ...(kept.length > 0 && { kept: Object.fromEntries(kept) }),
    }
  })
}

/** Whether nothing happened in it yet: then it is as it was made. */
function isNew({ session, messages, events }: SessionArchive): boolean {
  const { updatedAt, createdAt, usage } = session
  return updatedAt === createdAt && messages.length + events.length + Object.keys(usage).length === 0
}

/** Writes a session under its own id, in one commit. Throws `SESSION_EXISTS`. */
export function importSession(
  { catalogue, journal, edits, turns, database }: Shelf,
  archive: SessionArchive,
  soon: boolean,
): void {
  const { session, systemPrompt, messages, events } = archive
  const { id, surface, cwd, title, createdAt: at, parent } = session
  database.transaction(
    () => {
      const entry = { id, surface, cwd, title, at, ...(parent !== undefined && { parent }) }
      const number = catalogue.insert(entry)
      if (number === undefined)
        throw new SvcError(
          'SESSION_EXISTS',
          `Session "${id}" is already there and was left as it is. To bring in this one, remove that one first.`,
          { status: 409 },
        )
      if (systemPrompt !== undefined) catalogue.setSystemPrompt(number, systemPrompt)
      catalogue.keepAll(archive.kept ?? {})
      journal.restore(number, { events, messages })
      for (const { first, last, ...edit } of archive.edits ?? [])
        edits.add(number, { ...edit, first: first + 1, last: last + 1 })
      turns.restore(number, events, at)
      if (!isNew(archive)) catalogue.restore(number, session, messages.length)
    },
    { soon, sync: !soon },
  )
}
