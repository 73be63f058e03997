/** The work of `read_file`. */
import { SvcError, type ToolContext, type ToolResult } from 'svc/sdk'
import { getSource, isDocument, readDocument } from './document.ts'
import { fileError } from './file-error.ts'
import { binaryKind, type Encoding, showSize, textEncoding } from './file-kind.ts'
import { type ByteSource, type LineWindow, readWindow } from './line-window.ts'
import { openAccess } from './open-access.ts'
import { showName } from './paths.ts'
import { checkNoPrivateKey } from './protection.ts'
import type { FileDeps, ReadInput } from './tools.ts'

const MAX_LINES = 2000
/** After this many answers that nothing changed, asking again is an error. */
const MAX_REPEATS = 3

/** For front ends. */
export interface ReadData {
  readonly path: string
  readonly firstLine: number
  readonly lastLine: number
  /** Undefined when the file was too large to count. */
  readonly totalLines?: number
  /** The same lines stand in the conversation already; they were not given again. */
  readonly unchanged?: true
}

/** Shows a window of lines. Throws a `FILE_...` error that says what to do. */
export async function readFile(input: ReadInput, turn: ToolContext, deps: FileDeps): Promise<ToolResult> {
  const access = await openAccess(turn, deps)
  const { source, size, stamp, path, close } = await access.open(input.path, turn.signal)
  try {
    const content = await readContent(source, path, size, turn.signal)
    const first = Math.max(1, Math.floor(input.offset))
    const limit = Math.min(MAX_LINES, Math.floor(input.limit))
    const window = await readWindow(content.file, { first, limit, encoding: content.encoding, signal: turn.signal })
    const note = content.kind === undefined ? '' : `\n[the text of ${content.kind}, without its layout]`
    const text = deps.mask(formatWindow(window, first) + note)
    const data = createData(window, first, path)
    deps.ledger.saw(turn.sessionId, access.key(path), stamp)
    const origin = await access.origin([path])
    const whole = { text, data, ...(origin !== undefined && { origin }) }
    // A script that calls tools needs the text, whatever stands in the conversation.
    if (turn.parent !== undefined) return whole
    const repeats = deps.ledger.read(turn.sessionId, `${access.key(path)}\n${first}\n${limit}`, turn.callId, text)
    return repeats === 0 ? whole : stub(input.path, repeats, data)
  } catch (error) {
    throw turn.signal.aborted ? error : fileError(error, path)
  } finally {
    await close()
  }
}

/** In place of what the model has before it already. */
function stub(path: string, repeats: number, data: ReadData): ToolResult {
  const text = `Unchanged: these lines of ${showName(path)} are above, as you read them before.`
  if (repeats <= MAX_REPEATS) return { text, data: { ...data, unchanged: true } }
  const advice = 'Do not read them again; continue with what you have, or read other lines.'
  return { text: `${text} That was said ${repeats - 1} times. ${advice}`, data, failed: true }
}

/** What is read line by line: the file itself, or the text of a document. */
interface Content {
  readonly file: ByteSource
  readonly encoding: Encoding
  /** Of a document. */
  readonly kind?: string
}

async function readContent(file: ByteSource, path: string, size: number, signal: AbortSignal): Promise<Content> {
  const buffer = Buffer.alloc(8192)
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
  const beginning = buffer.subarray(0, bytesRead)
  checkNoPrivateKey(path, beginning.toString('latin1'))
  const encoding = textEncoding(beginning)
  if (encoding !== undefined) return { file, encoding }
  const document = isDocument(beginning) ? await readDocument(file, path, size, signal) : undefined
  if (document) return { file: getSource(document.text), encoding: 'utf-8', kind: document.kind }
  throw new SvcError('FILE_BINARY', `${showName(path)} is ${binaryKind(beginning)} (${showSize(size)}), not text.`)
}

function formatWindow(window: LineWindow, first: number): string {
  const { lines, total, more } = window
  if (total === 0) return '(empty file)'
  if (lines.length === 0) return `(the file has ${total} lines; line ${first} is past its end)`
  const last = first + lines.length - 1
  const notes = [
    more ? `lines ${first}-${last} of ${total ?? 'many'}; continue with offset ${last + 1}` : '',
    window.crlf ? 'lines end with CRLF' : '',
    window.damaged ? 'some bytes are not valid text and are shown as \uFFFD' : '',
  ].filter((note) => note !== '')
  const numbered = lines.map((line, index) => `${first + index}\t${line}`)
  return [...numbered, ...notes.map((note) => `[${note}]`)].join('\n')
}

function createData(window: LineWindow, first: number, path: string): ReadData {
  const lastLine = first + window.lines.length - 1
  const total = window.total === undefined ? {} : { totalLines: window.total }
  return { path, firstLine: first, lastLine, ...total }
}
