/** The text of a PDF, read in a thread of its own: a hostile document may keep a reader busy without end. */
import { createRequire } from 'node:module'

/** Bounds on the reading of one document. */
export interface PdfLimits {
  /** Milliseconds. */
  readonly timeoutMs: number
  readonly maxCharacters: number
}

/** Megabytes of the thread's heap: many times the largest document that is read. */
const MAX_HEAP_MB = 1024

/** What the thread runs; the program is one file, so it has its text from here. */
const SCRIPT = `
const { parentPort, workerData: { library, bytes, maxCharacters } } = require('node:worker_threads')
async function read() {
  const { getDocumentProxy } = require(library)
  // The library prints warnings unless told not to.
  const document = await getDocumentProxy(bytes, { verbosity: 0 })
  const pages = []
  let length = 0
  for (let number = 1; number <= document.numPages && length <= maxCharacters; number++) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    const text = items.map(({ str = '', hasEOL }) => str + (hasEOL ? '\\n' : '')).join('')
    page.cleanup()
    length += text.length
    pages.push('[page ' + number + ']\\n' + text.trim())
  }
  return pages.join('\\n\\n')
}
read().then(
  (text) => parentPort.postMessage({ text }),
  (error) => parentPort.postMessage({ problem: String(error?.message ?? error), isLocked: error?.name === 'PasswordException' }),
)
`

interface Answer {
  readonly text?: string
  readonly problem?: string
  readonly isLocked?: boolean
}

/**
 * Pages with a line such as `[page 2]` before each. Rejects with the reason for a document that cannot be read, and for one
 * that takes too long or too much memory; the thread is ended then. The time is that of the machine: a thread knows no other.
 */
export async function pdfText(bytes: Uint8Array, signal: AbortSignal, limits: PdfLimits): Promise<string> {
  signal.throwIfAborted()
  const { text, problem, isLocked } = await readAside(bytes, signal, limits)
  if (isLocked) throw new Error('it is protected by a password')
  if (text === undefined) throw new Error(problem ?? 'its reader ended without a text')
  return text
}

async function readAside(bytes: Uint8Array, signal: AbortSignal, limits: PdfLimits): Promise<Answer> {
  const { timeoutMs, maxCharacters } = limits
  const library = createRequire(import.meta.url).resolve('unpdf')
  // Loaded here: who reads no document starts no thread.
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const worker = new Worker(SCRIPT, {
    eval: true,
    workerData: { library, maxCharacters, bytes: Uint8Array.from(bytes) },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    // Not a text of the library reaches a terminal that shows something else.
    stdout: true,
    stderr: true,
  })
  let stop = () => {}
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`it took longer than ${timeoutMs / 1000} s to read`)), timeoutMs)
      const abort = () => reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      stop = () => {
        clearTimeout(late)
        signal.removeEventListener('abort', abort)
      }
      worker.once('message', resolve)
      worker.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new Error('it takes too much memory to read') : error),
      )
      worker.once('exit', () => resolve({}))
    })
  } finally {
    stop()
    await worker.terminate()
  }
}
