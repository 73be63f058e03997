/**
 * A terminal in memory: what its screen shows after what was written to it. Knows only what the screen's output needs.
 * `joined`: draws a cluster of code points as one character; `apart`: each on its own, as old terminals do.
 */
import type { TextLayout } from 'svc/sdk/terminal'

interface Cell {
  /** Empty: the right half of the cell before. */
  text: string
  style: string
}

export class Emulator {
  readonly columns: number
  readonly rows: number
  readonly modes = new Set<string>()
  written = 0
  bells = 0
  title = ''
  row = 0
  column = 0
  readonly #layout: TextLayout
  readonly #clusters: 'joined' | 'apart'
  readonly #cells: Cell[][]
  #style = ''
  #link = ''

  constructor(layout: TextLayout, columns: number, rows: number, clusters: 'joined' | 'apart' = 'joined') {
    this.#layout = layout
    this.#clusters = clusters
    this.columns = columns
    this.rows = rows
    // Noise, so that a cell that is never written is seen.
    this.#cells = Array.from({ length: rows }, () => Array.from({ length: columns }, () => ({ text: '#', style: '' })))
  }

  /** Rows as text. */
  text(): string[] {
    return this.#cells.map((row) => row.map((cell) => cell.text).join(''))
  }

  /** All that is seen. */
  cells(): string[] {
    return this.#cells.map((row) => row.map(({ text, style }) => `${text}|${style}`).join(' '))
  }

  cell(row: number, column: number): Readonly<Cell> | undefined {
    return this.#cells[row]?.[column]
  }

  write(output: string): void {
    this.written += output.length
    const piece = /\x1b\[([<-?]?[\d;]*)([A-Za-z])|\x1b\](.*?)(?:\x07|\x1b\\)|\x1b\\|\x07|[^\x1b\x07]+/gs
    let at = 0
    for (const match of output.matchAll(piece)) {
      if (match.index !== at) throw new Error(`not understood: ${JSON.stringify(output.slice(at, at + 20))}`)
      at += match[0].length
      const [whole, parameters, final, string] = match
      if (final !== undefined) this.#control(parameters ?? '', final)
      else if (string !== undefined) this.#string(string)
      else if (whole === '\x07') this.bells++
      else if (whole !== '\x1b\\') this.#print(whole)
    }
    if (at !== output.length) throw new Error(`not understood: ${JSON.stringify(output.slice(at, at + 20))}`)
  }

  #control(parameters: string, final: string): void {
    if (final === 'h') this.modes.add(parameters)
    else if (final === 'l') this.modes.delete(parameters)
    else if (final === 'm') {
      if (!parameters.startsWith('>')) this.#style = parameters === '0' ? '' : parameters
    } else this.#edit(parameters, final)
    if (this.row >= this.rows || this.column > this.columns) throw new Error('the cursor left the screen')
  }

  #edit(parameters: string, final: string): void {
    const [first = 0, second = 0] = parameters.split(';').map(Number)
    if (final === 'H') [this.row, this.column] = [Math.max(1, first) - 1, Math.max(1, second) - 1]
    if (final === 'C') this.column = Math.min(this.columns - 1, this.column + Math.max(1, first))
    if (final === 'K') this.#erase(this.columns)
    if (final === 'X') this.#erase(this.column + first)
  }

  #erase(to: number): void {
    for (let x = this.column; x < to; x++) this.#set(x, ' ', '')
  }

  #string(text: string): void {
    const [number, ...rest] = text.split(';')
    if (number === '8') this.#link = rest.slice(1).join(';')
    if (number === '2') this.title = rest.join(';')
  }

  #print(text: string): void {
    if (/[\x00-\x1f\x7f-\x9f]/.test(text)) throw new Error(`a control character: ${JSON.stringify(text)}`)
    const parts = this.#clusters === 'joined' ? this.#layout.graphemes(text) : [...text]
    for (const part of parts) this.#put(part)
  }

  #put(text: string): void {
    const width = this.#layout.width(text)
    if (width === 0) return
    if (this.column + width > this.columns) this.column = this.columns - width
    const style = this.#link ? `${this.#style} ${this.#link}` : this.#style
    this.#set(this.column, text, style)
    if (width === 2) {
      this.#set(this.column + 1, ' ', style)
      ;(this.#cells[this.row] as Cell[])[this.column] = { text, style }
      ;(this.#cells[this.row] as Cell[])[this.column + 1] = { text: '', style }
    }
    this.column += width
  }

  /** Writes one cell; the other half of a wide character that stood there becomes blank. */
  #set(x: number, text: string, style: string): void {
    const row = this.#cells[this.row] as Cell[]
    const before = row[x - 1]
    const next = row[x + 1]
    if (row[x]?.text === '' && before) before.text = ' '
    if (next?.text === '') next.text = ' '
    row[x] = { text, style }
  }
}
