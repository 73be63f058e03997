/** A session as plain data, to be kept outside of the database and brought back. */
import { SvcError, type TurnEvent } from 'svc/sdk'
import type { SessionArchive } from 'svc/sdk/sessions'
import { type Catalogue, type SessionRow, toSummary } from './catalogue.ts'
import type { StoredMessage } from './journal.ts'
import type { SessionTables } from './session-database.ts'
import { archivedState, stateRow } from './states.ts'

/** How often a session is read again that another process writes to meanwhile, before it has to wait. */
const READINGS = 3

/** Throws `SESSION_NOT_FOUND`. */
export function exportSession(tables: SessionTables, id: string): SessionArchive {
  return atOneMoment(tables, id, (row) => readAll(tables, row))
}

/** Reads without keeping others from writing, unless they write all the time. Throws `SESSION_NOT_FOUND`. */
export function atOneMoment<T>({ catalogue, database }: SessionTables, id: string, read: (row: SessionRow) => T): T {
  for (let reading = 0; reading < READINGS; reading++) {
    const row = catalogue.find(id)
    const before = catalogue.state(row.number)
    const found = read(row)
    if (catalogue.state(row.number) === before) return found
  }
  return database.transaction(() => read(catalogue.find(id)))
}

function readAll(tables: SessionTables, row: SessionRow): SessionArchive {
  const { catalogue, journal } = tables
  const systemPrompt = catalogue.systemPrompt(row.number)
  const events = journal.events(row, 0)
  const kept = new Map(events.flatMap((event) => keptText(catalogue, event)))
  return {
    session: toSummary(row),
    ...(systemPrompt !== undefined && { systemPrompt }),
    messages: journal.messages(row, 0).map(toArchived),
    events,
    ...collectChanges(tables, row),
    ...(kept.size > 0 && { kept: Object.fromEntries(kept) }),
  }
}

/**
 * The JSON of an archive in pieces, each of at most `rows()` rows of the database, asked for before each. Others may write in
 * between: it is whole only if `Catalogue.state` is the same before and after. `head` comes before the other keys.
 */
export function* archivePieces(
  tables: SessionTables,
  row: SessionRow,
  { head, rows }: { readonly head: Readonly<Record<string, unknown>>; readonly rows: () => number },
): Generator<string, void> {
  const { catalogue, journal } = tables
  const systemPrompt = catalogue.systemPrompt(row.number)
  const top = JSON.stringify({ ...head, session: toSummary(row), ...(systemPrompt !== undefined && { systemPrompt }) })
  yield `${top.slice(0, -1)},"messages":[`
  for (let after = 0, part = journal.messagesPart(row, after, rows()); part.length > 0; ) {
    yield elements(part.map(toArchived), after === 0)
    after = part.at(-1)?.position ?? after
    part = journal.messagesPart(row, after, rows())
  }
  yield '],"events":['
  const kept = new Map<string, string>()
  for (let after = 0, part = journal.eventsPart(row, after, rows()); part.length > 0; ) {
    for (const event of part) for (const [digest, text] of keptText(catalogue, event)) kept.set(digest, text)
    yield elements(part, after === 0)
    after = part.at(-1)?.seq ?? after
    part = journal.eventsPart(row, after, rows())
  }
  const rest = {
    ...collectChanges(tables, row),
    ...(kept.size > 0 && { kept: Object.fromEntries(kept) }),
  }
  const bottom = JSON.stringify(rest)
  yield bottom === '{}' ? ']}' : `],${bottom.slice(1)}`
}

function elements(values: readonly unknown[], isFirst: boolean): string {
  const text = JSON.stringify(values).slice(1, -1)
  return isFirst ? text : `,${text}`
}

export const toArchived = ({ message, at, turnId, seq }: StoredMessage) => ({ message, at, turnId, seq })

/** The text that an event refers to by its digest: a list of one or none. */
function keptText(catalogue: Catalogue, event: TurnEvent): [string, string][] {
  if (event.type !== 'turn.start' || !event.tools) return []
  const text = catalogue.kept(event.tools)
  return text === undefined ? [] : [[event.tools, text]]
}

/** What was taken back or compressed, and what plugins stored. */
export function collectChanges(
  { edits, states }: SessionTables,
  { number }: SessionRow,
): Pick<SessionArchive, 'edits' | 'states'> {
  const stored = edits.of(number)
  const ids = stored.map(({ id }) => id)
  const changes = stored.map(({ id: _, first, last, ...edit }) => ({ ...edit, first: first - 1, last: last - 1 }))
  const values = states.all(number).map((row) => archivedState(row, ids))
  return { ...(changes.length > 0 && { edits: changes }), ...(values.length > 0 && { states: values }) }
}

/** Whether nothing happened in it yet: then it is as it was made. */
function isNew({ session, messages, events }: SessionArchive): boolean {
  const { updatedAt, createdAt, usage } = session
  return updatedAt === createdAt && messages.length + events.length + Object.keys(usage).length === 0
}

/** Writes a session under its own id, in one commit. Throws `SESSION_EXISTS`. */
export function importSession(
  { catalogue, journal, edits, states, turns, database }: SessionTables,
  archive: SessionArchive,
  soon: boolean,
): void {
  const { session, systemPrompt, messages, events } = archive
  const { id, surface, cwd, title, createdAt: at, parent, branchedAt } = session
  database.transaction(
    () => {
      const branch = { ...(parent !== undefined && { parent }), ...(branchedAt !== undefined && { branchedAt }) }
      const entry = { id, surface, cwd, title, at, ...branch }
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
      const ids = (archive.edits ?? []).map(({ first, last, ...edit }) =>
        edits.add(number, { ...edit, first: first + 1, last: last + 1 }),
      )
      for (const state of archive.states ?? []) states.add(number, stateRow(state, ids))
      turns.restore(number, events, at)
      if (!isNew(archive)) catalogue.restore(number, session, messages.length)
    },
    { soon, sync: !soon },
  )
}
