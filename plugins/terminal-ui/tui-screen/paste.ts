/** What stands between the marks of a bracketed paste, in pieces of any size and in linear time. */

const END = '\x1b[201~'
/** A larger paste is handed on in parts, so that memory stays bounded and nothing is lost. */
const MAX_PASTE_BYTES = 16 * 2 ** 20

export class PasteReader {
  readonly #emit: (text: string) => void
  #parts: string[] = []
  #size = 0
  /** The end of the last piece, when the mark may have begun in it. */
  #tail = ''

  constructor(emit: (text: string) => void) {
    this.#emit = emit
  }

  /** Reads from `at` on; returns where the text behind the mark begins, or undefined when there is no mark yet. */
  read(text: string, at: number): number | undefined {
    const piece = this.#tail + text.slice(at)
    const mark = piece.indexOf(END)
    if (mark >= 0) {
      const end = at + mark + END.length - this.#tail.length
      this.#tail = ''
      this.#keep(piece.slice(0, mark))
      this.finish()
      return end
    }
    const tail = beginningOfMark(piece)
    this.#keep(piece.slice(0, piece.length - tail))
    this.#tail = tail === 0 ? '' : piece.slice(-tail)
    if (this.#size > MAX_PASTE_BYTES) this.#handOn()
    return undefined
  }

  /** Hands on what is there. */
  finish(): void {
    const text = this.#parts.join('') + this.#tail
    this.#parts = []
    this.#size = 0
    this.#tail = ''
    this.#emit(withLineFeeds(text))
  }

  #keep(text: string): void {
    if (text === '') return
    this.#parts.push(text)
    this.#size += text.length
  }

  #handOn(): void {
    const text = this.#parts.join('')
    // A line feed that belongs to it may come yet.
    const rest = text.endsWith('\r') ? '\r' : ''
    this.#parts = rest ? [rest] : []
    this.#size = rest.length
    this.#emit(withLineFeeds(text.slice(0, text.length - rest.length)))
  }
}

/** How many characters at the end may be the beginning of the mark. */
function beginningOfMark(text: string): number {
  const most = Math.min(END.length - 1, text.length)
  for (let length = most; length > 0; length--) if (text.endsWith(END.slice(0, length))) return length
  return 0
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}
