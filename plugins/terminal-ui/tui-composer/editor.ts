/** The text that is being typed: characters as people see them, folds, a cursor, undo and kill. Knows no terminal. */
import type { ComposerMark, StyledLine, TextLayout } from 'svc/sdk/terminal'
import { markRows, measureShown } from './marks.ts'
import {
  type Content,
  type Fold,
  findUnit,
  formatContent,
  getEnd,
  inOrder,
  isSame,
  join,
  type Laid,
  layOut,
  parseContent,
  sliceContent,
  splice,
  type TextPosition,
  type Unit,
  type Units,
} from './typed-text.ts'

/** A text with its cursor, to come back to. */
export interface EditorState {
  readonly lines: Content
  readonly cursor: TextPosition
}

const BLANK: EditorState = { lines: [[]], cursor: { line: 0, at: 0 } }
const MAX_STEPS = 500
const MAX_KILLS = 20
/** How an edit counts for undo: letters that are typed one after the other are one step. */
type Edit = 'typed' | 'killed' | 'other'

/** One text. Every method leaves the cursor inside of it; keys are named as in `TerminalInput`. */
export class Editor {
  readonly #layout: TextLayout
  readonly #keys: ReadonlyMap<string, () => void>
  #state = BLANK
  #undo: EditorState[] = []
  #redo: EditorState[] = []
  #last: Edit | 'moved' = 'moved'
  #kills: Content[] = []
  /** Where the text that C-y put in begins, as long as nothing else was done. */
  #yank: TextPosition | undefined
  /** The column that up and down keep. */
  #column: number | undefined
  #width = 80
  #top = 0
  readonly #laid = new WeakMap<Units, Laid>()

  constructor(layout: TextLayout) {
    this.#layout = layout
    this.#keys = new Map(Object.entries(this.#bindings()))
  }

  /** To come back to with `restore`; another one after each change. */
  get state(): EditorState {
    return this.#state
  }

  /** All of it, folds expanded. */
  get text(): string {
    return formatContent(this.#state.lines, (fold) => fold.text)
  }

  /** As it is seen, folds by their labels. */
  get shown(): string {
    return formatContent(this.#state.lines, (fold) => fold.label)
  }

  /** What is seen of it before the cursor. */
  get before(): string {
    const { lines, cursor } = this.#state
    const last = (lines[cursor.line] ?? []).slice(0, cursor.at)
    return formatContent([...lines.slice(0, cursor.line), last], (fold) => fold.label)
  }

  get folds(): readonly Fold[] {
    return this.#state.lines.flat().filter((unit) => typeof unit !== 'string')
  }

  get isEmpty(): boolean {
    return this.#state.lines.length === 1 && this.#state.lines[0]?.length === 0
  }

  get isAtEnd(): boolean {
    return isSame(this.#state.cursor, getEnd(this.#state.lines))
  }

  /** A new beginning: nothing can be undone. */
  clear(): void {
    this.#state = BLANK
    this.#undo = []
    this.#redo = []
    this.#rest()
  }

  /** Puts all of a text in the place of what is there; the cursor stands at its end. */
  set(parts: readonly (string | Fold)[]): void {
    const lines = parseContent(parts, this.#layout)
    this.#become({ lines, cursor: getEnd(lines) }, 'other')
  }

  restore(state: EditorState): void {
    if (state !== this.#state) this.#become(state, 'other')
  }

  /** At the cursor. */
  insert(part: string | Fold, edit: Edit = 'other'): void {
    if (part !== '') this.#splice([this.#state.cursor, this.#state.cursor], parseContent([part], this.#layout), edit)
  }

  /** Puts `text` in the place of the last `length` characters (UTF-16) of `before`. */
  replaceBefore(length: number, text: string): void {
    const { cursor } = this.#state
    let from = cursor
    for (let left = length; left > 0; ) {
      const earlier = this.#step(from, -1)
      if (!earlier) break
      const unit = this.#unitAt(earlier)
      left -= (typeof unit === 'string' ? unit : unit.label).length
      from = earlier
    }
    this.#splice([from, cursor], parseContent([text], this.#layout), 'other')
  }

  /** Whether the key does something here; names are those of `TerminalInput`. */
  key(name: string): boolean {
    const run = this.#keys.get(name)
    run?.()
    return run !== undefined
  }

  /** A row up or down; false when there is none. */
  move(rows: -1 | 1): boolean {
    const { lines, cursor } = this.#state
    const { starts, rows: all } = this.#lay(cursor.line)
    const here = starts[cursor.at] ?? { row: 0, column: 0 }
    const column = this.#column ?? here.column
    const isInside = here.row + rows >= 0 && here.row + rows < all.length
    const line = isInside ? cursor.line : cursor.line + rows
    if (!lines[line]) return false
    const other = this.#lay(line)
    const edge = rows < 0 ? other.rows.length - 1 : 0
    this.#go({ line, at: findUnit(other, isInside ? here.row + rows : edge, column, rows) })
    this.#column = column
    return true
  }

  /** How many rows the text takes. */
  height(width: number): number {
    this.#width = width
    return this.#state.lines.reduce((sum, _, line) => sum + this.#lay(line).rows.length, 0)
  }

  /** The rows around the cursor, at most `rows`; `first` when the first one of all is among them. */
  view(room: { readonly width: number; readonly rows: number; readonly marks?: readonly ComposerMark[] }): {
    readonly lines: readonly StyledLine[]
    readonly first: boolean
    readonly cursor: { readonly row: number; readonly column: number }
  } {
    const all = this.height(room.width)
    const { lines, cursor } = this.#state
    let above = 0
    for (let line = 0; line < cursor.line; line++) above += this.#lay(line).rows.length
    const start = this.#lay(cursor.line).starts[cursor.at] ?? { row: 0, column: 0 }
    const row = above + start.row
    this.#top = Math.min(Math.max(this.#top, row - room.rows + 1), row, Math.max(0, all - room.rows))
    const seen: StyledLine[] = []
    const { marks = [] } = room
    let [at, offset] = [0, 0]
    for (let line = 0; line < lines.length && at < this.#top + room.rows; line++) {
      const laid = this.#lay(line)
      const units = lines[line] ?? []
      const rows = marks.length === 0 ? laid.rows : markRows(laid, units, { offset, marks }, this.#layout)
      offset += measureShown(units) + 1
      if (at + rows.length > this.#top)
        seen.push(...rows.slice(Math.max(0, this.#top - at), Math.max(0, this.#top + room.rows - at)))
      at += rows.length
    }
    return { lines: seen, first: this.#top === 0, cursor: { row: row - this.#top, column: start.column } }
  }

  #bindings(): Record<string, () => void> {
    const left = () => this.#go(this.#step(this.#state.cursor, -1))
    const right = () => this.#go(this.#step(this.#state.cursor, 1))
    const home = () => this.#go(this.#lineStart())
    const end = () => this.#go(this.#lineEnd())
    const wordLeft = () => this.#go(this.#word(-1, isWord))
    const wordRight = () => this.#go(this.#word(1, isWord))
    const killWord = () => this.#kill(this.#word(-1, isWord), -1)
    const newline = () => this.insert('\n')
    const remove = () => this.#remove(1)
    const undo = () => this.#swap(this.#undo, this.#redo)
    const redo = () => this.#swap(this.#redo, this.#undo)
    return {
      ...{ left, right, home, end, 'C-a': home, 'C-e': end, 'C-f': right },
      ...{ 'M-b': wordLeft, 'C-left': wordLeft, 'M-left': wordLeft },
      ...{ 'M-f': wordRight, 'C-right': wordRight, 'M-right': wordRight },
      ...{ 'C-home': () => this.#go({ line: 0, at: 0 }), 'C-end': () => this.#go(getEnd(this.#state.lines)) },
      ...{ backspace: () => this.#remove(-1), 'S-backspace': () => this.#remove(-1), 'C-h': () => this.#remove(-1) },
      ...{ delete: remove, 'C-d': remove, 'M-backspace': killWord, 'C-backspace': killWord },
      'C-w': () => this.#kill(this.#word(-1, isInk), -1),
      ...{ 'M-d': () => this.#kill(this.#word(1, isWord), 1), 'C-delete': () => this.#kill(this.#word(1, isWord), 1) },
      'C-u': () => this.#kill(this.#otherThanHere(this.#lineStart(), -1), -1),
      'C-k': () => this.#kill(this.#otherThanHere(this.#lineEnd(), 1), 1),
      ...{ 'C-y': () => this.#yankBack(), 'M-y': () => this.#yankOlder() },
      ...{ 'C-_': undo, 'C-/': undo, 'M-z': redo, 'M-_': redo },
      ...{ 'M-enter': newline, 'S-enter': newline, 'C-j': newline },
    }
  }

  /** Puts `content` between two places; the cursor stands behind it. */
  #splice(range: readonly [TextPosition, TextPosition], content: Content, edit: Edit): void {
    this.#become(splice(this.#state.lines, range, content, this.#layout), edit)
  }

  #become(state: EditorState, edit: Edit): void {
    if (edit !== 'typed' || this.#last !== 'typed') this.#undo = [...this.#undo, this.#state].slice(-MAX_STEPS)
    this.#redo = []
    this.#state = state
    this.#rest()
    this.#last = edit
  }

  #swap(from: EditorState[], to: EditorState[]): void {
    const state = from.pop()
    if (!state) return
    to.push(this.#state)
    this.#state = state
    this.#rest()
  }

  #go(place: TextPosition | undefined): void {
    if (place) this.#state = { ...this.#state, cursor: place }
    this.#rest()
  }

  #rest(): void {
    this.#last = 'moved'
    this.#column = undefined
    this.#yank = undefined
  }

  #remove(direction: -1 | 1): void {
    const { cursor } = this.#state
    const other = this.#step(cursor, direction)
    if (other) this.#splice(inOrder(cursor, other), [[]], 'other')
  }

  #kill(other: TextPosition | undefined, direction: -1 | 1): void {
    const { cursor, lines } = this.#state
    if (!other || isSame(other, cursor)) return
    const [from, to] = inOrder(cursor, other)
    const killed = sliceContent(lines, from, to)
    const earlier = this.#last === 'killed' ? this.#kills.pop() : undefined
    const whole = earlier && (direction < 0 ? [killed, earlier] : [earlier, killed])
    this.#kills = [...this.#kills, whole ? join(whole[0] ?? [[]], whole[1] ?? [[]], this.#layout) : killed]
    this.#kills = this.#kills.slice(-MAX_KILLS)
    this.#splice([from, to], [[]], 'killed')
  }

  #yankBack(): void {
    const { cursor } = this.#state
    const newest = this.#kills.at(-1)
    if (!newest) return
    this.#splice([cursor, cursor], newest, 'other')
    this.#yank = cursor
  }

  #yankOlder(): void {
    const from = this.#yank
    const [newest, ...older] = [...this.#kills].reverse()
    if (!from || !newest) return
    this.#kills = [newest, ...older.reverse()]
    this.#splice([from, this.#state.cursor], this.#kills.at(-1) ?? [[]], 'other')
    this.#yank = from
  }

  /** The place next to this one; undefined at the ends. */
  #step({ line, at }: TextPosition, direction: -1 | 1): TextPosition | undefined {
    const { lines } = this.#state
    const units = lines[line + (direction < 0 && at === 0 ? -1 : 0)]
    if (direction < 0) return at > 0 ? { line, at: at - 1 } : units && { line: line - 1, at: units.length }
    if (units && at < units.length) return { line, at: at + 1 }
    return lines[line + 1] && { line: line + 1, at: 0 }
  }

  /** What stands behind a place. */
  #unitAt({ line, at }: TextPosition): Unit {
    return this.#state.lines[line]?.[at] ?? '\n'
  }

  /** To the other side of the nearest word. */
  #word(direction: -1 | 1, isInside: (unit: Unit) => boolean): TextPosition {
    let place = this.#state.cursor
    for (const wanted of [false, true])
      for (let next = this.#step(place, direction); next; next = this.#step(place, direction)) {
        if (isInside(this.#unitAt(direction < 0 ? next : place)) !== wanted) break
        place = next
      }
    return place
  }

  #lineStart(): TextPosition {
    return { line: this.#state.cursor.line, at: 0 }
  }

  #lineEnd(): TextPosition {
    const { line } = this.#state.cursor
    return { line, at: this.#state.lines[line]?.length ?? 0 }
  }

  /** At an end of a line: over it. */
  #otherThanHere(place: TextPosition, direction: -1 | 1): TextPosition | undefined {
    return isSame(place, this.#state.cursor) ? this.#step(place, direction) : place
  }

  #lay(line: number): Laid {
    const units = this.#state.lines[line] ?? []
    const known = this.#laid.get(units)
    if (known?.width === this.#width) return known
    const laid = layOut(units, this.#width, this.#layout)
    this.#laid.set(units, laid)
    return laid
  }
}

function isWord(unit: Unit): boolean {
  return typeof unit !== 'string' || /[\p{L}\p{N}_]/u.test(unit)
}

function isInk(unit: Unit): boolean {
  return typeof unit !== 'string' || /\S/.test(unit)
}
