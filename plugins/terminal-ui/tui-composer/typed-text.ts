/** Text as lines of units, a unit being a character as people see it or a fold; and how a line stands in rows. */
import type { StyledLine, StyledSpan, TextLayout } from 'svc/sdk/terminal'

/** A long text that takes one place: the cursor steps over it, one backspace removes it. */
export interface Fold {
  /** What is seen of it. */
  readonly label: string
  readonly text: string
}

export type Unit = string | Fold
export type Units = readonly Unit[]
/** Lines of a text; there is always one. */
export type Content = readonly Units[]

export interface TextPosition {
  readonly line: number
  /** Units before it in its line. */
  readonly at: number
}

/** A cell. */
export interface Spot {
  readonly row: number
  readonly column: number
}

/** A line in rows of a width, and where each unit and the end stand in them. */
export interface Laid {
  readonly width: number
  readonly rows: readonly StyledLine[]
  readonly starts: readonly Spot[]
}

/** Units on either side of a seam that may grow together: `e` and an accent, two halves of a flag. */
const SEAM_UNITS = 4
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g

export function parseContent(parts: readonly (string | Fold)[], layout: TextLayout): Content {
  return parts.reduce<Content>((content, part) => join(content, parse(part, layout), layout), [[]])
}

function parse(part: string | Fold, layout: TextLayout): Content {
  if (typeof part !== 'string') return [[part]]
  const whole = part.replace(LINE_ENDS, '\n').replace(/\p{Surrogate}/gu, '\ufffd')
  return whole.split('\n').map((line) => layout.graphemes(line))
}

/** One behind the other, the last line of the first and the first of the second as one. */
export function join(one: Content, two: Content, layout: TextLayout): Content {
  const seam = grown(one.at(-1) ?? [], two[0] ?? [], layout)
  return [...one.slice(0, -1), seam, ...two.slice(1)]
}

/** Where characters meet they may become one. */
function grown(left: Units, right: Units, layout: TextLayout): Units {
  const [last, next] = [left.at(-1), right[0]]
  if (typeof last !== 'string' || typeof next !== 'string' || (isPlain(last) && isPlain(next)))
    return left.length === 0 ? right : right.length === 0 ? left : [...left, ...right]
  const from = left.findLastIndex((unit) => typeof unit !== 'string') + 1
  const start = Math.max(from, left.length - SEAM_UNITS)
  const fold = right.findIndex((unit) => typeof unit !== 'string')
  const end = Math.min(fold < 0 ? right.length : fold, SEAM_UNITS)
  const seam = layout.graphemes([...left.slice(start), ...right.slice(0, end)].join(''))
  return [...left.slice(0, start), ...seam, ...right.slice(end)]
}

function isPlain(unit: string): boolean {
  const code = unit.charCodeAt(0)
  return unit.length === 1 && code >= 0x20 && code <= 0x7e
}

export function formatContent(content: Content, ofFold: (fold: Fold) => string): string {
  const shown = (unit: Unit) => (typeof unit === 'string' ? unit : ofFold(unit))
  return content.map((units) => units.map(shown).join('')).join('\n')
}

/** What stands between two places, the first of which is not behind the second. */
export function sliceContent(content: Content, from: TextPosition, to: TextPosition): Content {
  const lines = content.slice(from.line, to.line + 1)
  return lines.map((units, index) => {
    const end = index === lines.length - 1 ? to.at : units.length
    return units.slice(index === 0 ? from.at : 0, end)
  })
}

/** The content with something else between two places, and the place behind that. */
export function splice(
  content: Content,
  [from, to]: readonly [TextPosition, TextPosition],
  part: Content,
  layout: TextLayout,
): { readonly lines: Content; readonly cursor: TextPosition } {
  const before = [...content.slice(0, from.line), (content[from.line] ?? []).slice(0, from.at)]
  const after = [(content[to.line] ?? []).slice(to.at), ...content.slice(to.line + 1)]
  const start = join(before, part, layout)
  const lines = join(start, after, layout)
  const line = start.length - 1
  return { lines, cursor: { line, at: unitsWithin(lines[line] ?? [], measureUnits(start[line] ?? [])) } }
}

function measureUnits(units: Units): number {
  return units.reduce((sum, unit) => sum + lengthOfUnit(unit), 0)
}

function lengthOfUnit(unit: Unit | undefined): number {
  return typeof unit === 'string' ? unit.length : 1
}

/** How many units hold the first `length` characters: what grew over the seam belongs to them. */
function unitsWithin(units: Units, length: number): number {
  let [at, left] = [0, length]
  for (; left > 0 && at < units.length; at++) left -= lengthOfUnit(units[at])
  return at
}

export function getEnd(content: Content): TextPosition {
  return { line: content.length - 1, at: content.at(-1)?.length ?? 0 }
}

export function isSame(one: TextPosition, two: TextPosition): boolean {
  return one.line === two.line && one.at === two.at
}

export function inOrder(one: TextPosition, two: TextPosition): readonly [TextPosition, TextPosition] {
  return one.line < two.line || (one.line === two.line && one.at <= two.at) ? [one, two] : [two, one]
}

/** The unit in this row that is nearest to the column; a fold may have no beginning there. */
export function findUnit({ starts }: Laid, row: number, column: number, direction: -1 | 1): number {
  const inRow = starts.findLastIndex((start) => start.row === row && start.column <= column)
  if (inRow >= 0) return inRow
  const other = direction < 0 ? starts.findLastIndex((start) => start.row < row) : starts.findIndex((s) => s.row >= row)
  return other < 0 ? starts.length - 1 : other
}

/**
 * Breaks a line at words where it can; a space that does not fit goes into the break. A full row has an empty one behind
 * it, for the cursor.
 */
export function layOut(units: Units, width: number, layout: TextLayout): Laid {
  const rows = new Rows(Math.max(1, width))
  const starts: Spot[] = []
  for (let at = 0; at < units.length; ) {
    const end = wordEnd(units, at)
    const word = units.slice(at, end).map((unit) => drawUnit(unit, layout))
    rows.word(word)
    for (const each of word) starts.push(rows.put(each))
    at = end
  }
  starts.push(rows.end())
  return { width, rows: rows.all, starts }
}

/** Behind the units that are kept on one row: a word of an alphabet, or a single unit of any other kind. */
function wordEnd(units: Units, at: number): number {
  let end = at
  while (isLetter(units[end])) end++
  return Math.max(end, at + 1)
}

const APART =
  /[\s\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

function isLetter(unit: Unit | undefined): boolean {
  return typeof unit === 'string' && (isPlain(unit) ? unit !== ' ' : !APART.test(unit))
}

/** A unit as it is drawn: pieces that may stand on different rows. */
interface Drawn {
  readonly pieces: readonly { readonly text: string; readonly cells: number }[]
  readonly cells: number
  readonly role: 'text' | 'accent'
  readonly isSpace: boolean
}

function drawUnit(unit: Unit, layout: TextLayout): Drawn {
  const isText = typeof unit === 'string'
  if (isText && isPlain(unit))
    return { pieces: [{ text: unit, cells: 1 }], cells: 1, role: 'text', isSpace: unit === ' ' }
  const pieces = shownPieces(unit, layout).map((text) => ({ text, cells: layout.width(text) }))
  const cells = pieces.reduce((sum, piece) => sum + piece.cells, 0)
  return { pieces, cells, role: isText ? 'text' : 'accent', isSpace: false }
}

function shownPieces(unit: Unit, layout: TextLayout): readonly string[] {
  if (typeof unit !== 'string') return layout.graphemes(layout.clean(unit.label))
  const shown = layout.clean(unit, 'visible')
  return shown === unit ? [unit] : layout.graphemes(shown)
}

/** Rows that are being filled. */
class Rows {
  readonly all: StyledLine[] = []
  readonly #width: number
  #column = 0
  #spans: StyledSpan[] = []
  #text = ''
  #role: 'text' | 'accent' = 'text'

  constructor(width: number) {
    this.#width = width
  }

  /** A word that is to stand on one row begins another one when this has no room left for it. */
  word(units: readonly Drawn[]): void {
    const cells = units.reduce((sum, unit) => sum + unit.cells, 0)
    const isSpace = units.length === 1 && units[0]?.isSpace
    if (this.#column > 0 && !isSpace && cells <= this.#width && this.#column + cells > this.#width) this.#break()
  }

  /** Where it stands. */
  put({ pieces, role, isSpace }: Drawn): Spot {
    if (isSpace && this.#column >= this.#width) {
      this.#break()
      return { row: this.all.length, column: 0 }
    }
    const [first, ...others] = pieces
    const spot = this.#add(first?.text ?? '', first?.cells ?? 0, role)
    for (const { text, cells } of others) this.#add(text, cells, role)
    return spot
  }

  /** What is wider than a row is shown as `…`. */
  #add(text: string, cells: number, role: 'text' | 'accent'): Spot {
    const fits = cells <= this.#width
    const taken = fits ? cells : 1
    // Where nothing is to be seen the cursor needs a cell all the same.
    if (this.#column + Math.max(1, taken) > this.#width) this.#break()
    if (role !== this.#role) this.#endSpan(role)
    const spot = { row: this.all.length, column: this.#column }
    this.#column += taken
    this.#text += fits ? text : '…'
    return spot
  }

  /** The end of the line. */
  end(): Spot {
    if (this.#column >= this.#width) this.#break()
    const spot = { row: this.all.length, column: this.#column }
    this.#break()
    return spot
  }

  #break(): void {
    this.#endSpan(this.#role)
    this.all.push(this.#spans)
    this.#spans = []
    this.#column = 0
  }

  #endSpan(next: 'text' | 'accent'): void {
    if (this.#text !== '') this.#spans.push({ role: this.#role, text: this.#text })
    this.#text = ''
    this.#role = next
  }
}
