/** One file of notes, read with care: size, kind, hidden text and orders to the model. */
import { open } from 'node:fs/promises'
import { suspicion } from './suspicious-text.ts'

/** Bytes; a larger file is not a notes file. */
const MAX_BYTES = 4 * 1024 * 1024

/** The description and content of a file; or why it is omitted, as the rest of a sentence. */
export type Notes = { readonly text: string; readonly whole: string } | { readonly refused: string }

/** Undefined if the file does not exist. Never throws: an unreadable file is rejected with the reason. */
export async function readNotes(path: string, limit: number): Promise<Notes | undefined> {
  try {
    const raw = await readText(path)
    if (typeof raw !== 'string') return raw
    const text = withoutFrontMatter(raw.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')).trim()
    const reason = suspicion(text)
    return reason ? { refused: reason } : { text: clip(text, limit), whole: text }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : { refused: `could not be read (${code ?? error})` }
  }
}

/** A pipe is opened without waiting for its writer, and refused. */
async function readText(path: string): Promise<string | Notes> {
  const { constants } = await import('node:fs')
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return { refused: 'is no ordinary file' }
    if (stats.size > MAX_BYTES) return { refused: `is larger than ${MAX_BYTES / 1024 / 1024} MiB` }
    const bytes = await file.readFile()
    return bytes.includes(0) ? { refused: 'is not text' } : bytes.toString()
  } finally {
    await file.close()
  }
}

function withoutFrontMatter(text: string): string {
  const end = text.startsWith('---\n') ? text.indexOf('\n---\n', 3) : -1
  return end < 0 ? text : text.slice(end + '\n---\n'.length)
}

/** Seven tenths from the beginning and two from the end; what is missing between them is said. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = dropHalfCharacter(text.slice(0, Math.floor(limit * 0.7)))
  const tail = text.slice(text.length - Math.floor(limit * 0.2)).replace(/^[\udc00-\udfff]/, '')
  return `${head}\n[${text.length - head.length - tail.length} characters left out; read the file for all of it]\n${tail}`
}

/** Without half a character at the end. */
function dropHalfCharacter(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '')
}
