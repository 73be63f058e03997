/** The work of `search_files`. */
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ToolResult, ToolTurn } from 'svc/sdk'
import { findByGlob } from './glob.ts'
import { absolutePath, showName } from './paths.ts'
import { readPattern } from './pattern.ts'
import { checkReadable, findPlaces, isReadable, type Places } from './protection.ts'
import { type Match, type SearchRequest, searchFile } from './search-one.ts'
import { missing } from './suggestions.ts'
import type { FileHost, SearchInput } from './tools.ts'

/** Files that are open at the same time. */
const AT_ONCE = 8
const LIMIT_MS = 30_000
const MOST_MATCHES = 500

/** For front ends. */
export interface SearchData {
  readonly matches: readonly (Match & { readonly path: string })[]
  /** Files that were searched. */
  readonly searched: number
  /** There may be more matches. */
  readonly cut: boolean
}

/** Files under a real folder, which is shown under the path that was asked for. */
interface Place {
  readonly folder: string
  readonly shownFolder: string
  readonly files: readonly string[]
}

/** Searches files for lines that match. Throws a `FILE_...` or `SEARCH_...` error that says what to do. */
export async function searchFiles(input: SearchInput, turn: ToolTurn, host: FileHost): Promise<ToolResult> {
  const { expression, note } = readPattern(input.pattern)
  const limit = Math.min(MOST_MATCHES, Math.floor(input.limit))
  const limited = new AbortController()
  const cancel = host.clock().after(LIMIT_MS, () => limited.abort(), { background: true })
  const signal = AbortSignal.any([turn.signal, limited.signal])
  try {
    const place = await findFiles(input, turn.cwd, await findPlaces(host.home()), signal)
    const found = await searchAll(place, { expression, limit: limit + 1, signal })
    turn.signal.throwIfAborted()
    const late = limited.signal.aborted ? [`stopped after ${LIMIT_MS / 1000} s; name a smaller folder or a glob`] : []
    return resultOf(found, limit, [...(note === undefined ? [] : [note]), ...late], host)
  } finally {
    cancel()
  }
}

async function findFiles(input: SearchInput, cwd: string, places: Places, signal: AbortSignal): Promise<Place> {
  const asked = absolutePath(input.path, cwd)
  const path = await realpath(asked).catch((error: unknown) => missing(error, asked))
  if (!(await stat(path)).isDirectory()) {
    checkReadable(path, places)
    return { folder: dirname(path), shownFolder: dirname(input.path), files: [basename(path)] }
  }
  const glob = input.glob ?? '**/*'
  const all = await findByGlob({ folder: path, glob, depth: undefined, only: 'files', signal })
  return { folder: path, shownFolder: input.path, files: all.filter((file) => isReadable(join(path, file), places)) }
}

async function searchAll(place: Place, request: SearchRequest): Promise<Omit<SearchData, 'cut'>> {
  const matches: SearchData['matches'][number][] = []
  let searched = 0
  for (let from = 0; from < place.files.length && !request.signal.aborted; from += AT_ONCE) {
    if (matches.length >= request.limit) break
    const group = place.files.slice(from, from + AT_ONCE)
    const results = await Promise.all(group.map((file) => searchFile(join(place.folder, file), request)))
    for (const [index, found] of results.entries()) {
      if (found === undefined) continue
      searched++
      const path = join(place.shownFolder, group[index] ?? '')
      matches.push(...found.map((match) => ({ path, ...match })))
    }
  }
  return { matches, searched }
}

function resultOf(found: Omit<SearchData, 'cut'>, limit: number, notes: readonly string[], host: FileHost): ToolResult {
  const cut = found.matches.length > limit
  const matches = found.matches.slice(0, limit).map((match) => ({ ...match, text: host.mask(match.text) }))
  const files = new Set(matches.map((match) => match.path)).size
  const count = `${cut ? 'the first ' : ''}${matches.length} ${matches.length === 1 ? 'match' : 'matches'}`
  const header = `${count} in ${files} ${files === 1 ? 'file' : 'files'} (${found.searched} searched)`
  const lines = matches.map(({ path, line, text }) => `${showName(path)}:${line}: ${text}`)
  const more = cut ? ['there are more: narrow the pattern, the path or the glob, or raise limit'] : []
  const remarks = [...notes, ...more].map((remark) => `[${remark}]`)
  const data: SearchData = { matches, searched: found.searched, cut }
  return { text: [lines.length === 0 ? header : `${header}:`, ...lines, ...remarks].join('\n'), data }
}
