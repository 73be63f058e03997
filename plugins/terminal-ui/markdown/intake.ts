/** What comes in pieces, cleaned: a sequence that a terminal would obey may come in two of them. */
import type { TextLayout } from 'svc/sdk/terminal'

const TAB_STOP = 4
/** A string without an end is text, after as many characters as `TextLayout.clean` takes for one, and its marks. */
const MAX_HELD = 4_100
/**
 * What may continue in the next chunk: halves of a character, sequences as `TextLayout.clean` knows them.
 */
const UNFINISHED = new RegExp(
  [
    '[\\ud800-\\udbff]',
    '(?:\\x1b\\]|\\x9d)[^\\n\\x07\\x1b\\x80-\\x9f]*\\x1b?',
    '(?:\\x1b[PX^_]|[\\x90\\x98\\x9e\\x9f])[^\\n\\x1b\\x80-\\x9f]*\\x1b?',
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*',
    '\\x1b[ -/]*',
  ]
    .map((part) => `${part}$`)
    .join('|'),
)

/** Cleaned text is the same in whatever pieces it came. */
export class Intake {
  readonly #layout: TextLayout
  #held = ''
  #column = 0

  constructor(layout: TextLayout) {
    this.#layout = layout
  }

  /** What can be said for certain now. */
  take(piece: string): string {
    const text = this.#held + piece
    const start = this.#findUnfinished(text)
    const isHeld = text.length - start <= MAX_HELD
    this.#held = isHeld ? text.slice(start) : ''
    return this.#cleaned(isHeld ? text.slice(0, start) : text)
  }

  /** What was held back, as it is if nothing else comes. */
  rest(): string {
    const rest = this.#cleaned(this.#held)
    this.#held = ''
    return rest
  }

  /** Where that begins which may continue. An end of a line may: what stands between its two characters may be a sequence. */
  #findUnfinished(text: string): number {
    const found = text.search(UNFINISHED)
    let start = found < 0 ? text.length : found
    for (;;) {
      const at = start > 0 ? text.lastIndexOf('\r', start - 1) : -1
      if (at < 0 || this.#layout.clean(text.slice(at + 1, start)) !== '') return start
      start = at
    }
  }

  #cleaned(text: string): string {
    if (text === '') return ''
    const [first = '', ...others] = text.split('\t').map((part) => this.#layout.clean(part))
    let cleaned = first
    this.#move(first)
    for (const part of others) {
      const gap = TAB_STOP - (this.#column % TAB_STOP)
      cleaned += ' '.repeat(gap) + part
      this.#column += gap
      this.#move(part)
    }
    return cleaned
  }

  #move(text: string): void {
    const end = text.lastIndexOf('\n')
    this.#column = end < 0 ? this.#column + text.length : text.length - end - 1
  }
}
