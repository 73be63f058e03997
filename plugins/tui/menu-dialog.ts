/** A list to choose from, in the place where one types. */
import type { Line, Menu, TerminalInput, TextField } from 'svc/sdk'
import { chosenRow, type Dialog, type DialogLook, type DialogView, type Room } from './dialogs.ts'

/** Of the width of a menu, for the column of labels. */
const LABEL_SHARE = 0.45

/** A list that is filtered by typing. */
export class MenuDialog implements Dialog {
  readonly #menu: Menu
  readonly #look: DialogLook
  readonly #done: (id: string | undefined) => void
  readonly #filter: TextField
  #selected: number
  #widest: number | undefined
  #rows = 1

  constructor(menu: Menu, look: DialogLook, done: (id: string | undefined) => void) {
    this.#menu = menu
    this.#look = look
    this.#done = done
    this.#filter = look.field()
    this.#selected = Math.max(
      0,
      menu.items.findIndex(({ id }) => id === menu.current),
    )
  }

  cancel(): void {
    this.#done(undefined)
  }

  input(input: TerminalInput): void {
    if (input.type === 'text' || input.type === 'paste') {
      this.#filter.insert(input.text.replace(/\s+/g, ' '))
      this.#selected = 0
    } else if (input.type === 'key') this.#key(input.name)
    else if (input.type === 'mouse' && input.action.startsWith('wheel'))
      this.#move(input.action === 'wheel-up' ? -1 : 1)
  }

  view({ width, rows }: Room): DialogView {
    const { layout, t } = this.#look
    const title = `${this.#menu.title}${this.#filter.isEmpty ? '' : ':'} `
    const head = layout.cut(
      [
        { text: layout.clean(title, 'visible'), role: 'title', bold: true },
        { text: this.#filter.text, role: 'user' },
      ],
      width,
    )
    const items = this.#items()
    this.#rows = Math.max(1, Math.min(rows - 2, Math.max(items.length, 1)))
    const first = Math.max(0, Math.min(this.#selected - (this.#rows >> 1), items.length - this.#rows))
    const list = items.slice(first, first + this.#rows).map((item, at) => this.#itemLine(item, first + at, width))
    const none = layout.cut([{ text: t('Nothing fits.'), role: 'dim' }], width)
    const hint = layout.cut([{ text: t('type to filter · Enter choose · Esc cancel'), role: 'dim' }], width)
    const lines = [head, ...(list.length ? list : [none]), ...(rows > 2 ? [hint] : [])].slice(0, rows)
    const column = Math.min(width - 1, layout.width(title) + layout.width(this.#filter.before))
    return { lines, cursor: { row: 0, column } }
  }

  #items(): Menu['items'] {
    const words = this.#filter.text.toLowerCase().split(' ').filter(Boolean)
    const fits = (text: string) => words.every((word) => text.toLowerCase().includes(word))
    const found = this.#menu.items.filter(({ label, detail = '' }) => fits(`${label} ${detail}`))
    return [...found.filter(({ label }) => fits(label)), ...found.filter(({ label }) => !fits(label))]
  }

  /** Labels in one column, details in another. */
  #itemLine({ id, label, detail = '' }: Menu['items'][number], at: number, width: number): Line {
    const { layout } = this.#look
    const isSelected = at === this.#selected
    const mark = `${isSelected ? '❯' : ' '} ${id === this.#menu.current ? '●' : ' '} `
    const name = layout.cut([{ text: this.#flat(label) }], detail ? this.#column(width) : width)
    const gap = ' '.repeat(detail ? Math.max(0, this.#column(width) - layout.lineWidth(name)) + 2 : 0)
    const line: Line = [{ text: mark }, ...name, { text: `${gap}${this.#flat(detail)}`, role: 'dim' }]
    return isSelected ? chosenRow(line, width, layout) : layout.cut(line, width)
  }

  /** As wide as the widest label, also of those that are filtered out: nothing jumps while one types. */
  #column(width: number): number {
    const { layout } = this.#look
    this.#widest ??= Math.max(0, ...this.#menu.items.map(({ label }) => layout.width(this.#flat(label))))
    return Math.min(this.#widest, Math.floor(width * LABEL_SHARE))
  }

  #flat(text: string): string {
    return this.#look.layout.clean(text, 'visible').replace(/\n/g, ' ')
  }

  #key(name: string): void {
    if (name === 'escape' || name === 'C-c') this.cancel()
    else if (name === 'enter') {
      const item = this.#items()[this.#selected]
      if (item) this.#done(item.id)
    } else if (name === 'up' || name === 'S-tab') this.#move(-1)
    else if (name === 'down' || name === 'tab') this.#move(1)
    else if (name === 'pageup') this.#move(-this.#rows)
    else if (name === 'pagedown') this.#move(this.#rows)
    else if (this.#filter.key(name)) this.#selected = 0
  }

  #move(count: number): void {
    this.#selected = Math.max(0, Math.min(this.#items().length - 1, this.#selected + count))
  }
}
