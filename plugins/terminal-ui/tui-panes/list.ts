/** A list with a cursor, a filter, groups and a place for details: what every screen here is made of. */
import type { StyledLine, TextLayout } from 'svc/sdk/terminal'
import { tailThatFits } from './text.ts'

const LONGEST_FILTER = 200
/** Rows from which on there is room for details, and for a line above them. */
const ROWS_WITH_DETAILS = 5
const ROWS_WITH_BORDER = 9
/** Cells beside everything, as beside the conversation, and the width from which on they are there. */
const SIDE = 1
const SIDES_FROM = 60

/** A row: what it is on the left, facts on the right where there is room for both. */
export interface Row {
  readonly left: StyledLine
  readonly right?: StyledLine
}

/** What a list shows. Texts are clean and on one line. */
export interface ListModel<Item> {
  readonly title: string
  /** Those that fit a filter, in order. Asked again when the filter is another one, and after `changed`. */
  items(filter: string): readonly Item[]
  id(item: Item): string
  /** Items of one group follow each other; its name stands above them. */
  group?(item: Item): string
  row(item: Item, width: number): Row
  details?(item: Item | undefined, room: Room): readonly StyledLine[]
  /** Rows of details, of all those there are (default 2). */
  detailRows?(rows: number): number
  /** Shown instead of an empty list. */
  empty(filter: string): string
  /** The filter is another one now. */
  filtered?(filter: string): void
}

export interface Room {
  readonly width: number
  readonly rows: number
}

export class List<Item> {
  readonly #layout: TextLayout
  readonly #model: ListModel<Item>
  #items: readonly Item[] | undefined
  /** What stands on the rows: items by their index, and names of groups. */
  #rows: readonly (number | string)[] = []
  #filter = ''
  #typing: boolean
  #cursor = 0
  #top = 0
  #page = 1

  /** `begin`: whether letters go into the filter at once, or are commands until `/` is typed. */
  constructor(layout: TextLayout, model: ListModel<Item>, begin: 'filter' | 'list') {
    this.#layout = layout
    this.#model = model
    this.#typing = begin === 'filter'
  }

  /** Letters go into the filter. */
  get typing(): boolean {
    return this.#typing
  }

  get selected(): Item | undefined {
    return this.#read()[this.#cursor]
  }

  /** The items are different ones; the cursor stays on the same one, or at its place. */
  changed(): void {
    const before = this.#items?.[this.#cursor]
    this.#items = undefined
    const items = this.#read()
    const id = before === undefined ? undefined : this.#model.id(before)
    const found = id === undefined ? -1 : items.findIndex((item) => this.#model.id(item) === id)
    if (found >= 0) this.#cursor = found
  }

  /** Puts the cursor on an item. */
  select(id: string): void {
    this.#cursor = Math.max(
      0,
      this.#read().findIndex((item) => this.#model.id(item) === id),
    )
  }

  /** Empties the filter; false when it was empty. */
  clear(): boolean {
    if (this.#filter === '') return false
    this.#setFilter('')
    return true
  }

  /** Adds to the filter. */
  type(text: string): void {
    this.#typing = true
    const line = this.#layout.clean(text.slice(0, LONGEST_FILTER)).replace(/\s+/g, ' ')
    const filter = (this.#filter + line).trimStart().slice(0, LONGEST_FILTER)
    this.#setFilter(filter.replace(/[\ud800-\udbff]$/, ''))
  }

  /** Whether the key was one of a list. */
  key(name: string): boolean {
    const moved = this.#moved(name)
    if (moved !== undefined) {
      this.#cursor = moved
      this.#typing = false
      return true
    }
    return this.#edited(name)
  }

  /** The note stands in the place of the details or, where there is no room for any, of the title or of the item. */
  lines({ width: columns, rows }: Room, note?: StyledLine): readonly StyledLine[] {
    const margin = columns >= SIDES_FROM ? SIDE : 0
    const width = columns - 2 * margin
    if (rows < 1 || width < 1) return []
    const lines = this.#lines({ width, rows }, note).map((line) => this.#layout.cut(line, width))
    return margin > 0 ? lines.map((line) => (line.length > 0 ? [{ text: ' '.repeat(margin) }, ...line] : line)) : lines
  }

  #lines({ width, rows }: Room, note: StyledLine | undefined): readonly StyledLine[] {
    if (rows === 1) {
      this.#scroll(1)
      return [note ?? this.#body(width, 1).at(-1) ?? []]
    }
    const details = this.#details({ width, rows }, note)
    this.#scroll(rows - 1 - details.length)
    const top = note !== undefined && details.length === 0 ? note : this.#head(width)
    const body = this.#body(width, this.#page)
    const gap = details.length > 0 ? Array.from({ length: this.#page - body.length }, (): StyledLine => []) : []
    return [top, ...body, ...gap, ...details]
  }

  #read(): readonly Item[] {
    if (this.#items) return this.#items
    this.#items = this.#model.items(this.#filter)
    this.#cursor = Math.max(0, Math.min(this.#cursor, this.#items.length - 1))
    const rows: (number | string)[] = []
    let group: string | undefined
    for (const [index, item] of this.#items.entries()) {
      const name = this.#model.group?.(item)
      if (name !== undefined && name !== group) rows.push(name)
      group = name
      rows.push(index)
    }
    this.#rows = rows
    return this.#items
  }

  #setFilter(filter: string): void {
    if (filter === this.#filter) return
    this.#filter = filter
    this.#items = undefined
    this.#cursor = 0
    this.#model.filtered?.(filter)
  }

  #moved(name: string): number | undefined {
    const last = Math.max(0, this.#read().length - 1)
    const steps: Readonly<Record<string, number>> = {
      up: -1,
      down: 1,
      pageup: -this.#page,
      pagedown: this.#page,
      'wheel-up': -3,
      'wheel-down': 3,
      home: -last,
      end: last,
    }
    const step = Object.hasOwn(steps, name) ? steps[name] : undefined
    return step === undefined ? undefined : Math.max(0, Math.min(last, this.#cursor + step))
  }

  #edited(name: string): boolean {
    switch (name) {
      case 'tab':
        this.#typing = !this.#typing
        return true
      case 'backspace':
        this.#setFilter(this.#layout.graphemes(this.#filter).slice(0, -1).join(''))
        return true
      case 'C-w':
        this.#setFilter(this.#filter.replace(/\S*\s*$/, ''))
        return true
      case 'C-u':
        this.#setFilter('')
        return true
      default:
        return false
    }
  }

  /** Lets the cursor be among the rows that are seen. */
  #scroll(page: number): void {
    this.#read()
    this.#page = Math.max(1, page)
    const at = this.#rows.indexOf(this.#cursor)
    const first = at > 0 && typeof this.#rows[at - 1] === 'string' && this.#page > 1 ? at - 1 : at
    if (first < this.#top) this.#top = Math.max(0, first)
    if (at >= this.#top + this.#page) this.#top = at - this.#page + 1
    this.#top = Math.max(0, Math.min(this.#top, this.#rows.length - this.#page))
  }

  #head(width: number): StyledLine {
    const all = this.#read().length
    const count = all > 0 ? `${this.#cursor + 1}/${all}` : '0'
    const title: StyledLine = [
      { text: this.#model.title, role: 'title', bold: true },
      { text: `  ${count}`, role: 'dim' },
    ]
    if (!this.#typing && this.#filter === '') return title
    const room = Math.max(1, width - this.#layout.lineWidth(title) - 5)
    const filter = tailThatFits(this.#layout, this.#filter, room)
    return [...title, { text: '  / ', role: 'dim' }, { text: `${filter}${this.#typing ? '▏' : ''}`, role: 'accent' }]
  }

  #body(width: number, count: number): StyledLine[] {
    const items = this.#read()
    if (items.length === 0) return [[{ text: `  ${this.#model.empty(this.#filter)}`, role: 'dim' }]]
    return this.#rows.slice(this.#top, this.#top + count).map((row) => {
      if (typeof row === 'string') return [{ text: row, role: 'heading' }]
      return this.#row(items[row] as Item, width, row === this.#cursor)
    })
  }

  #row(item: Item, width: number, isSelected: boolean): StyledLine {
    const { left, right = [] } = this.#model.row(item, Math.max(1, width - 2))
    const marker: StyledLine = [{ text: isSelected ? '❯ ' : '  ', role: 'accent' }]
    const rightWidth = this.#layout.lineWidth(right)
    const room = width - 2 - (rightWidth === 0 ? 0 : rightWidth + 1)
    const whole = room * 2 <= width - 2 ? left : [...this.#layout.pad(left, room), { text: ' ' }, ...right]
    const line = [...marker, ...(rightWidth === 0 ? left : whole)]
    if (!isSelected) return line
    return this.#layout.pad(line, width).map((span) => ({ ...span, role: 'selected' as const }))
  }

  #details({ width, rows }: Room, note: StyledLine | undefined): StyledLine[] {
    if (rows < ROWS_WITH_DETAILS || (!this.#model.details && !note)) return []
    const hasBorder = rows >= ROWS_WITH_BORDER
    const said = note ? this.#layout.wrap(note, width) : []
    const wanted = Math.max(this.#model.detailRows?.(rows) ?? 2, said.length)
    const most = Math.max(1, Math.min(wanted, rows - 3 - Number(hasBorder)))
    const all = note ? said : (this.#model.details?.(this.selected, { width, rows: most }) ?? [])
    // No line in the middle of an empty screen.
    if (all.length === 0 && this.selected === undefined) return []
    const shown = Array.from({ length: most }, (_, at): StyledLine => all[at] ?? [])
    return hasBorder ? [[{ text: '─'.repeat(width), role: 'border' }], ...shown] : shown
  }
}
