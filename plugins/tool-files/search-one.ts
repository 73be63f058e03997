/** Searches one file in bounded memory. */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { SvcError } from 'svc/sdk'
import { textEncoding } from './file-kind.ts'
import { showName } from './paths.ts'
import { runLimited } from './pattern.ts'
import { holdsPrivateKey } from './protection.ts'

const CHUNK_BYTES = 65_536
/** A longer line is searched in pieces. */
const LONGEST_PIECE = 1_000_000
const SHOWN_CHARACTERS = 200

/** A line that matches. */
export interface Match {
  readonly line: number
  /** The line, or the part of a long one around the match. */
  readonly text: string
}

/** What is looked for. */
export interface SearchRequest {
  readonly expression: RegExp
  readonly limit: number
  readonly signal: AbortSignal
}

/**
 * The matches in a file; undefined when it cannot be searched: not text, not an ordinary file, a link, no rights.
 * Aborting keeps what was found. Throws `SEARCH_TOO_SLOW`.
 */
export async function searchFile(path: string, request: SearchRequest): Promise<readonly Match[] | undefined> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW
  const file = await open(path, flags).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    return (await file.stat()).isFile() ? await searchOpen(file, path, request) : undefined
  } catch (error) {
    if (error instanceof SvcError) throw error
    return undefined
  } finally {
    await file.close()
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
  for (const [index, line] of lines.entries()) {
    const at = line.search(request.expression)
    if (at === -1) continue
    matches.push({ line: first + index, text: excerpt(line, at) })
    if (matches.length >= request.limit) return
  }
}

function excerpt(line: string, at: number): string {
  const text = line.replace(/\r$/, '')
  if (text.length <= SHOWN_CHARACTERS) return text.trim()
  const from = Math.max(0, Math.min(at - SHOWN_CHARACTERS / 4, text.length - SHOWN_CHARACTERS))
  const part = text.slice(from, from + SHOWN_CHARACTERS).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
  return `${from > 0 ? '...' : ''}${part}${from + SHOWN_CHARACTERS < text.length ? '...' : ''}`
}

function tooSlow(path: string): SvcError {
  const advice = 'take out nested repetition such as (a+)+, or search for plain text'
  return new SvcError('SEARCH_TOO_SLOW', `The pattern takes too long on ${showName(path)}; ${advice}.`)
}
