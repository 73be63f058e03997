/** The work of `read_file`. */
import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { SvcError, type ToolResult, type ToolTurn } from 'svc/sdk'
import { fileError } from './file-error.ts'
import { binaryKind, type Encoding, showSize, textEncoding } from './file-kind.ts'
import { type LineWindow, readWindow } from './lines.ts'
import { showName } from './names.ts'
import { absolutePath } from './paths.ts'
import { checkNoPrivateKey, checkReadable, findPlaces } from './protection.ts'
import { suggest } from './suggestions.ts'
import type { FileHost, ReadInput } from './tools.ts'

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
    const { offset: first, limit } = input
    const window = await readWindow(file, { first, limit, encoding, signal: turn.signal })
    return { text: host.mask(textOf(window, input)), data: dataOf(window, input, path) }
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

async function missing(error: unknown, path: string): Promise<never> {
  const said = fileError(error, path)
  if (said.code !== 'FILE_NOT_FOUND') throw said
  throw new SvcError(said.code, `${said.message} ${await suggest(path)}`.trimEnd(), { cause: error })
}

function textOf(window: LineWindow, input: ReadInput): string {
  const { lines, total, more } = window
  if (total === 0) return '(empty file)'
  if (lines.length === 0) return `(the file has ${total} lines; line ${input.offset} is past its end)`
  const last = input.offset + lines.length - 1
  const notes = [
    more ? `lines ${input.offset}-${last} of ${total ?? 'many'}; go on with offset ${last + 1}` : '',
    window.crlf ? 'lines end with CRLF' : '',
    window.damaged ? 'some bytes are not valid text and are shown as \uFFFD' : '',
  ].filter((note) => note !== '')
  const numbered = lines.map((line, index) => `${input.offset + index}\t${line}`)
  return [...numbered, ...notes.map((note) => `[${note}]`)].join('\n')
}

function dataOf(window: LineWindow, input: ReadInput, path: string): ReadData {
  const lastLine = input.offset + window.lines.length - 1
  const total = window.total === undefined ? {} : { totalLines: window.total }
  return { path, firstLine: input.offset, lastLine, ...total }
}
