/** What may stand in the text next: asked for after a short pause, shown as a menu, taken with Tab or Enter. */
import type { Clock, Completion } from 'svc/sdk'
import type { StyledLine, TextLayout } from 'svc/sdk/terminal'

export interface CompletionDeps {
  readonly clock: Clock
  readonly layout: TextLayout
  complete(text: string): Promise<readonly Completion[]>
  changed(): void
  failed(error: unknown): void
}

const PAUSE_MS = 60
const MAX_ROWS = 12
/** A command with what follows it, or a word that begins with `@`, a quoted one too. */
const ASKED = /^\/[^\n]*$|(?:^|\s)@(?:"[^"\n]*|[^\s"]*)$/

export class CompletionMenu {
  readonly #deps: CompletionDeps
  /** What was answered, to which text. */
  #answer: { readonly asked: string; readonly items: readonly Completion[] } = { asked: '', items: [] }
  #selected = 0
  #hasMoved = false
  #question = 0
  #cancel: (() => void) | undefined

  constructor(deps: CompletionDeps) {
    this.#deps = deps
  }

  get isOpen(): boolean {
    return this.count > 0
  }

  get count(): number {
    return this.#answer.items.length
  }

  /** The text before the cursor is another one: asks, if that is a text to ask about. */
  typed(before: string): void {
    this.#stop()
    if (ASKED.test(before)) this.#cancel = this.#deps.clock.after(PAUSE_MS, () => void this.ask(before))
    else this.close()
  }

  /** Asks now. An answer that comes when another text stands there is dropped. */
  async ask(before: string): Promise<void> {
    this.#stop()
    const question = this.#question
    try {
      const items = await this.#deps.complete(before)
      if (question !== this.#question) return
      this.#answer = { asked: before, items: items.filter(({ from }) => from >= 0 && from <= before.length) }
      this.#selected = 0
      this.#hasMoved = false
      this.#deps.changed()
    } catch (error) {
      this.#deps.failed(error)
    }
  }

  /** False when it was not open. */
  close(): boolean {
    this.#stop()
    const wasOpen = this.isOpen
    this.#answer = { asked: '', items: [] }
    return wasOpen
  }

  move(rows: -1 | 1): void {
    const { length } = this.#answer.items
    this.#selected = (this.#selected + rows + length) % length
    this.#hasMoved = true
  }

  /**
   * What is selected, for this text before the cursor; undefined when the menu is about another one. With `enter` also
   * when it says nothing new, when nothing was typed of it yet, and when arguments of a command were typed and no other item
   * was selected: then Enter is for the whole message, as it was typed.
   */
  chosen(before: string, key: 'tab' | 'enter'): Completion | undefined {
    const { asked, items } = this.#answer
    const item = items[this.#selected]
    if (!item || asked !== before) return undefined
    const typed = before.slice(item.from)
    const isArgument = /^\/\S+\s/.test(before) && !this.#hasMoved
    const isDone = typed.trim() === item.text.trim() || (typed === '' && !this.#hasMoved) || isArgument
    return key === 'enter' && isDone ? undefined : item
  }

  /** The rest of the only completion. */
  ghost(before: string): string {
    const { asked, items } = this.#answer
    const [item, ...others] = items
    if (!item || others.length > 0 || asked !== before) return ''
    const typed = before.slice(item.from)
    const [first = ''] = item.text.startsWith(typed) ? item.text.slice(typed.length).split('\n') : []
    return first
  }

  /** At most `rows`, with the selected one among them. */
  lines({ width, rows }: { readonly width: number; readonly rows: number }): readonly StyledLine[] {
    const { items } = this.#answer
    const most = Math.max(0, Math.min(rows, MAX_ROWS, items.length))
    const first = Math.min(Math.max(0, this.#selected - Math.floor(most / 2)), items.length - most)
    const shown = items.slice(first, first + most)
    const { layout } = this.#deps
    const labels = shown.map((item) => oneLine(item.label ?? item.text, layout))
    const column = Math.min(Math.max(0, ...labels.map((label) => layout.width(label))), Math.floor(width * 0.6))
    return shown.map(({ detail = '' }, index) => {
      const label = layout.pad([{ text: labels[index] ?? '' }], column)
      const rest = detail === '' ? [] : [{ text: `  ${oneLine(detail, layout)}`, role: 'dim' } as const]
      const line: StyledLine = [{ text: ' ' }, ...label, ...rest]
      if (first + index !== this.#selected) return layout.cut(line, width)
      return layout.pad(line, width).map((span) => ({ ...span, role: 'selected' }))
    })
  }

  #stop(): void {
    this.#question += 1
    this.#cancel?.()
    this.#cancel = undefined
  }
}

function oneLine(text: string, layout: TextLayout): string {
  return layout.clean(text).replace(/\s+/g, ' ')
}
