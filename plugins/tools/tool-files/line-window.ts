/** Reads a window of lines from a file of any size in bounded memory, and no further than it must. */
import type { Encoding } from './file-kind.ts'

const CHUNK_BYTES = 262_144
const LONGEST_LINE = 2000
/** With the notes below them no more than the 100,000 that a tool result may have. */
const MAX_CHARACTERS = 99_500
/** Bytes after the window that are read only to know how many lines there are. */
const COUNTED_BYTES = 4_000_000

/** Where bytes are read from: a file, or the text of a document. */
export interface ByteSource {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>
}

/** Which lines. */
export interface WindowRequest {
  readonly first: number
  readonly limit: number
  readonly encoding: Encoding
  readonly signal: AbortSignal
}

/** The lines that were found. */
export interface LineWindow {
  readonly lines: readonly string[]
  /** How many lines the file has, unless the rest was too much to read. */
  readonly total: number | undefined
  /** Lines follow the window. */
  readonly more: boolean
  /** Lines of the window end with a carriage return. */
  readonly crlf: boolean
  /** Some bytes are not valid in the encoding. */
  readonly damaged: boolean
}

/** Reads the window. Rejects with the signal's reason when it aborts. */
export async function readWindow(file: ByteSource, request: WindowRequest): Promise<LineWindow> {
  const decoder = new TextDecoder(request.encoding)
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  const start = request.encoding === 'utf-8' ? await skipLines(file, request, buffer) : { position: 0, line: 1 }
  const collector = new Collector(request, start.line)
  for (let position = start.position; ; ) {
    request.signal.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position)
    position += bytesRead
    collector.add(decoder.decode(buffer.subarray(0, bytesRead), { stream: bytesRead > 0 }))
    if (bytesRead === 0) return collector.finish('end')
    if (collector.fullSince === undefined) continue
    collector.fullSince += bytesRead
    if (collector.fullSince > COUNTED_BYTES) return collector.finish('stopped')
  }
}

/** Where the first wanted line begins, or the last line when there are fewer: found without decoding what is before it. */
async function skipLines(file: ByteSource, { first, signal }: WindowRequest, buffer: Buffer) {
  const start = { position: 0, line: 1 }
  for (let position = 0; start.line < first; ) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) break
    const bytes = buffer.subarray(0, bytesRead)
    for (let end = bytes.indexOf(10); end !== -1 && start.line < first; end = bytes.indexOf(10, end + 1)) {
      start.line++
      start.position = position + end + 1
    }
    position += bytesRead
  }
  return start
}

/** Takes text piece by piece and keeps the lines of the window. */
class Collector {
  /** Bytes read since the window was full. */
  fullSince: number | undefined
  readonly #request: WindowRequest
  readonly #lines: string[] = []
  #line: number
  #current = ''
  #currentLength = 0
  #characters = 0
  #crlf = false
  #damaged = false

  constructor(request: WindowRequest, line: number) {
    this.#request = request
    this.#line = line
  }

  add(text: string): void {
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#take(text, from, end)
      this.#endLine()
      this.#line++
      from = end + 1
    }
    this.#take(text, from, text.length)
  }

  finish(reason: 'end' | 'stopped'): LineWindow {
    const unfinished = this.#currentLength > 0
    const lastLine = unfinished ? this.#line : this.#line - 1
    if (unfinished) this.#endLine()
    const total = reason === 'end' ? lastLine : undefined
    const shownUpTo = this.#request.first + this.#lines.length - 1
    const more = this.fullSince !== undefined && (total === undefined || total > shownUpTo)
    return { lines: this.#lines, total, more, crlf: this.#crlf, damaged: this.#damaged }
  }

  #take(text: string, from: number, end: number): void {
    this.#currentLength += end - from
    if (this.#line < this.#request.first || this.fullSince !== undefined) return
    const room = LONGEST_LINE + 1 - this.#current.length
    if (room > 0) this.#current += text.slice(from, Math.min(end, from + room))
  }

  #endLine(): void {
    const length = this.#currentLength
    const text = this.#current
    this.#current = ''
    this.#currentLength = 0
    if (this.#line < this.#request.first || this.fullSince !== undefined) return
    const line = text.endsWith('\r') && text.length === length ? text.slice(0, -1) : text
    if (line !== text) this.#crlf = true
    if (line.includes('\uFFFD')) this.#damaged = true
    const shown = line.length > LONGEST_LINE ? cutLine(line, length) : line
    // The number, a tab and the line's end are shown, too.
    const taken = shown.length + String(this.#line).length + 2
    if (this.#lines.length > 0 && this.#characters + taken > MAX_CHARACTERS) {
      this.fullSince = 0
      return
    }
    this.#lines.push(shown)
    this.#characters += taken
    if (this.#lines.length >= this.#request.limit) this.fullSince = 0
  }
}

function cutLine(line: string, length: number): string {
  const lastUnit = line.charCodeAt(LONGEST_LINE - 1)
  const end = lastUnit >= 0xd800 && lastUnit < 0xdc00 ? LONGEST_LINE - 1 : LONGEST_LINE
  return `${line.slice(0, end)}[... ${length - end} more characters]`
}
