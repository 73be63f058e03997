/** The work of `read_file`. */
import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { SvcError, type ToolResult, type ToolTurn } from 'svc/sdk'
import { fileError } from './file-error.ts'
import { binaryKind, type Encoding, showSize, textEncoding } from './file-kind.ts'
import { type LineWindow, readWindow } from './lines.ts'
import { absolutePath, showName } from './paths.ts'
import { checkNoPrivateKey, checkReadable, findPlaces } from './protection.ts'
import { missing } from './suggestions.ts'
import type { FileHost, ReadInput } from './tools.ts'

const MOST_LINES = 2000

/** For front ends. */
export interface ReadData {
  readonly path: string
  readonly firstLine: number
  readonly lastLine: number
  /** Undefined when the file was too large to count. */
  readonly totalLines?: number
}

/** Shows a window of lines. Throws a `FILE_...` error that says what to do. */
export async function readFile(input: ReadInput, turn: ToolTurn, host: FileHost): Promise<ToolResult> {
  const asked = absolutePath(input.path, turn.cwd)
  const path = await realpath(asked).catch((error: unknown) => missing(error, asked))
  checkReadable(path, await findPlaces(host.home()))
  const file = await openRegular(path)
  try {
    const encoding = await checkText(file, path)
    const first = Math.max(1, Math.floor(input.offset))
    const limit = Math.min(MOST_LINES, Math.floor(input.limit))
    const window = await readWindow(file, { first, limit, encoding, signal: turn.signal })
    return { text: host.mask(textOf(window, first)), data: dataOf(window, first, path) }
  } catch (error) {
    throw turn.signal.aborted ? error : fileError(error, path)
  } finally {
    await file.close()
  }
}

/** Opens an ordinary file and nothing else. Not blocking: a named pipe without a writer would wait for ever. */
async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    // A socket cannot be opened at all.
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') throw notRegular(path)
    throw fileError(error, path)
  })
  const stats = await file.stat()
  if (stats.isFile()) return file
  await file.close()
  if (stats.isDirectory()) {
    throw new SvcError('FILE_IS_FOLDER', `${showName(path)} is a folder; list_files shows what is in it.`)
  }
  throw notRegular(path)
}

function notRegular(path: string): SvcError {
  return new SvcError(
    'FILE_NOT_REGULAR',
    `${showName(path)} is a device, pipe or socket; only ordinary files are read.`,
  )
}

async function checkText(file: FileHandle, path: string): Promise<Encoding> {
  const buffer = Buffer.alloc(8192)
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
  const beginning = buffer.subarray(0, bytesRead)
  checkNoPrivateKey(path, beginning.toString('latin1'))
  const encoding = textEncoding(beginning)
  if (encoding !== undefined) return encoding
  const size = showSize((await file.stat()).size)
  throw new SvcError('FILE_BINARY', `${showName(path)} is ${binaryKind(beginning)} (${size}), not text.`)
}

function textOf(window: LineWindow, first: number): string {
  const { lines, total, more } = window
  if (total === 0) return '(empty file)'
  if (lines.length === 0) return `(the file has ${total} lines; line ${first} is past its end)`
  const last = first + lines.length - 1
  const notes = [
    more ? `lines ${first}-${last} of ${total ?? 'many'}; go on with offset ${last + 1}` : '',
    window.crlf ? 'lines end with CRLF' : '',
    window.damaged ? 'some bytes are not valid text and are shown as \uFFFD' : '',
  ].filter((note) => note !== '')
  const numbered = lines.map((line, index) => `${first + index}\t${line}`)
  return [...numbered, ...notes.map((note) => `[${note}]`)].join('\n')
}

function dataOf(window: LineWindow, first: number, path: string): ReadData {
  const lastLine = first + window.lines.length - 1
  const total = window.total === undefined ? {} : { totalLines: window.total }
  return { path, firstLine: first, lastLine, ...total }
}
