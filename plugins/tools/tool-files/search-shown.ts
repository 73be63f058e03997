/** What a search found, as the model and front ends get it. */
import { join } from 'node:path'
import type { FoundLine, SearchScope } from './own-search.ts'
import { showName } from './paths.ts'
import type { FileDeps, SearchInput } from './tools.ts'

/** Lines around a match. */
export const MAX_CONTEXT = 20
/** Names that are looked at. */
export const MAX_NAMES = 200_000

/** A line that is shown. */
export interface SearchLine {
  readonly path: string
  readonly line: number
  /** The line, or the part of a long one around the match. */
  readonly text: string
  /** It is near a match, and none itself. */
  readonly context?: true
}

/** For front ends. */
export interface SearchData {
  /** Mode `content`. */
  readonly matches: readonly SearchLine[]
  /** Modes `files`, `count` and `names`; `matches` of `count` only. */
  readonly files?: readonly { readonly path: string; readonly matches?: number }[]
  /** Files that were searched, when that is known. */
  readonly searched?: number
  /** There may be more. */
  readonly cut: boolean
}

/** How much is wanted. */
export interface Range {
  readonly offset: number
  readonly limit: number
}

/** What was found, as it is shown. */
export interface Shown {
  readonly text: string
  readonly data: SearchData
  readonly notes: readonly string[]
}

/** Lines of a search, as they are shown. */
export function showLines(
  lines: readonly FoundLine[],
  place: Pick<SearchScope, 'shownFolder'>,
  { offset, limit }: Range,
  deps: FileDeps,
) {
  const wanted = inRange(lines, offset, limit)
  const hasContext = lines.some(({ match }) => !match)
  const matches = wanted.map(({ path, line, text, match }): SearchLine => {
    return { path: join(place.shownFolder, path), line, text: deps.mask(text), ...(match ? {} : { context: true }) }
  })
  const total = lines.filter(({ match }) => match).length
  const cut = total > offset + limit
  const count = matches.filter(({ context }) => !context).length
  const files = new Set(matches.map(({ path }) => path)).size
  const from = offset > 0 ? `matches ${offset + 1}-${offset + count}` : formatCount(count, 'match', 'matches')
  const header = `${cut && offset === 0 ? 'the first ' : ''}${from} in ${formatCount(files, 'file', 'files')}`
  const data: SearchData = { matches, cut }
  return { header, text: hasContext ? withGaps(matches) : matches.map(lineText), data }
}

/** Matches `offset` to `offset + limit` with the lines around them. */
function inRange(lines: readonly FoundLine[], offset: number, limit: number): FoundLine[] {
  let before = 0
  const numbers = lines.map(({ match }) => (match ? ++before : undefined))
  const first = numbers.indexOf(offset + 1)
  const past = numbers.indexOf(offset + limit + 1)
  if (first === -1) return []
  const start = offset === 0 ? 0 : first
  return lines.slice(start, past === -1 ? undefined : past)
}

function lineText({ path, line, text, context }: SearchLine): string {
  return context ? `${showName(path)}-${line}- ${text}` : `${showName(path)}:${line}: ${text}`
}

/** `--` stands where lines are left out. */
function withGaps(lines: readonly SearchLine[]): string[] {
  return lines.flatMap((each, at) => {
    const before = lines[at - 1]
    const next = before === undefined || (before.path === each.path && before.line + 1 === each.line)
    return next ? [lineText(each)] : ['--', lineText(each)]
  })
}

/** Files of a search, as they are shown. */
export function showFiles(
  found: readonly { readonly path: string; readonly matches: number }[],
  place: Pick<SearchScope, 'shownFolder'>,
  { offset, limit }: Range,
  { mode }: SearchInput,
) {
  const files = found.slice(offset, offset + limit).map(({ path, matches }) => {
    return { path: join(place.shownFolder, path), ...(mode === 'count' ? { matches } : {}) }
  })
  const cut = found.length > offset + limit
  const header = `${cut && offset === 0 ? 'the first ' : ''}${formatCount(files.length, 'file', 'files')}`
  const text = files.map(({ path, matches }) => showName(path) + (matches === undefined ? '' : `: ${matches}`))
  const data: SearchData = { matches: [], files, cut }
  return { header, text, data }
}

/** A header with lines below it. */
export function formatList(header: string, lines: readonly string[]): string {
  return [lines.length === 0 ? header : `${header}:`, ...lines].join('\n')
}

/** `1 file`, `2 files`. */
export function formatCount(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
