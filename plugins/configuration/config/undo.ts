/** Takes one change back and leaves what came after it. */
import { isDeepStrictEqual } from 'node:util'
import { errorCode, SvcError } from 'svc/sdk'
import { formatConfigPath, getAtPath } from 'svc/sdk/host'
import { isUnder } from './config-blocks.ts'
import type { ConfigText } from './config-text.ts'
import { editEnv, readEnv } from './env-edit.ts'
import type { FileChange, JournalEntry, Texts } from './journal.ts'
import type { Path } from './json-schema.ts'
import type { State } from './writer.ts'

/** The change to take back: the newest that still stands and is no undo itself, or the one that is named. */
export function undoable(newestFirst: readonly JournalEntry[], id: number | undefined): JournalEntry {
  const undoneBy = mapUndone(newestFirst)
  const entry = newestFirst.find((one) =>
    id === undefined ? one.undoes === undefined && !undoneBy.has(one.id) : one.id === id,
  )
  if (!entry) throw unknown(id === undefined ? 'There is no change to take back.' : `There is no change ${id}.`)
  const by = undoneBy.get(entry.id)
  if (by !== undefined)
    throw unknown(`Change ${entry.id} was taken back by change ${by}; to bring it back: svc config undo ${by}.`)
  return entry
}

/** Changes that do not stand any more, with the change that took them back. */
export function mapUndone(newestFirst: readonly JournalEntry[]): Map<number, number> {
  const undoneBy = new Map<number, number>()
  for (const { id, undoes } of newestFirst) if (undoes !== undefined && !undoneBy.has(id)) undoneBy.set(undoes, id)
  return undoneBy
}

/** Both texts without a change. Throws `CONFIG_UNDO_CONFLICT` when later edits touch it. */
export async function takenBack(entry: JournalEntry, texts: Texts, now: State, yaml: ConfigText): Promise<State> {
  const merge: Language['merge'] = (base, ours, theirs) => yaml.merge(base, ours, theirs)
  const config: Language = {
    file: yaml.file,
    read: async (text) => (await yaml.read(text)).values,
    edit: (text, path, value) => yaml.edit(text, [{ path, value }]),
    merge,
  }
  const env: Language = {
    file: '.env',
    read: async (text) => readEnv(text),
    edit: async (text, [name = ''], value) => editEnv(text, [{ name, value: value as string | undefined }]),
    merge,
  }
  return {
    config: texts.config ? await withoutChange(entry, texts.config, now.config, config) : now.config,
    env: texts.env ? await withoutChange(entry, texts.env, now.env, env) : now.env,
  }
}

/** How a file is read and edited. */
interface Language {
  readonly file: string
  readonly read: (text: string) => Promise<object>
  readonly edit: (text: string, path: Path, value: unknown) => Promise<string>
  readonly merge: ConfigText['merge']
}

/** Lines first, because they bring comments and quotes back; where lines do not fit any more, values. */
async function withoutChange(
  entry: JournalEntry,
  { before, after = '' }: FileChange,
  now = '',
  language: Language,
): Promise<string | undefined> {
  // The version that a new file began with stays as long as the file does.
  const original = before ?? /^config_version: \d+\n/.exec(after)?.[0] ?? ''
  const result =
    (await byLines(after, now, original, language)) ?? (await byValues(entry, after, now, original, language))
  return result === original && before === undefined ? undefined : result
}

async function byLines(
  after: string,
  now: string,
  original: string,
  { read, merge }: Language,
): Promise<string | undefined> {
  const current = await read(now)
  const merged = await merge(after, now, original)
  if ('conflictLine' in merged) return undefined
  try {
    const fits = keepsTheRest(await read(after), await read(original), current, await read(merged.text))
    return fits ? merged.text : undefined
  } catch (error) {
    if (errorCode(error) === 'CONFIG_UNREADABLE') return undefined
    throw error
  }
}

async function byValues(
  entry: JournalEntry,
  after: string,
  now: string,
  original: string,
  { file, read, edit }: Language,
): Promise<string> {
  const [from, to] = [await read(after), await read(original)]
  let text = now
  for (const path of differingPaths(from, to)) {
    if (!isDeepStrictEqual(getAtPath(await read(text), path), getAtPath(from, path)))
      throw conflict(entry, `${formatConfigPath(path)} in ${file} was changed since`)
    text = await edit(text, path, getAtPath(to, path))
  }
  return text
}

/** What differs between now and the result is what the change had touched, and nothing else. */
function keepsTheRest(after: object, before: object, now: object, result: object): boolean {
  const touched = differingPaths(after, before)
  return differingPaths(now, result).every((path) =>
    touched.some((other) => isUnder(path, other) || isUnder(other, path)),
  )
}

/** The paths of the values in which two mappings differ; lists count as one value. */
function differingPaths(a: unknown, b: unknown, path: Path = []): Path[] {
  if (isDeepStrictEqual(a, b)) return []
  const keys = [...new Set([a, b].flatMap((side) => (isMapping(side) ? Object.keys(side) : [])))]
  const isBlock = [a, b].every((side) => side === undefined || isMapping(side)) && keys.length > 0
  if (!isBlock) return [path]
  return keys.flatMap((key) => differingPaths(getAtPath(a, [key]), getAtPath(b, [key]), [...path, key]))
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unknown(what: string): SvcError {
  return new SvcError('CONFIG_UNDO_UNKNOWN', `${what} To see the changes: svc config undo --list`, { status: 404 })
}

function conflict({ id, reason }: JournalEntry, why: string): SvcError {
  const message = `Change ${id} (${reason}) cannot be taken back alone: ${why}.`
  return new SvcError(
    'CONFIG_UNDO_CONFLICT',
    `${message} To see it: svc config diff ${id}; to change it by hand: svc config edit.`,
    { status: 409 },
  )
}
