/** A session without what its user took back, for files that leave this machine and for readers. */
import type { Message, SessionArchive, SessionEdit } from 'svc/sdk'

type Recorded = SessionArchive['messages'][number]

interface Range {
  readonly first: number
  readonly last: number
}

/**
 * The archive without messages that were taken back and the events that brought them. It is a sound archive: an import
 * reads the same conversation. What was taken back cannot be brought back from it.
 */
export function withoutTakenBack(archive: SessionArchive): SessionArchive {
  const { messages, edits = [] } = archive
  const gone = edits.filter(({ kind }) => kind === 'rewound')
  if (gone.length === 0) return archive
  const isGone = (at: number) => gone.some((range) => isWithin(at, range))
  const left = new Map(lastOf(gone).map((edit) => [edit.last, edit]))
  const kept: Recorded[] = []
  /** The new place of each old one; a message that is gone has the place of the next. */
  const places: number[] = []
  for (const [at, recorded] of messages.entries()) {
    places.push(kept.length)
    if (!isGone(at)) kept.push(recorded)
    const edit = left.get(at)
    // What an edit left of a summary stands for nothing that is still recorded.
    if (edit) kept.push(...edit.messages.map((message) => ({ message, at: edit.at, turnId: '', seq: edit.seq })))
  }
  const others = edits
    .filter((edit) => edit.kind !== 'rewound')
    .flatMap((edit) => moved(edit, places, kept.length, isGone))
  const { edits: _, labels = [], session, ...rest } = archive
  const labelsLeft = labels.flatMap(({ text, at }) => (isGone(at - 1) ? [] : [{ text, at: (places[at - 1] ?? 0) + 1 }]))
  const dropped = messages.filter((__, at) => isGone(at))
  return {
    ...rest,
    session: summaryOf(session, messages, isGone),
    messages: kept,
    events: eventsWithout(archive, dropped),
    ...(others.length > 0 && { edits: others }),
    ...(labelsLeft.length > 0 && { labels: labelsLeft }),
  }
}

function isWithin(at: number, { first, last }: Range): boolean {
  return at >= first && at <= last
}

/** Of edits that end at the same place the newest says what is read there. */
function lastOf(edits: readonly SessionEdit[]): SessionEdit[] {
  return edits.filter(
    (edit, at) => !edits.slice(at + 1).some(({ first, last }) => edit.first >= first && edit.last <= last),
  )
}

/** An edit at its new places; none when nothing of what it covers is left. */
function moved(
  edit: SessionEdit,
  places: readonly number[],
  count: number,
  isGone: (at: number) => boolean,
): SessionEdit[] {
  const covered = Array.from({ length: edit.last - edit.first + 1 }, (_, index) => edit.first + index)
  if (covered.every(isGone)) return []
  const first = places[edit.first] ?? 0
  return [{ ...edit, first, last: (places[edit.last + 1] ?? count) - 1 }]
}

/** A title that is the beginning of a message that is gone goes with it. */
function summaryOf(
  session: SessionArchive['session'],
  messages: readonly Recorded[],
  isGone: (at: number) => boolean,
): SessionArchive['session'] {
  const { title, ...rest } = session
  const isNamedAfter = ({ role, text }: Message) => role === 'user' && title !== undefined && text.includes(title)
  const isTitleGone = messages.some(({ message }, at) => isGone(at) && isNamedAfter(message))
  return title === undefined || isTitleGone ? rest : session
}

/** Without the turns of which no message is left; of others without what came after their last message that is left. */
function eventsWithout({ messages, events }: SessionArchive, dropped: readonly Recorded[]): SessionArchive['events'] {
  const isDropped = new Set(dropped)
  const cut = new Set(dropped.map(({ turnId }) => turnId))
  const left = new Map<string, number>()
  for (const each of messages) if (!isDropped.has(each)) left.set(each.turnId, each.seq)
  return events.filter(({ turnId, seq, type }) => {
    if (!cut.has(turnId)) return true
    const end = left.get(turnId)
    return end !== undefined && (seq <= end || type === 'turn.end')
  })
}
