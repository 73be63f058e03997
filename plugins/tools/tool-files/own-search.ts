/** The program's own search, for machines without ripgrep. It does not know `.gitignore`. */
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { createContext, Script } from 'node:vm'
import { SvcError } from 'svc/sdk'
import { textEncoding } from './file-kind.ts'
import { readWindow } from './line-window.ts'
import { type Judge, openReadable } from './opened.ts'
import { showName } from './paths.ts'
import { holdsPrivateKey, isReadable } from './protection.ts'
import type { SearchInput } from './tools.ts'
import { findByGlob } from './walk.ts'

const CHUNK_BYTES = 65_536
/** A longer line is searched in pieces. */
const LONGEST_PIECE = 1_000_000
const SHOWN_CHARACTERS = 200
/** Files that are open at the same time. */
const AT_ONCE = 8
/** Matches of one file that are counted. */
const MAX_IN_FILE = 100_000

/** What is searched, under a real folder, and how its paths are shown. */
export interface SearchScope {
  readonly folder: string
  readonly shownFolder: string
  /** `.` or the one file. */
  readonly target: string
  readonly glob: string | undefined
  readonly judge: Judge
  readonly signal: AbortSignal
}

/** A line that was found; its path is relative to the place. */
export interface FoundLine {
  readonly path: string
  readonly line: number
  /** The line, or the part of a long one around the match. */
  readonly text: string
  /** False: it is only near a match. */
  readonly match: boolean
}

/** What was found in files that may be read. */
export interface SearchResult {
  /** Of the mode `content`. */
  readonly lines: readonly FoundLine[]
  /** Lines that match, by path; those of `content` only as far as was searched. */
  readonly counts: ReadonlyMap<string, number>
  readonly searched: number | undefined
  readonly notes: readonly string[]
}

/** Files of a place that may be read, sorted. */
export async function ownNames({ folder, target, glob = '**/*', judge, signal }: SearchScope): Promise<string[]> {
  if (target !== '.') return [target]
  const all = await findByGlob({ folder, glob, depth: undefined, only: 'files', signal })
  return all.filter((file) => isReadable(join(folder, file), judge.places))
}

/** `most` counts matches, or files in the modes that are about files. Throws `SEARCH_TOO_SLOW`. */
export async function ownSearch(
  input: SearchInput,
  place: SearchScope,
  { most, context }: { readonly most: number; readonly context: number },
): Promise<SearchResult> {
  const { expression, note } = readPattern(input.pattern)
  const limits = { content: most, files: 1, count: MAX_IN_FILE, names: 0 }
  const { judge, signal } = place
  const request = { expression, limit: limits[input.mode], style: chooseStyle(context), judge, signal }
  const files = await ownNames(place)
  const lines: FoundLine[] = []
  const counts = new Map<string, number>()
  let searched = 0
  let taken = 0
  for (let from = 0; from < files.length && taken < most && !place.signal.aborted; from += AT_ONCE) {
    const results = await searchGroup(files.slice(from, from + AT_ONCE), place, request)
    searched += results.length
    for (const { path, matches } of results.filter((each) => each.matches.length > 0)) {
      counts.set(path, matches.length)
      taken += input.mode === 'content' ? matches.length : 1
      if (input.mode === 'content') lines.push(...(await withContext(path, matches, place, context, request)))
    }
  }
  return { lines, counts, searched, notes: note === undefined ? [] : [note] }
}

/** The matches in those files that can be searched, in order. */
async function searchGroup(paths: readonly string[], place: SearchScope, request: SearchRequest) {
  const results = await Promise.all(paths.map((path) => searchFile(join(place.folder, path), request)))
  return results.flatMap((matches, at) => (matches === undefined ? [] : [{ path: paths[at] ?? '', matches }]))
}

/** The matches with the lines around them. */
async function withContext(
  path: string,
  matches: readonly Match[],
  place: SearchScope,
  context: number,
  { style, signal }: SearchRequest,
): Promise<FoundLine[]> {
  const byLine = new Map(matches.map(({ line, text }) => [line, { path, line, text, match: true }]))
  if (context === 0 || matches.length === 0) return [...byLine.values()]
  const { file } = await openReadable(join(place.folder, path), place.judge)
  try {
    for (const { line } of matches) {
      const first = Math.max(1, line - context)
      const limit = line + context - first + 1
      const { lines } = await readWindow(file, { first, limit, encoding: 'utf-8', signal })
      for (const [index, text] of lines.entries()) {
        const number = first + index
        if (!byLine.has(number)) byLine.set(number, { path, line: number, text: excerpt(text, 0, style), match: false })
      }
    }
  } finally {
    await file.close()
  }
  return [...byLine.values()].sort((a, b) => a.line - b.line)
}

/** A line that matches. */
interface Match {
  readonly line: number
  /** The line, or the part of a long one around the match. */
  readonly text: string
}

/** What is looked for. */
interface SearchRequest {
  readonly expression: RegExp
  readonly limit: number
  readonly style: Style
  readonly judge: Judge
  readonly signal: AbortSignal
}

/**
 * The matches in a file; undefined when it cannot be searched: not text, not an ordinary file, a link, no rights.
 * Aborting keeps what was found. Throws `SEARCH_TOO_SLOW`.
 */
async function searchFile(path: string, request: SearchRequest): Promise<readonly Match[] | undefined> {
  const opened = await openReadable(path, request.judge).catch(() => undefined)
  if (opened === undefined) return undefined
  try {
    // The list names no links: by now it may be one, and lead anywhere.
    return opened.path === path ? await searchOpen(opened.file, path, request) : undefined
  } catch (error) {
    if (error instanceof SvcError) throw error
    return undefined
  } finally {
    await opened.file.close()
  }
}

async function searchOpen(file: FileHandle, path: string, request: SearchRequest): Promise<Match[] | undefined> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  const decoder = new TextDecoder()
  const matches: Match[] = []
  let line = 1
  let rest = ''
  for (let position = 0; matches.length < request.limit && !request.signal.aborted; ) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position)
    const bytes = buffer.subarray(0, bytesRead)
    if (position === 0 && !isSearchable(bytes)) return undefined
    position += bytesRead
    const lines = (rest + decoder.decode(bytes, { stream: bytesRead > 0 })).split('\n')
    rest = bytesRead > 0 ? (lines.pop() ?? '') : ''
    const ended = lines.length
    if (rest.length > LONGEST_PIECE) {
      lines.push(rest)
      rest = ''
    }
    if (!runLimited(() => matchLines(lines, line, request, matches))) throw tooSlow(path)
    line += ended
    if (bytesRead === 0) break
  }
  return matches
}

function isSearchable(beginning: Buffer): boolean {
  return textEncoding(beginning) === 'utf-8' && !holdsPrivateKey(beginning.toString('latin1'))
}

function matchLines(lines: readonly string[], first: number, request: SearchRequest, matches: Match[]): void {
  for (const [index, whole] of lines.entries()) {
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole
    const at = line.search(request.expression)
    if (at === -1) continue
    matches.push({ line: first + index, text: excerpt(line, at, request.style) })
    if (matches.length >= request.limit) return
  }
}

/** Whether white space around a line is shown: between lines of context it says how they hang together. */
export type Style = 'trim' | 'keep'

/** The line, or the part of a long one around the character `at`. */
export function excerpt(text: string, at: number, style: Style): string {
  if (text.length <= SHOWN_CHARACTERS) return style === 'trim' ? text.trim() : text
  const from = Math.max(0, Math.min(at - SHOWN_CHARACTERS / 4, text.length - SHOWN_CHARACTERS))
  const part = text.slice(from, from + SHOWN_CHARACTERS).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
  return `${from > 0 ? '...' : ''}${part}${from + SHOWN_CHARACTERS < text.length ? '...' : ''}`
}

function tooSlow(path: string): SvcError {
  const advice = 'take out nested repetition such as (a+)+, or search for plain text'
  return new SvcError('SEARCH_TOO_SLOW', `The pattern takes too long on ${showName(path)}; ${advice}.`)
}

const LIMIT_MS = 500

/** A pattern ready for use. */
interface Pattern {
  readonly expression: RegExp
  /** Why it is taken literally, when it is. */
  readonly note: string | undefined
}

/**
 * Reads a pattern as a regular expression, with `(?i)` at its start for any case; one that does not parse is taken
 * literally.
 */
export function readPattern(text: string): Pattern {
  const flags = /^\(\?([ims]+)\)/.exec(text)
  const source = flags === null ? text : text.slice(flags[0].length)
  try {
    return { expression: new RegExp(source, flags?.[1]?.includes('i') ? 'i' : ''), note: undefined }
  } catch (error) {
    const note = `taken literally, not as a regular expression: ${(error as Error).message}`
    return { expression: new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')), note }
  }
}

const context = createContext({ work: undefined as (() => void) | undefined })
const call = new Script('work()')

/**
 * Runs `work`, but no longer than half a second: a pattern such as `(a+)+$` can take years on one line, and only the
 * engine's own limit stops it. Returns whether it came to its end.
 */
function runLimited(work: () => void): boolean {
  context['work'] = work
  try {
    call.runInContext(context, { timeout: LIMIT_MS })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false
    throw error
  } finally {
    context['work'] = undefined
  }
}

/** Those that match; all of them are few characters long. Throws `SEARCH_TOO_SLOW`. */
export function matching(names: readonly string[], expression: RegExp): string[] {
  const found: string[] = []
  const done = runLimited(() => {
    for (const name of names) if (expression.test(name)) found.push(name)
  })
  if (!done) throw tooSlow('the names')
  return found
}

/** How lines are shown with this many others around them. */
export function chooseStyle(context: number): Style {
  return context === 0 ? 'trim' : 'keep'
}
