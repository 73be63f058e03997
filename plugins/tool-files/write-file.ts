/** The work of `write_file`. */
import { constants } from 'node:fs'
import { access, chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SvcError, type ToolResult, type ToolTurn } from 'svc/sdk'
import { compare } from './diff.ts'
import { fileError } from './file-error.ts'
import { showSize, textEncoding } from './file-kind.ts'
import { findTarget } from './link-target.ts'
import { absolutePath, showName } from './paths.ts'
import { checkWritable, findPlaces } from './protection.ts'
import type { FileHost, WriteInput } from './tools.ts'

/** Larger files are replaced without reading what they held. */
const MOST_COMPARED = 1_000_000

/** For front ends. */
export interface WriteData {
  readonly path: string
  readonly change: 'created' | 'replaced' | 'unchanged'
  readonly lines: number
  /** Left out when the file was new, too large, or not text. */
  readonly linesBefore?: number
  /** Unified; left out where there is nothing to compare. */
  readonly diff?: string
}

/** The file that is about to be replaced. */
interface Existing {
  readonly mode: number
  readonly size: number
  /** Undefined when it is large or not text. */
  readonly text: string | undefined
}

/** Writes a whole file in one step. Throws a `FILE_...` error, and then the file is as it was. */
export async function writeFile(input: WriteInput, turn: ToolTurn, host: FileHost): Promise<ToolResult> {
  const target = await findTarget(checkedPath(input.path, turn.cwd), turn.cwd)
  const { path } = target
  checkWritable(path, await findPlaces(host.home()))
  turn.signal.throwIfAborted()
  try {
    const existing = await examine(path)
    refuseMasked(path, existing, input.content, host)
    const content = inStyleOf(existing?.text, input.content)
    if (content !== existing?.text) await replace(path, content, existing, host)
    const { text, data } = await describe({ path, name: showName(input.path) }, content, existing, host)
    return { text: target.note === undefined ? text : `${text}\n[${target.note}]`, data }
  } catch (error) {
    throw fileError(error, path)
  }
}

function checkedPath(path: string, cwd: string): string {
  const absolute = absolutePath(path, cwd)
  if (/[/\\]$/.test(path.trim()) && !path.endsWith('\\')) {
    throw new SvcError('FILE_IS_FOLDER', `${showName(path)} names a folder; name the file to write in it.`)
  }
  return absolute
}

async function examine(path: string): Promise<Existing | undefined> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (stats === undefined) return undefined
  if (stats.isDirectory()) {
    throw new SvcError('FILE_IS_FOLDER', `${showName(path)} is a folder; name the file to write in it.`)
  }
  if (!stats.isFile()) {
    throw new SvcError('FILE_NOT_REGULAR', `${showName(path)} is a device, pipe or socket; it is not written.`)
  }
  // Replacing needs rights to the folder only; a file that may not be changed is to stay as it is all the same.
  await access(path, constants.W_OK)
  const { mode, size } = stats
  const bytes = size > MOST_COMPARED ? undefined : await readFile(path)
  return { mode: mode & 0o7777, size, text: bytes === undefined ? undefined : exactText(bytes) }
}

/** The bytes as text, unless that would lose something. */
function exactText(bytes: Buffer): string | undefined {
  const text = textEncoding(bytes) === 'utf-8' ? bytes.toString() : undefined
  return text !== undefined && Buffer.from(text).equals(bytes) ? text : undefined
}

/** A secret that was shown as `***` must not be written back as `***`. */
function refuseMasked(path: string, existing: Existing | undefined, content: string, host: FileHost): void {
  if (existing?.text === undefined || host.mask(existing.text) === existing.text) return
  const count = (text: string) => text.split('***').length
  if (count(content) <= count(existing.text)) return
  const advice = 'change single lines with a command instead'
  throw new SvcError('FILE_MASKED', `${showName(path)} holds secrets shown as ***, which would be lost; ${advice}.`)
}

/** Keeps the line ends and the byte order mark of the file that is replaced. */
function inStyleOf(before: string | undefined, content: string): string {
  if (before === undefined) return content
  const lineFeeds = before.split('\n').length - 1
  const crlf = lineFeeds > 0 && before.split('\r\n').length - 1 === lineFeeds && !content.includes('\r')
  const text = crlf ? content.replaceAll('\n', '\r\n') : content
  return before.startsWith('\uFEFF') && !text.startsWith('\uFEFF') ? `\uFEFF${text}` : text
}

/** A file beside it takes its place in one step: readers see the old content or the new, also after a crash. */
async function replace(path: string, content: string, existing: Existing | undefined, host: FileHost): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const temporary = join(folder, `.svc-${host.random().hex(8)}.tmp`)
  try {
    const file = await open(temporary, 'wx', 0o666)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    if (existing !== undefined) await chmod(temporary, existing.mode)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function describe(
  { path, name }: { readonly path: string; readonly name: string },
  content: string,
  existing: Existing | undefined,
  host: FileHost,
) {
  const lines = countLines(content)
  const size = showSize(Buffer.byteLength(content))
  if (existing?.text === content) {
    const data: WriteData = { path, change: 'unchanged', lines, linesBefore: lines }
    return { text: `Unchanged: ${name} holds this already.`, data }
  }
  const before = existing === undefined ? '' : existing.text
  const change = before === undefined ? undefined : await compare(name, before, content)
  const diff = change === undefined ? {} : { diff: host.mask(change.diff) }
  if (existing === undefined) {
    const data: WriteData = { path, change: 'created', lines, ...diff }
    return { text: `Created ${name}: ${plural(lines)}, ${size}.`, data }
  }
  const linesBefore = before === undefined ? {} : { linesBefore: countLines(before) }
  const data: WriteData = { path, change: 'replaced', lines, ...linesBefore, ...diff }
  const was = before === undefined ? showSize(existing.size) : plural(countLines(before))
  const counts = change === undefined ? '' : ` (+${change.added} -${change.removed})`
  return { text: `Replaced ${name}: ${was} before, now ${plural(lines)}${counts}, ${size}.`, data }
}

function countLines(text: string): number {
  return text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0)
}

function plural(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`
}
