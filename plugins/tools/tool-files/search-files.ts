/** The work of `search_files`. */
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorMessage, SvcError, type ToolContext, type ToolResult } from 'svc/sdk'
import { findOriginThere, pathThere } from './environment-files.ts'
import { fileError, missing } from './file-error.ts'
import { OpenFolders } from './folder.ts'
import { createJudge, findThere } from './open-access.ts'
import { notRegular } from './opened.ts'
import { findOrigin } from './origin.ts'
import { matching, ownNames, ownSearch, readPattern, type SearchResult, type SearchScope } from './own-search.ts'
import { absolutePath, showName } from './paths.ts'
import { checkReadable, isListable, isReadable } from './protection.ts'
import { listWithRipgrep, type RipgrepLine, searchWithRipgrep } from './ripgrep.ts'
import { searchOpened } from './search-opened.ts'
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

const LIMIT_MS = 30_000
const LATE = `stopped after ${LIMIT_MS / 1000} s; name a smaller folder or a glob`
const MAX_SHOWN = 500

/** Searches files for lines that match, or for names. Throws a `FILE_...` or `SEARCH_...` error that says what to do. */
export async function searchFiles(input: SearchInput, turn: ToolContext, deps: FileDeps): Promise<ToolResult> {
  const limited = new AbortController()
  const signal = AbortSignal.any([turn.signal, limited.signal])
  const range = { offset: Math.floor(input.offset), limit: Math.min(MAX_SHOWN, Math.floor(input.limit)) }
  const there = await findThere(turn, deps)
  const held = there ? undefined : await findPlace(input, turn.cwd, deps, signal)
  const cancel = deps.clock().after(LIMIT_MS, () => limited.abort(), { background: true })
  try {
    const found = there
      ? await (await import('./search-environment.ts')).searchThere(input, there, range, { deps, signal })
      : await searchHere(input, (held as HeldScope).place, range, deps)
    const { text, data, notes } = found
    turn.signal.throwIfAborted()
    const late = limited.signal.aborted ? [LATE] : []
    const more = data.cut
      ? [`there is more: continue with offset ${range.offset + range.limit}, or narrow the search`]
      : []
    const key = JSON.stringify([input, turn.cwd])
    const repeats = deps.ledger.searched(turn.sessionId, key, text)
    const again = repeats === undefined ? [] : [`the same search gave the same result ${repeats} times; try another`]
    const remarks = [...notes, ...late, ...more, ...again].map((remark) => `[${remark}]`)
    const paths = [...data.matches, ...(data.files ?? [])].map(({ path }) => path)
    const origin = there
      ? findOriginThere(
          paths.map((path) => pathThere(path, there)),
          there,
        )
      : await findOrigin(
          paths.map((path) => absolutePath(path, turn.cwd)),
          turn.cwd,
        )
    return { text: [text, ...remarks].join('\n'), data, ...(origin !== undefined && { origin }) }
  } catch (error) {
    if (limited.signal.aborted && !turn.signal.aborted) throw new SvcError('SEARCH_FAILED', `The search ${LATE}.`)
    throw error
  } finally {
    cancel()
    await held?.close()
  }
}

function searchHere(input: SearchInput, place: ProgramScope, range: Range, deps: FileDeps): Promise<Shown> {
  return input.mode === 'names' ? findNames(input, place, range, deps) : findLines(input, place, range, deps)
}

/** A place, and the folder that is held open for it. */
interface HeldScope {
  readonly place: ProgramScope
  close(): Promise<void>
}

/** Where programs search: in the folder that was judged, whatever stands at its path by then. */
interface ProgramScope extends SearchScope {
  readonly cwd: string
}

async function findPlace(input: SearchInput, cwd: string, deps: FileDeps, signal: AbortSignal): Promise<HeldScope> {
  const asked = absolutePath(input.path, cwd)
  const path = await realpath(asked).catch((error: unknown) => missing(error, asked))
  const judge = await createJudge(deps)
  const stats = await stat(path).catch((error: unknown) => {
    throw fileError(error, path)
  })
  if (!stats.isDirectory() && !stats.isFile()) throw notRegular(path)
  checkReadable(path, judge.places)
  const isFile = stats.isFile()
  const [folder, shownFolder] = isFile ? [dirname(path), dirname(input.path)] : [path, input.path]
  const folders = new OpenFolders()
  try {
    const at = (await folders.getExisting(folder)).at('.')
    const shared = { folder, cwd: at, shownFolder, judge, signal }
    const place = isFile
      ? { ...shared, target: basename(path), glob: undefined }
      : { ...shared, target: '.', glob: input.glob }
    return { place, close: () => folders.close() }
  } catch (error) {
    await folders.close()
    throw error
  }
}

async function findNames(input: SearchInput, place: ProgramScope, { offset, limit }: Range, deps: FileDeps) {
  const program = await deps.ripgrep()
  const all: string[] = []
  if (program === undefined) all.push(...(await ownNames(place)))
  else {
    const take = (path: string) => {
      if (isListable(join(place.folder, path), place.judge.places)) all.push(path)
      return all.length < MAX_NAMES
    }
    await listWithRipgrep({ ...place, folder: place.cwd, program }, take)
  }
  const { expression, note } = readPattern(input.pattern)
  const found = matching(all, expression)
  const files = found.slice(offset, offset + limit).map((path) => ({ path: join(place.shownFolder, path) }))
  const header = `${formatCount(found.length, 'name', 'names')} of ${formatCount(all.length, 'file', 'files')}`
  const data: SearchData = { matches: [], files, cut: found.length > offset + limit }
  const most = all.length < MAX_NAMES ? [] : [`only the first ${MAX_NAMES} names were looked at`]
  const text = files.map(({ path }) => showName(path))
  return { text: formatList(header, text), data, notes: note === undefined ? most : [note, ...most] }
}

async function findLines(input: SearchInput, place: ProgramScope, range: Range, deps: FileDeps) {
  const most = range.offset + range.limit + 1
  const { lines, counts, searched, notes } = await search(input, place, most, deps)
  const shown =
    input.mode === 'content'
      ? showLines(lines, place, range, deps)
      : showFiles(
          [...counts].map(([path, matches]) => ({ path, matches })),
          place,
          range,
          input,
        )
  const known = searched === undefined ? {} : { searched }
  const header = searched === undefined ? shown.header : `${shown.header} (${searched} searched)`
  return { text: formatList(header, shown.text), data: { ...shown.data, ...known }, notes }
}

/** By ripgrep, or by our own search without it. */
async function search(input: SearchInput, place: ProgramScope, most: number, deps: FileDeps): Promise<SearchResult> {
  const ofLines = input.mode === 'content'
  const context = ofLines ? Math.min(MAX_CONTEXT, Math.floor(input.context)) : 0
  const program = await deps.ripgrep()
  if (program === undefined) return ownSearch(input, place, { most, context })
  const candidates = new Set<string>()
  let matches = 0
  const take = ({ path, match }: RipgrepLine): boolean => {
    if (!candidates.has(path) && !isReadable(join(place.folder, path), place.judge.places)) return true
    candidates.add(path)
    matches += Number(match)
    return (ofLines ? matches : candidates.size) < most
  }
  const request = { ...place, folder: place.cwd, program }
  const options = { pattern: input.pattern, context, most: input.mode === 'files' ? 1 : undefined }
  const { end, note, literal } = await withLiteral(input.pattern, (literal) =>
    searchWithRipgrep(request, { ...options, literal }, take),
  )
  const limits = { content: most, files: 1, count: undefined, names: undefined }
  const again = { ...options, literal, most: limits[input.mode] }
  const found = await searchOpened([...candidates], place, {
    program,
    options: again,
    enough: ofLines ? most : undefined,
  })
  const nothing = found.counts.size === 0 && place.target === '.' && (await isInRepository(place.folder))
  const hidden = nothing ? ['files that .gitignore names are left out'] : []
  return { ...found, searched: end.searched, notes: [...note, ...end.remarks, ...hidden] }
}

async function isInRepository(folder: string): Promise<boolean> {
  const there = await stat(join(folder, '.git')).catch(() => undefined)
  return there !== undefined || (dirname(folder) !== folder && isInRepository(dirname(folder)))
}

/** A pattern that does not parse is taken literally, and that is said. */
async function withLiteral<End>(pattern: string, search: (literal: boolean) => Promise<End>) {
  try {
    return { end: await search(false), note: [], literal: false }
  } catch (error) {
    if (!(error instanceof SvcError) || !/regex|PCRE2/i.test(error.message)) throw error
    const reason = errorMessage(error).split('\n').at(-1)
    const note = [`${showName(pattern)} is taken literally, not as a regular expression: ${reason}`]
    return { end: await search(true), note, literal: true }
  }
}
