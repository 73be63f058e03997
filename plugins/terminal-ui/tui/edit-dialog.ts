/** A text of several lines to be changed, in the place where one types. */
import type { TerminalInput, TextField } from 'svc/sdk/terminal'
import type { Dialog, DialogDeps, DialogView, Room } from './dialogs.ts'
import { wrapText } from './scrolled-decision.ts'

/** Of the rows, for a title that needs them. */
const TITLE_SHARE = 0.5

export class EditDialog implements Dialog {
  readonly #title: string
  readonly #deps: DialogDeps
  readonly #done: (text: string | undefined) => void
  readonly #field: TextField

  constructor(
    { title, text }: { readonly title: string; readonly text: string },
    deps: DialogDeps,
    done: (text: string | undefined) => void,
  ) {
    this.#title = title
    this.#deps = deps
    this.#done = done
    this.#field = deps.field()
    this.#field.insert(text)
  }

  cancel(): void {
    this.#done(undefined)
  }

  input(input: TerminalInput): void {
    if (input.type === 'text' || input.type === 'paste') this.#field.insert(input.text)
    else if (input.type === 'key') this.#key(input.name)
    else if (input.type === 'mouse' && input.action.startsWith('wheel'))
      this.#field.move(input.action === 'wheel-up' ? -1 : 1)
  }

  view({ width, rows }: Room): DialogView {
    const { layout, t } = this.#deps
    const head = wrapText(this.#title, 'accent', width, layout)
      .map((line) => line.map((span) => ({ ...span, bold: true })))
      .slice(0, Math.max(rows > 1 ? 1 : 0, Math.floor(rows * TITLE_SHARE)))
    const keys = t('Enter accept · Ctrl-J new line · Esc cancel')
    const hint = rows > head.length + 2 ? [layout.cut([{ text: keys, role: 'dim' }], width)] : []
    const room = Math.max(1, rows - head.length - hint.length)
    const { lines, cursor } = this.#field.view({ width, rows: room })
    return { lines: [...head, ...lines, ...hint], cursor: { ...cursor, row: cursor.row + head.length } }
  }

  #key(name: string): void {
    if (name === 'escape' || name === 'C-c') this.cancel()
    else if (name === 'enter') this.#done(this.#field.text)
    else if (name === 'up' || name === 'down') this.#field.move(name === 'up' ? -1 : 1)
    else this.#field.key(name)
  }
}
