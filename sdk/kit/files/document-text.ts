/** The text of PDF and Office documents. The libraries are imported when there is one to read. */
import { officeText } from './office-text.ts'
import { pdfText } from './pdf-text.ts'

/** The text of a document, without its layout. @since 0.2 */
export interface DocumentText {
  /** For a sentence: `a PDF document`. */
  readonly kind: string
  /** Pages, slides and sheets begin with a line such as `[page 2]`. */
  readonly text: string
}

/** Larger documents are not read: a library needs many times their size. */
const MAX_BYTES = 50 * 2 ** 20
const MAX_CHARACTERS = 2_000_000
/** A document of a thousand pages takes a tenth of it. */
const MAX_MS = 60_000

/**
 * The text of a PDF, Word, Excel, PowerPoint or OpenDocument file; undefined for other bytes. Text beyond two million characters is
 * left out with a note. Rejects with the reason for a document that cannot be read: a password, damage, too large, or more than
 * `timeoutMs` milliseconds (default: one minute). A PDF is read in a thread that is ended with it and at the signal.
 * Formats: ISO 32000 (PDF), ECMA-376 (Office Open XML), OASIS OpenDocument 1.3.
 * @since 0.2
 */
export async function documentText(
  bytes: Uint8Array,
  signal: AbortSignal,
  { timeoutMs = MAX_MS }: { readonly timeoutMs?: number } = {},
): Promise<DocumentText | undefined> {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  const isPdf = start.includes('%PDF-')
  if (!isPdf && !start.startsWith('PK\u0003\u0004')) return undefined
  if (bytes.length > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES / 2 ** 20} MB`)
  const found = isPdf
    ? { kind: 'a PDF document', text: await pdfText(bytes, signal, { timeoutMs, maxCharacters: MAX_CHARACTERS }) }
    : await officeText(bytes)
  if (found === undefined || found.text.length <= MAX_CHARACTERS) return found
  return { kind: found.kind, text: `${found.text.slice(0, MAX_CHARACTERS)}\n[the rest is left out]` }
}
