/** The work of `search_files` in another environment, by the programs that are there. */
import { join, posix } from 'node:path'
import { missingThere, pathThere, type There } from './environment-files.ts'
import { fileError } from './file-error.ts'
import { notRegular } from './opened.ts'
import { chooseStyle, excerpt, matching, readPattern } from './own-search.ts'
import { checkReadable, isListable, isReadable } from './protection.ts'
import {
  formatCount,
  formatList,
  MAX_CONTEXT,
  MAX_NAMES,
  type Range,
  type SearchData,
  type Shown,
  showFiles,
  showLines,
} from './search-shown.ts'
import type { FileDeps, SearchInput } from './tools.ts'

/** Matching lines that are fetched to count them or their files. */
const MAX_COUNTED = 50_000

interface Searching {
  readonly deps: FileDeps
  readonly signal: AbortSignal
}

/** What is searched. */
interface Scope {
  readonly folder: string
  readonly shownFolder: string
  readonly file?: string
}

/** Throws a `FILE_...` or `SEARCH_...` error, or the reason of the signal. */
export async function searchThere(
  input: SearchInput,
  there: There,
  range: Range,
  { deps, signal }: Searching,
): Promise<Shown> {
  const asked = pathThere(input.path, there)
  try {
    const info = await there.files.info(asked, { signal })
    if (info.kind === 'missing') await missingThere(info.path, there)
    if (info.kind === 'other') throw notRegular(asked)
    checkReadable(info.path, there.places)
    const scope: Scope =
      info.kind === 'folder'
        ? { folder: info.path, shownFolder: input.path }
        : {
            folder: posix.dirname(info.path),
            shownFolder: posix.dirname(input.path),
            file: posix.basename(info.path),
          }
    if (input.mode === 'names') return await findNames(input, there, scope, range, signal)
    return await findLines(input, there, scope, range, { deps, signal })
  } catch (error) {
    throw signal.aborted ? signal.reason : fileError(error, asked)
  }
}

async function findNames(
  input: SearchInput,
  there: There,
  { folder, shownFolder, file }: Scope,
  { offset, limit }: Range,
  signal: AbortSignal,
): Promise<Shown> {
  const { files, places } = there
  const glob = input.glob === undefined ? {} : { glob: input.glob }
  const listed = file === undefined ? await files.names(folder, { ...glob, limit: MAX_NAMES, signal }) : undefined
  const all = (listed?.paths ?? [file ?? '']).filter((path) => isListable(join(folder, path), places))
  const { expression, note } = readPattern(input.pattern)
  const found = matching(all, expression)
  const names = found.slice(offset, offset + limit).map((path) => ({ path: join(shownFolder, path) }))
  const header = `${formatCount(found.length, 'name', 'names')} of ${formatCount(all.length, 'file', 'files')}`
  const data: SearchData = { matches: [], files: names, cut: found.length > offset + limit }
  const notes = [
    ...(note === undefined ? [] : [note]),
    ...(listed?.cut ? [`only the first ${MAX_NAMES} names were looked at`] : []),
  ]
  return {
    text: formatList(
      header,
      names.map(({ path }) => path),
    ),
    data,
    notes,
  }
}

async function findLines(
  input: SearchInput,
  there: There,
  scope: Scope,
  range: Range,
  { deps, signal }: Searching,
): Promise<Shown> {
  const ofLines = input.mode === 'content'
  const context = ofLines ? Math.min(MAX_CONTEXT, Math.floor(input.context)) : 0
  const { lines: found, notes } = await search(input, there, scope, {
    context,
    limit: ofLines ? range.offset + range.limit + 1 : MAX_COUNTED,
    signal,
  })
  const lines = found.filter(({ path }) => isReadable(join(scope.folder, path), there.places))
  const style = chooseStyle(context)
  if (ofLines) {
    const cut = lines.map((line) => ({ ...line, text: excerpt(line.text, 0, style) }))
    const shown = showLines(cut, scope, range, deps)
    return { text: formatList(shown.header, shown.text), data: shown.data, notes }
  }
  const counts = new Map<string, number>()
  for (const { path } of lines) counts.set(path, (counts.get(path) ?? 0) + 1)
  const files = [...counts].map(([path, matches]) => ({ path, matches }))
  const shown = showFiles(files, scope, range, input)
  return { text: formatList(shown.header, shown.text), data: shown.data, notes }
}

/** A pattern that does not parse there is taken literally, and that is said. */
async function search(
  { pattern, glob, mode }: SearchInput,
  { files, label }: There,
  { folder, file }: Scope,
  { context, limit, signal }: { readonly context: number; readonly limit: number; readonly signal: AbortSignal },
) {
  const request = {
    ...{ pattern, context, limit, signal },
    ...(file !== undefined && { file }),
    ...(glob !== undefined && file === undefined && { glob }),
    ...(mode === 'files' && { limitOfFile: 1 }),
  }
  const literalNote = `${JSON.stringify(pattern)} is taken literally, since it is not an expression that is known there`
  try {
    const { lines, program, remarks } = await files.search(folder, request)
    const how = program === 'grep' ? [`searched with grep, since ${label} has no rg; .gitignore is not known`] : []
    return { lines, notes: [...how, ...remarks] }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBADMSG') throw error
    const { lines, remarks } = await files.search(folder, { ...request, literal: true })
    return { lines, notes: [literalNote, ...remarks] }
  }
}
