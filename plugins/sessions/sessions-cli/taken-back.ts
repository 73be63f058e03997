/** A session without what its user took back, for files that leave this machine and for readers. */
import type { Message } from 'svc/sdk'
import type { SessionArchive, SessionReader, SessionRewrite } from 'svc/sdk/sessions'

type Recorded = SessionArchive['messages'][number]

interface Range {
  readonly first: number
  readonly last: number
}

/**
 * The session without messages that were taken back and the events that brought them. What is written from it is a sound
 * archive: an import reads the same conversation. What was taken back cannot be brought back from it.
 */
export function withoutTakenBack(reader: SessionReader): SessionReader {
  const { edits = [] } = reader
  const gone = edits.filter(({ kind }) => kind === 'rewound')
  if (gone.length === 0) return reader
  const isGone = (at: number) => gone.some((range) => isWithin(at, range))
  const inserted = new Map(
    keepLastEdits(gone).map(({ last, at, seq, messages }) => [
      last,
      // The rest of an edited summary does not represent recorded messages.
      messages.map((message): Recorded => ({ message, at, turnId: '', seq })),
    ]),
  )
  const { places, length, turns, isTitleGone } = survey(reader, isGone, inserted)
  const others = edits
    .filter((edit) => edit.kind !== 'rewound')
    .flatMap((edit) => moveEdit(edit, places, length, isGone))
  const { edits: _, labels = [], session, ...rest } = reader
  const { title: __, ...untitled } = session
  const labelsLeft = labels.flatMap(({ text, at }) => (isGone(at - 1) ? [] : [{ text, at: (places[at - 1] ?? 0) + 1 }]))
  return {
    ...rest,
    session: isTitleGone ? untitled : session,
    length,
    messages: () => messagesLeft(reader, isGone, inserted),
    events: () => eventsLeft(reader, turns),
    ...(others.length > 0 && { edits: others }),
    ...(labelsLeft.length > 0 && { labels: labelsLeft }),
  }
}

/** Messages that stand behind an old place in place of what was taken back. */
type Inserted = ReadonlyMap<number, readonly Recorded[]>

/** What a first reading finds out, without keeping the messages. */
function survey(reader: SessionReader, isGone: (at: number) => boolean, inserted: Inserted) {
  /** The new index of each old one; a removed message has the index of the next. */
  const places: number[] = []
  /** For each turn with removed messages: the last event of a remaining message; 0 if there is none. */
  const turns = new Map<string, number>()
  const left = new Map<string, number>()
  let length = 0
  let isTitleGone = false
  for (const { message, turnId, seq } of reader.messages()) {
    const at = places.length
    places.push(length)
    if (isGone(at)) {
      turns.set(turnId, 0)
      isTitleGone ||= isNamedAfter(reader.session, message)
    } else {
      length++
      left.set(turnId, seq)
    }
    length += inserted.get(at)?.length ?? 0
  }
  for (const turnId of turns.keys()) turns.set(turnId, left.get(turnId) ?? 0)
  return { places, length, turns, isTitleGone }
}

function* messagesLeft(reader: SessionReader, isGone: (at: number) => boolean, inserted: Inserted) {
  let at = 0
  for (const recorded of reader.messages()) {
    if (!isGone(at)) yield recorded
    yield* inserted.get(at) ?? []
    at++
  }
}

/** Without turns that have no remaining messages; of others without events after their last remaining message. */
function* eventsLeft(reader: SessionReader, turns: ReadonlyMap<string, number>) {
  for (const event of reader.events()) {
    const end = turns.get(event.turnId)
    if (end === undefined || (end > 0 && (event.seq <= end || event.type === 'turn.end'))) yield event
  }
}

function isWithin(at: number, { first, last }: Range): boolean {
  return at >= first && at <= last
}

/** Of edits that end at the same place the newest says what is read there. */
function keepLastEdits(edits: readonly SessionRewrite[]): SessionRewrite[] {
  return edits.filter(
    (edit, at) => !edits.slice(at + 1).some(({ first, last }) => edit.first >= first && edit.last <= last),
  )
}

/** An edit at its new positions; empty if none of its messages remain. */
function moveEdit(
  edit: SessionRewrite,
  places: readonly number[],
  count: number,
  isGone: (at: number) => boolean,
): SessionRewrite[] {
  const covered = Array.from({ length: edit.last - edit.first + 1 }, (_, index) => edit.first + index)
  if (covered.every(isGone)) return []
  const first = places[edit.first] ?? 0
  return [{ ...edit, first, last: (places[edit.last + 1] ?? count) - 1 }]
}

/** A title taken from a removed message is removed with it. */
function isNamedAfter({ title }: SessionReader['session'], { role, text }: Message): boolean {
  return role === 'user' && title !== undefined && text.includes(title)
}
