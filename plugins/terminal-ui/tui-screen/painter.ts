/** Turns pictures into the fewest bytes that make the terminal show them. */
import type { Frame, StyledLine, Theme } from 'svc/sdk/terminal'
import { layOutRow, type Row } from './cells.ts'
import type { ColorCount } from './colors.ts'
import type { Glyphs } from './glyphs.ts'
import { PLAIN, Styles } from './styles.ts'

/** As many equal cells are written again rather than skipped: a jump takes more bytes. */
const SHORT_GAP = 3
/** As many blank cells at the end of a row are erased rather than written. */
const LONG_TAIL = 4
/** What no picture shows: the cell must be written. */
const UNKNOWN = '\0'

/** Knows what the terminal shows. Its output requires that lines do not wrap automatically (DECAWM off). */
export class Painter {
  readonly #glyphs: Glyphs
  readonly #colors: ColorCount
  #skin: Theme
  #styles: Styles
  #shown: Row[] = []
  /** The lines that `#shown` was made of. A line never changes, so the same line is the same row. */
  #lines: (StyledLine | undefined)[] = []
  #rows = new WeakMap<StyledLine, Row>()
  #columns = 0
  /** Where the cursor blinks, as it is written; undefined: not known. */
  #cursor: string | undefined

  constructor(glyphs: Glyphs, colors: ColorCount, skin: Theme) {
    this.#glyphs = glyphs
    this.#colors = colors
    this.#skin = skin
    this.#styles = new Styles(skin, colors)
  }

  look(skin: Theme): void {
    this.#skin = skin
    this.forget()
  }

  forget(): void {
    this.#styles = new Styles(this.#skin, this.#colors)
    this.#rows = new WeakMap()
    this.#shown = []
    this.#lines = []
    this.#cursor = undefined
  }

  /** What to write so that the picture is shown; empty when it is shown already. */
  paint(picture: Frame, columns: number, rows: number): string {
    this.#fit(columns, rows)
    const pen: Pen = { out: '', style: PLAIN, at: -1 }
    for (let y = 0; y < rows; y++) this.#paintRow(pen, y, picture.lines[y] ?? nothing)
    if (pen.style !== PLAIN) pen.out += this.#styles.change(pen.style, PLAIN)
    const cursor = createCursorSequence(picture, columns, rows)
    const isMoved = pen.out !== '' || cursor !== this.#cursor
    const wasVisible = this.#cursor !== HIDDEN
    this.#cursor = cursor
    if (pen.out === '') return isMoved ? cursor : ''
    // Synchronized output: https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036
    return `\x1b[?2026h${wasVisible ? HIDDEN : ''}${pen.out}${cursor === HIDDEN ? '' : cursor}\x1b[?2026l`
  }

  #fit(columns: number, rows: number): void {
    if (this.#styles.isFull || columns !== this.#columns || rows !== this.#shown.length) this.forget()
    this.#columns = columns
    while (this.#shown.length < rows)
      this.#shown.push({
        texts: new Array<string>(columns).fill(UNKNOWN),
        styles: new Array<number>(columns).fill(PLAIN),
      })
  }

  #paintRow(pen: Pen, y: number, line: StyledLine): void {
    if (this.#lines[y] === line) return
    let next = this.#rows.get(line)
    if (!next) {
      next = layOutRow(line, this.#columns, this.#glyphs, this.#styles)
      this.#rows.set(line, next)
    }
    this.#writeRow(pen, y, this.#shown[y] as Row, next)
    this.#lines[y] = line
    this.#shown[y] = next
  }

  #writeRow(pen: Pen, y: number, before: Row, next: Row): void {
    const columns = this.#columns
    const tail = blankTail(next)
    // How far cells must be written although they are the same: something may have spilled over them.
    let spilled = 0
    pen.at = -1
    for (let x = 0; x < columns; x++) {
      const text = next.texts[x] as string
      const isSame = text === before.texts[x] && next.styles[x] === before.styles[x]
      if ((isSame && x >= spilled) || text === '') continue
      if (x >= tail && columns - x >= LONG_TAIL) {
        this.#eraseFrom(pen, x, y)
        return
      }
      this.#move(pen, x, y, next)
      spilled = Math.max(spilled, this.#put(pen, x, text, next.styles[x] as number))
    }
  }

  /** Brings the cursor to the cell. */
  #move(pen: Pen, x: number, y: number, row: Row): void {
    if (pen.at === x) return
    const gap = x - pen.at
    const isShort = pen.at >= 0 && gap <= SHORT_GAP
    if (isShort && this.#isEasy(row, pen.at, x, pen.style)) pen.out += row.texts.slice(pen.at, x).join('')
    else if (pen.at >= 0) pen.out += gap === 1 ? '\x1b[C' : `\x1b[${gap}C`
    else pen.out += `\x1b[${y + 1};${x + 1}H`
    pen.at = x
  }

  #isEasy(row: Row, from: number, to: number, style: number): boolean {
    for (let x = from; x < to; x++) {
      const text = row.texts[x] as string
      if (row.styles[x] !== style || text.length !== 1 || text > '~') return false
    }
    return true
  }

  /** Writes one character; returns up to where it may have spilled. */
  #put(pen: Pen, x: number, text: string, style: number): number {
    this.#turn(pen, style)
    const { width, isUnsure, spill } = this.#glyphs.of(text)
    // A terminal that draws it narrower must not leave what was there before.
    if (isUnsure && width === 2) pen.out += '\x1b[2X'
    pen.out += text
    pen.at = isUnsure || x + width >= this.#columns ? -1 : x + width
    return x + width + spill
  }

  #eraseFrom(pen: Pen, x: number, y: number): void {
    if (pen.at !== x) pen.out += `\x1b[${y + 1};${x + 1}H`
    this.#turn(pen, PLAIN)
    pen.out += '\x1b[K'
  }

  #turn(pen: Pen, style: number): void {
    if (pen.style === style) return
    pen.out += this.#styles.change(pen.style, style)
    pen.style = style
  }
}

/** What is written, in which look, and the column of the cursor; -1: not known. */
interface Pen {
  out: string
  style: number
  at: number
}

const nothing: StyledLine = []
const HIDDEN = '\x1b[?25l'

/** Where the plain blanks at the end begin. */
function blankTail(row: Row): number {
  let x = row.texts.length
  while (x > 0 && row.texts[x - 1] === ' ' && row.styles[x - 1] === PLAIN) x--
  return x
}

function createCursorSequence({ cursor }: Frame, columns: number, rows: number): string {
  if (!cursor) return HIDDEN
  const row = Math.max(0, Math.min(rows - 1, Math.trunc(cursor.row)))
  const column = Math.max(0, Math.min(columns - 1, Math.trunc(cursor.column)))
  return `\x1b[${row + 1};${column + 1}H\x1b[?25h`
}
