/** Reads a file or a folder that was mentioned. The path was checked already. */
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { SvcError } from 'svc/sdk'
import type { Found, LineRange } from './mention.ts'

/** How much of it. */
export interface ReadOptions {
  readonly range: LineRange | undefined
  readonly maxBytes: number
  readonly signal: AbortSignal
}

const FILE_BYTES = 100 * 1024
/** Lines of a larger file are not looked for. */
const RANGE_BYTES = 20 * 2 ** 20
const MOST_NAMES = 200

/** Throws `MENTION_UNREAD`, an error of the system, or the signal's reason. */
export async function readMentioned(path: string, options: ReadOptions): Promise<Found> {
  if ((await stat(path)).isDirectory()) return listFolder(path)
  // Not blocking: a named pipe without a writer would wait for ever. No links: this path was looked at, no other.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new SvcError('MENTION_UNREAD', 'It is a device, a pipe or a socket.')
    return await readText(file, stats.size, options)
  } finally {
    await file.close()
  }
}

async function readText(file: FileHandle, size: number, { range, maxBytes, signal }: ReadOptions): Promise<Found> {
  const most = Math.min(FILE_BYTES, maxBytes)
  const bytes = await readStart(file, range ? RANGE_BYTES : most, signal)
  if (bytes.subarray(0, 8192).includes(0))
    throw new SvcError('MENTION_UNREAD', `It is no text (${size} bytes). Tools may be able to read it.`)
  const text = bytes.toString()
  if (range) return cutLines(text, range, most)
  const kept = Buffer.byteLength(text)
  if (size <= bytes.length) return { note: 'content of a file', text }
  return { note: `the first ${kept} of ${size} bytes of a file`, text: text.replace(/\ufffd$/, '') }
}

async function readStart(file: FileHandle, most: number, signal: AbortSignal): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of file.createReadStream({ start: 0, end: most - 1, autoClose: false, signal }))
    parts.push(part as Buffer)
  return Buffer.concat(parts)
}

function cutLines(text: string, { from, to }: LineRange, most: number): Found {
  const lines = text.replace(/\n$/, '').split('\n')
  if (from > lines.length) throw new SvcError('MENTION_UNREAD', `It has only ${lines.length} lines.`)
  const last = Math.min(to, lines.length)
  const wanted = lines.slice(from - 1, last).join('\n')
  const kept = Buffer.from(wanted).subarray(0, most).toString()
  const cut = kept.length < wanted.length ? ', cut' : ''
  return { note: `lines ${from}-${last} of ${lines.length} of a file${cut}`, text: kept }
}

async function listFolder(path: string): Promise<Found> {
  const entries = await readdir(path, { withFileTypes: true })
  const names = entries.map((entry) => `${entry.name.replace(/\p{Cc}/gu, '?')}${entry.isDirectory() ? '/' : ''}`).sort()
  const more = names.length - MOST_NAMES
  const note = `${names.length} names in a folder${more > 0 ? `, the first ${MOST_NAMES}` : ''}`
  return { note, text: names.slice(0, MOST_NAMES).join('\n') }
}
