/** One line of text that is typed in, such as a new title. */
import type { StyledLine, TerminalInput, TextLayout } from 'svc/sdk/terminal'
import { toPlainLine } from './text.ts'

const MAX_CHARACTERS = 500

export class LineEdit {
  readonly #layout: TextLayout
  readonly #label: string
  #text: string

  constructor(layout: TextLayout, label: string, text: string) {
    this.#layout = layout
    this.#label = label
    this.#text = text
  }

  get text(): string {
    return this.#text.trim()
  }

  get line(): StyledLine {
    return [
      { text: `${this.#label} `, role: 'prompt' },
      { text: `${this.#text}▏`, role: 'accent' },
    ]
  }

  /** `done` and `cancelled` end it. */
  input(input: TerminalInput): 'done' | 'cancelled' | 'going-on' {
    if (input.type === 'text' || input.type === 'paste') this.#add(input.text)
    if (input.type !== 'key') return 'going-on'
    switch (input.name) {
      case 'enter':
        return 'done'
      case 'escape':
      case 'C-c':
        return 'cancelled'
      case 'backspace':
        this.#text = this.#layout.graphemes(this.#text).slice(0, -1).join('')
        break
      case 'C-u':
        this.#text = ''
        break
      case 'C-w':
        this.#text = this.#text.replace(/\S*\s*$/, '')
        break
      case 'space':
        this.#add(' ')
        break
      default:
        if (/^\P{C}$/u.test(input.name)) this.#add(input.name)
    }
    return 'going-on'
  }

  #add(text: string): void {
    const end = text.endsWith(' ') ? ' ' : ''
    const start = text.startsWith(' ') && text.trim() !== '' ? ' ' : ''
    this.#text = `${this.#text}${start}${toPlainLine(this.#layout, text, MAX_CHARACTERS)}${end}`
      .slice(0, MAX_CHARACTERS)
      .replace(/[\ud800-\udbff]$/, '')
  }
}
