/** Entries of all sources, under ids that name their source. */
import { SvcError } from 'svc/sdk'
import type { LearnedEntry, LearningSource } from 'svc/sdk/skills'

export interface JourneyDeps {
  sources(): readonly LearningSource[]
  /** Empty for a session without a title, undefined for one that is not stored. */
  sessionTitle(id: string): string | undefined
  /** Told of a source that could not be read; the others are shown. */
  failed(source: string, error: unknown): void
}

export interface Entry extends Omit<LearnedEntry, 'id'> {
  /** `source:id`. */
  readonly id: string
  readonly kind: string
  /** Of its kind. */
  readonly heading: string
}

export async function listEntries({ sources, failed }: JourneyDeps, signal: AbortSignal): Promise<readonly Entry[]> {
  const lists = sources().map(async (source) => {
    const { name, kind } = source
    const entries = await source.list(signal).catch((error: unknown) => {
      signal.throwIfAborted()
      failed(name, error)
      return []
    })
    return entries.map((entry) => ({ ...entry, id: `${name}:${entry.id}`, kind, heading: source.title() }))
  })
  return (await Promise.all(lists)).flat()
}

/** The source of an entry and its id there. Throws `JOURNEY_UNKNOWN`. */
export function findSource({ sources }: JourneyDeps, id: string) {
  const at = id.indexOf(':')
  const source = sources().find(({ name }) => name === id.slice(0, at))
  if (source) return { source, own: id.slice(at + 1) }
  throw unknown(id)
}

/** Throws `JOURNEY_UNKNOWN`. */
export async function findEntry(deps: JourneyDeps, id: string, signal: AbortSignal): Promise<Entry> {
  findSource(deps, id)
  const found = (await listEntries(deps, signal)).find((entry) => entry.id === id)
  if (found) return found
  throw unknown(id)
}

/** Throws `JOURNEY_UNKNOWN`, `JOURNEY_FIXED` and what the source says. Resolves with the id that the entry has then. */
export async function editEntry(
  deps: JourneyDeps,
  id: string,
  change: Parameters<LearningSource['edit']>[1],
): Promise<string> {
  requireRight(await findEntry(deps, id, change.signal), 'canEdit')
  const { source, own } = findSource(deps, id)
  return `${source.name}:${await source.edit(own, change)}`
}

/** Throws `JOURNEY_UNKNOWN`, `JOURNEY_FIXED` and what the source says. */
export async function removeEntry(deps: JourneyDeps, id: string, signal: AbortSignal): Promise<void> {
  requireRight(await findEntry(deps, id, signal), 'canRemove')
  const { source, own } = findSource(deps, id)
  await source.remove(own, signal)
}

function requireRight(entry: Entry, right: 'canEdit' | 'canRemove'): void {
  if (entry[right]) return
  const what = right === 'canEdit' ? 'changed' : 'removed'
  const message = `${JSON.stringify(entry.title.slice(0, 80))} cannot be ${what} here: it is not of this home, or holds what is not shown.`
  throw new SvcError('JOURNEY_FIXED', message, { status: 409 })
}

function unknown(id: string): SvcError {
  const message = `Nothing that was learned has the id ${JSON.stringify(id.slice(0, 100))}. It was changed or removed meanwhile.`
  return new SvcError('JOURNEY_UNKNOWN', message, { status: 404 })
}
