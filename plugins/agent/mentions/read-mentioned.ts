/** Reads a file or a folder that was mentioned, by the rules of the file guard. */
import { errorCode, errorMessage, SvcError } from 'svc/sdk'
import { type DocumentText, documentText } from 'svc/sdk/kit/files'
import type { GuardedFiles } from 'svc/sdk/safety'
import type { LineRange, MentionContent, MentionSession } from './mention.ts'

/** How much of it. */
export interface ReadOptions {
  readonly range: LineRange | undefined
  readonly maxBytes: number
  readonly signal: AbortSignal
}

type ReadBytes = Pick<Awaited<ReturnType<GuardedFiles['read']>>, 'bytes' | 'size'>

const FILE_BYTES = 100 * 1024
/** Lines of a larger file are not looked for. */
const RANGE_BYTES = 20 * 2 ** 20
const MAX_NAMES = 200
/** Names that are counted. */
const MAX_LISTED = 100_000

/** Throws `MENTION_UNREAD`, a `FILE_...` error, an error of the system, or the signal's reason. */
export async function readMentionedFile(
  { path, session }: { readonly path: string; readonly session: MentionSession },
  files: GuardedFiles,
  { range, maxBytes, signal }: ReadOptions,
): Promise<MentionContent> {
  const most = Math.min(FILE_BYTES, maxBytes)
  try {
    const readUpTo = (bytes: number) => files.read(path, session.cwd, { ...session, maxBytes: bytes, signal })
    const read = await readUpTo(range ? RANGE_BYTES : most)
    const document = await documentIn(read, () => readUpTo(RANGE_BYTES), signal)
    return document
      ? foundInDocument(document, range, most)
      : createContent(Buffer.from(read.bytes), read.size, range, most)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (errorCode(error) !== 'FILE_IS_FOLDER') throw error
    return listFolder(await files.names(path, session.cwd, { ...session, limit: MAX_LISTED }))
  }
}

/** The text of a PDF or Office document; undefined for anything else. */
async function documentIn(
  { bytes, size }: ReadBytes,
  readWhole: () => Promise<ReadBytes>,
  signal: AbortSignal,
): Promise<DocumentText | undefined> {
  if (!/^(?:%PDF|PK\x03\x04)/.test(Buffer.from(bytes.subarray(0, 4)).toString('latin1'))) return undefined
  if (size > RANGE_BYTES) return undefined
  const whole = bytes.length < size ? (await readWhole()).bytes : bytes
  try {
    return await documentText(whole, signal)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const message = `The text of the document cannot be read: ${errorMessage(error)}.`
    throw new SvcError('MENTION_UNREAD', message, { cause: error })
  }
}

function foundInDocument({ kind, text }: DocumentText, range: LineRange | undefined, most: number): MentionContent {
  if (range) return cutLines(text, range, most)
  const kept = Buffer.from(text)
    .subarray(0, most)
    .toString()
    .replace(/\ufffd$/, '')
  const cut = kept.length < text.length ? 'the first part of the text' : 'the text'
  return { note: `${cut} of ${kind}, without its layout`, text: kept }
}

function createContent(bytes: Buffer, size: number, range: LineRange | undefined, most: number): MentionContent {
  if (bytes.subarray(0, 8192).includes(0))
    throw new SvcError('MENTION_UNREAD', `Not a text file (${size} bytes). Tools may be able to read it.`)
  const text = bytes.toString()
  if (range) return cutLines(text, range, most)
  const kept = Buffer.byteLength(text)
  if (size <= bytes.length) return { note: 'content of a file', text }
  return { note: `the first ${kept} of ${size} bytes of a file`, text: text.replace(/\ufffd$/, '') }
}

function cutLines(text: string, { from, to }: LineRange, most: number): MentionContent {
  const lines = text.replace(/\n$/, '').split('\n')
  if (from > lines.length) throw new SvcError('MENTION_UNREAD', `It has only ${lines.length} lines.`)
  const last = Math.min(to, lines.length)
  const wanted = lines.slice(from - 1, last).join('\n')
  const kept = Buffer.from(wanted).subarray(0, most).toString()
  const cut = kept.length < wanted.length ? ', cut' : ''
  return { note: `lines ${from}-${last} of ${lines.length} of a file${cut}`, text: kept }
}

function listFolder(listed: readonly string[]): MentionContent {
  const names = listed.map((name) => name.replace(/\p{Cc}/gu, '?'))
  const more = names.length - MAX_NAMES
  const note = `${names.length} names in a folder${more > 0 ? `, the first ${MAX_NAMES}` : ''}`
  return { note, text: names.slice(0, MAX_NAMES).join('\n') }
}
