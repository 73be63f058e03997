/** Entries of plugins, stored with the session. */
import { defineSessionState, type Session, type SessionState, SvcError } from 'svc/sdk'
import type { SessionEntry } from 'svc/sdk/terminal'

/** An entry and how many messages stood before it. */
export interface StoredEntry extends SessionEntry {
  readonly after: number
}

const MAX_ENTRIES = 200
const MAX_CHARACTERS = 16_000
/** Of all entries as JSON: state of a session holds 1 MiB. */
const MAX_STORED = 900_000

const Entries: SessionState<readonly StoredEntry[]> = defineSessionState('tui-transcript:entries', {
  undo: 'restores',
  parse: (value) => (Array.isArray(value) ? value.filter(isStored) : undefined),
})

export function listEntries(session: Session): readonly StoredEntry[] {
  return session.state(Entries) ?? []
}

/** The entry as it is stored. Throws `ENTRY_INVALID`. */
export function storeEntry(session: Session, { kind, text, data }: SessionEntry): SessionEntry {
  const entry = { kind, text, ...(data !== undefined && { data: toPlain(data) }) }
  if (typeof kind !== 'string' || kind === '' || typeof text !== 'string' || text.length > MAX_CHARACTERS)
    throw invalid(`it needs a kind, and a text of at most ${MAX_CHARACTERS} characters`)
  let kept = [...listEntries(session), { ...entry, after: session.messages().length }].slice(-MAX_ENTRIES)
  while (kept.length > 1 && JSON.stringify(kept).length > MAX_STORED) kept = kept.slice(1)
  session.setState(Entries, kept)
  return entry
}

function toPlain(data: unknown): unknown {
  let text: string | undefined
  try {
    text = JSON.stringify(data)
  } catch (error) {
    throw invalid('its data cannot be written as JSON', error)
  }
  if (text === undefined || text.length > MAX_CHARACTERS)
    throw invalid(`its data is not JSON of at most ${MAX_CHARACTERS} characters`)
  return JSON.parse(text)
}

function invalid(why: string, cause?: unknown): SvcError {
  return new SvcError('ENTRY_INVALID', `An entry cannot be added to the conversation: ${why}.`, { status: 400, cause })
}

function isStored(value: unknown): value is StoredEntry {
  const { kind, text, after } = (value ?? {}) as Record<string, unknown>
  return typeof kind === 'string' && typeof text === 'string' && Number.isInteger(after)
}
