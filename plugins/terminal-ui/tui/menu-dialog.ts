/** A list to choose from, in the place where one types. */
import type { ChoiceDialog } from 'svc/sdk'
import type { StyledLine, TerminalInput, TextField } from 'svc/sdk/terminal'
import { chosenRow, type Dialog, type DialogDeps, type DialogView, type Room } from './dialogs.ts'
import { scrollLines, wrapText } from './scrolled-decision.ts'

/** Of the width of a menu, for the column of labels. */
const LABEL_SHARE = 0.45
/** Of the rows, for a title that needs them. */
const TITLE_SHARE = 0.6

/** A list that is filtered by typing. */
export class MenuDialog implements Dialog {
  readonly #menu: ChoiceDialog
  readonly #look: DialogDeps
  readonly #done: (id: string | undefined) => void
  readonly #filter: TextField
  #selected: number
  #widest: number | undefined
  #rows = 1
  #scrolled = 0
  #step = 1
  /** The title has more rows than it is given. */
  #overflows = false

  constructor(menu: ChoiceDialog, look: DialogDeps, done: (id: string | undefined) => void) {
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
    const items = this.#items()
    const { head, column } = this.#head(width, rows)
    const hint = layout.cut([{ text: t('type to filter · Enter choose · Esc cancel'), role: 'dim' }], width)
    const hasHint = rows - head.length > 1
    const free = Math.max(0, rows - head.length - (hasHint ? 1 : 0))
    const chosen = this.#chosenLines(items[this.#selected], width).slice(0, Math.max(1, free))
    this.#rows = Math.max(1, Math.min(free - chosen.length + 1, Math.max(items.length, 1)))
    const first = Math.max(0, Math.min(this.#selected - (this.#rows >> 1), items.length - this.#rows))
    const list = items.slice(first, first + this.#rows).flatMap((item, at) => {
      return first + at === this.#selected ? chosen : [this.#itemLine(item, first + at, width)]
    })
    const none = layout.cut([{ text: t('Nothing fits.'), role: 'dim' }], width)
    const lines = [...head, ...(list.length ? list : [none]), ...(hasHint ? [hint] : [])].slice(0, rows)
    return { lines, cursor: { row: Math.min(head.length, rows) - 1, column } }
  }

  /** A title of one row has what is typed behind it; a longer one has it below, and is scrolled past a share of the rows. */
  #head(width: number, rows: number): { readonly head: readonly StyledLine[]; readonly column: number } {
    const { layout } = this.#look
    const title = wrapText(this.#menu.title, 'title', width, layout).map((line) =>
      line.map((span) => ({ ...span, bold: true })),
    )
    const typed = { text: this.#filter.text, role: 'user' } as const
    const at = (before: number) => Math.min(width - 1, before + layout.width(this.#filter.before))
    const [only = []] = title
    const colon = { ...only.at(-1), text: this.#filter.isEmpty ? ' ' : ': ' }
    const taken = layout.lineWidth([...only, colon])
    if (title.length === 1 && taken + layout.width(typed.text) < width) {
      this.#overflows = false
      return { head: [layout.cut([...only, colon, typed], width)], column: at(taken) }
    }
    const share = Math.max(1, Math.floor(rows * TITLE_SHARE))
    this.#overflows = title.length > share
    const view = scrollLines(title, { room: share, width, at: this.#scrolled }, this.#look)
    this.#scrolled = view.at
    this.#step = view.step
    const line = layout.cut([{ text: '> ', role: 'prompt' }, typed], width)
    return { head: rows > share ? [...view.lines, line] : view.lines, column: rows > share ? at(2) : 0 }
  }

  /** Of what Enter would take all is seen. */
  #chosenLines(item: ChoiceDialog['items'][number] | undefined, width: number): readonly StyledLine[] {
    if (!item) return []
    const { layout } = this.#look
    const { label, detail = '' } = item
    const line = this.#itemLine(item, this.#selected, width)
    const isWhole =
      layout.width(this.#flat(label)) <= (detail ? this.#column(width) : width - 4) &&
      layout.width(this.#flat(detail)) <= Math.max(0, width - this.#column(width) - 6)
    if (isWhole) return [line]
    const text = `❯ ${item.id === this.#menu.current ? '●' : ' '} ${this.#flat(label)}${detail && `  ${this.#flat(detail)}`}`
    return layout.wrap([{ text }], Math.max(1, width)).map((each) => chosenRow(each, width, layout))
  }

  #items(): ChoiceDialog['items'] {
    const words = this.#filter.text.toLowerCase().split(' ').filter(Boolean)
    const fits = (text: string) => words.every((word) => text.toLowerCase().includes(word))
    const found = this.#menu.items.filter(({ label, detail = '' }) => fits(`${label} ${detail}`))
    const rank = ({ label }: (typeof found)[number]) =>
      words[0] !== undefined && label.toLowerCase().startsWith(words[0]) ? 0 : fits(label) ? 1 : 2
    return found.toSorted((one, two) => rank(one) - rank(two))
  }

  /** Labels in one column, details in another. */
  #itemLine({ id, label, detail = '' }: ChoiceDialog['items'][number], at: number, width: number): StyledLine {
    const { layout } = this.#look
    const isSelected = at === this.#selected
    const mark = `${isSelected ? '❯' : ' '} ${id === this.#menu.current ? '●' : ' '} `
    const name = layout.cut([{ text: this.#flat(label) }], detail ? this.#column(width) : width)
    const gap = ' '.repeat(detail ? Math.max(0, this.#column(width) - layout.lineWidth(name)) + 2 : 0)
    const line: StyledLine = [{ text: mark }, ...name, { text: `${gap}${this.#flat(detail)}`, role: 'dim' }]
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
    else if (name === 'pageup' || name === 'pagedown') this.#page(name === 'pageup' ? -1 : 1)
    else if (this.#filter.key(name)) this.#selected = 0
  }

  /** Through a title that is longer than its room, else through the list. */
  #page(direction: -1 | 1): void {
    if (this.#overflows) this.#scrolled = Math.max(0, this.#scrolled + direction * this.#step)
    else this.#move(direction * this.#rows)
  }

  #move(count: number): void {
    this.#selected = Math.max(0, Math.min(this.#items().length - 1, this.#selected + count))
  }
}
