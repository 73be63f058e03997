/** The text of PDF and Office documents. The libraries are imported when there is one to read. */
import { officeText } from './office-text.ts'

/** What a document says, without its layout. @since 0.2 */
export interface DocumentText {
  /** For a sentence: `a PDF document`. */
  readonly kind: string
  /** Pages, slides and sheets begin with a line such as `[page 2]`. */
  readonly text: string
}

/** Larger documents are not read: a library needs many times their size. */
const MAX_BYTES = 50 * 2 ** 20
const MAX_CHARACTERS = 2_000_000

/**
 * The text of a PDF, Word, Excel, PowerPoint or OpenDocument file; undefined for other bytes. Text beyond two million characters is
 * left out with a note. Rejects with the reason for a document that cannot be read: a password, damage, too large.
 * Formats: ISO 32000 (PDF), ECMA-376 (Office Open XML), OASIS OpenDocument 1.3.
 * @since 0.2
 */
export async function documentText(bytes: Uint8Array, signal: AbortSignal): Promise<DocumentText | undefined> {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  const isPdf = start.includes('%PDF-')
  if (!isPdf && !start.startsWith('PK\u0003\u0004')) return undefined
  if (bytes.length > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES / 2 ** 20} MB`)
  const found = isPdf ? { kind: 'a PDF document', text: await pdfText(bytes, signal) } : await officeText(bytes)
  if (found === undefined || found.text.length <= MAX_CHARACTERS) return found
  return { kind: found.kind, text: `${found.text.slice(0, MAX_CHARACTERS)}\n[the rest is left out]` }
}

/** A piece of text of a page; a mark of the structure has no `str`. */
interface PdfItem {
  readonly str?: string
  readonly hasEOL?: boolean
}

async function pdfText(bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const { getDocumentProxy } = await import('unpdf')
  // The library takes the buffer over, and prints warnings unless told not to.
  const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 }).catch((error: unknown) => {
    const isLocked = (error as { name?: unknown }).name === 'PasswordException'
    throw isLocked ? new Error('it is protected by a password', { cause: error }) : error
  })
  try {
    const pages: string[] = []
    let length = 0
    for (let number = 1; number <= document.numPages && length <= MAX_CHARACTERS; number++) {
      signal.throwIfAborted()
      const page = await document.getPage(number)
      const { items } = await page.getTextContent()
      const text = items.map(({ str = '', hasEOL }: PdfItem) => `${str}${hasEOL ? '\n' : ''}`).join('')
      page.cleanup()
      length += text.length
      pages.push(`[page ${number}]\n${text.trim()}`)
    }
    return pages.join('\n\n')
  } finally {
    await document.destroy()
  }
}
