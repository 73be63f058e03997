/** Finds words in the conversation: what is found is shown while one types. */
import type { Translate } from 'svc/sdk'
import type { StyledLine, TerminalInput, TextField, TextLayout, Transcript } from 'svc/sdk/terminal'
import type { Dialog, DialogView, Room } from './dialogs.ts'

export interface FindDialogDeps {
  readonly layout: TextLayout
  readonly t: Translate
  readonly transcript: Pick<Transcript, 'find' | 'unselect'>
  field(): TextField
}

export class FindDialog implements Dialog {
  readonly #place: FindDialogDeps
  readonly #done: (value: undefined) => void
  readonly #words: TextField
  #found = { count: 0, at: 0 }

  constructor(place: FindDialogDeps, words: string, done: (value: undefined) => void) {
    this.#place = place
    this.#done = done
    this.#words = place.field()
    if (words) this.#words.insert(words)
    this.#look(0)
  }

  /** What was found stays in view. */
  cancel(): void {
    this.#done(undefined)
  }

  input(input: TerminalInput): void {
    if (input.type === 'text' || input.type === 'paste')
      this.#change(() => this.#words.insert(input.text.replace(/\s+/g, ' ')))
    else if (input.type === 'key') this.#key(input.name)
  }

  view({ width }: Room): DialogView {
    const { layout, t } = this.#place
    const { count, at } = this.#found
    const label = `${t('Find:')} `
    const state = this.#words.isEmpty ? '' : count === 0 ? t('nothing found') : `${at}/${count}`
    const tail = state === '' ? '' : `  ${state}`
    const room = Math.max(1, width - layout.width(label) - layout.width(tail))
    const text = layout.clean(this.#words.text)
    const line: StyledLine = [
      { text: label, role: 'accent' },
      ...layout.cut([{ text, role: 'user' }], room),
      { text: tail, role: count === 0 ? 'warning' : 'dim' },
    ]
    const column = Math.min(width - 1, layout.width(label) + layout.width(layout.clean(this.#words.before)))
    const keys = layout.cut([{ text: t('↑ or Enter earlier · ↓ later · Esc close'), role: 'dim' }], width)
    return { lines: [layout.cut(line, width), keys], cursor: { row: 0, column } }
  }

  #key(name: string): void {
    if (name === 'escape' || name === 'C-c') this.cancel()
    else if (name === 'enter' || name === 'up' || name === 'C-f' || name === 'C-r') this.#look(-1)
    else if (name === 'down' || name === 'C-s') this.#look(1)
    else this.#change(() => void this.#words.key(name))
  }

  #change(work: () => void): void {
    const before = this.#words.text
    work()
    if (this.#words.text !== before) this.#look(0)
  }

  #look(step: -1 | 0 | 1): void {
    this.#found = this.#place.transcript.find(this.#words.text, step)
  }
}
