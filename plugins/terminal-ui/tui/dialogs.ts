/** Questions to the user, one at a time, in the place where one types. */
import type { ApprovalChoice, ApprovalRequest, Translate, UserQuestion } from 'svc/sdk'
import type { StyledLine, TerminalInput, TextField, TextLayout, ThemeColor } from 'svc/sdk/terminal'
import { scrollLines, wrapText } from './scrolled-decision.ts'

/** Room for a dialog, and what it fills of it. */
export interface Room {
  readonly width: number
  readonly rows: number
}
export interface DialogView {
  readonly lines: readonly StyledLine[]
  readonly cursor?: { readonly row: number; readonly column: number }
}

/** A question that is open. */
export interface Dialog {
  view(room: Room): DialogView
  input(input: TerminalInput): void
  cancel(): void
}

/** Those that wait: the first is shown. */
export class Dialogs {
  #waiting: readonly Dialog[] = []
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  get all(): readonly Dialog[] {
    return this.#waiting
  }

  get current(): Dialog | undefined {
    return this.#waiting[0]
  }

  /** Resolves with what `make` ends with, and with undefined once no answer is needed any more. */
  ask<T>(make: (done: (value: T | undefined) => void) => Dialog, signal?: AbortSignal): Promise<T | undefined> {
    return new Promise((resolve) => {
      const done = (value: T | undefined) => {
        signal?.removeEventListener('abort', abort)
        this.#waiting = this.#waiting.filter((each) => each !== dialog)
        this.#changed()
        resolve(value)
      }
      const abort = () => done(undefined)
      const dialog = make(done)
      if (signal?.aborted) return resolve(undefined)
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting = [...this.#waiting, dialog]
      this.#changed()
    })
  }

  cancelAll(): void {
    for (const dialog of this.#waiting) dialog.cancel()
  }
}

/** A question with choices, with words of one's own, or with both. */
export interface QuestionOptions<T> {
  readonly title: string
  readonly tone: ThemeColor
  /** Shown as it is, in a frame. */
  readonly subject?: string
  readonly detail?: string
  /** `also` is another key, which is not shown. */
  readonly choices: readonly {
    readonly key: string
    readonly also?: string
    readonly label: string
    readonly value: T
  }[]
  /** The choice that Enter takes at first (default 0). */
  readonly selected?: number
  readonly own?: { readonly label: string; readonly hidden: boolean; readonly value: (text: string) => T }
  /** What Escape and Ctrl-C answer. */
  readonly cancelled: T | undefined
  /** Which keys do what; left out: what is usual. */
  hint?(keys: string): string
}

/** What dialogs are made with. */
export interface DialogDeps {
  readonly layout: TextLayout
  readonly t: Translate
  /** A line to be typed. */
  field(): TextField
}

const approvalKeys = { once: 'o', session: 's', project: 'p', always: 'a', deny: 'd' } as const

/** Whether a tool may run. To cancel is to deny, and so is Enter alone. */
export function approvalQuestion(request: ApprovalRequest, t: Translate): QuestionOptions<ApprovalChoice> {
  const labels = {
    once: t('once'),
    session: t('for this session'),
    project: t('for this project'),
    always: t('always'),
    deny: t('deny'),
  }
  const { reason, covers } = request
  const lasting = covers === undefined ? [] : [t('An answer for longer than once covers {covers}.', { covers })]
  return {
    title: t('{tool} asks to run', { tool: request.tool }),
    tone: 'warning',
    subject: request.action,
    detail: [reason, ...lasting].join('\n'),
    choices: request.choices.map((value) => ({ key: approvalKeys[value], label: labels[value], value })),
    selected: Math.max(0, request.choices.indexOf('deny')),
    cancelled: 'deny',
    hint: (keys) => t('{keys} or Enter · Esc deny', { keys }),
  }
}

/** A question of the model. */
export function clarifyQuestion({ text, choices }: UserQuestion, t: Translate): QuestionOptions<string> {
  return {
    title: text,
    tone: 'accent',
    choices: choices.map((label, at) => ({ key: String(at + 1), label, value: label })),
    own: { label: t('your own words'), hidden: false, value: (words) => words },
    cancelled: undefined,
  }
}

/** Whether a command may destroy something: once, or not; Enter alone cancels. `y` and `n` do as well. */
export function confirmQuestion(title: string, t: Translate): QuestionOptions<boolean> {
  const choices = [
    { key: 'o', also: 'y', label: t('once'), value: true },
    { key: 'c', also: 'n', label: t('cancel'), value: false },
  ]
  return { title, tone: 'warning', choices, selected: 1, cancelled: false }
}

/** A text that is typed in. */
export function wordsQuestion(question: { readonly text: string; readonly secret?: boolean }): QuestionOptions<string> {
  const own = { label: '', hidden: question.secret === true, value: (words: string) => words }
  return { title: question.text, tone: 'accent', choices: [], own, cancelled: undefined }
}

const FOLDED_SUBJECT = 6
const BORDER = { text: '│ ', role: 'border' } as const
/** Rows below the title that are left to what it is about: two of the command, one of the reason. */
const LEAST_BODY = 3

export class QuestionDialog<T> implements Dialog {
  readonly #options: QuestionOptions<T>
  readonly #look: DialogDeps
  readonly #done: (value: T | undefined) => void
  readonly #words: TextField
  #selected: number
  #isWhole = false
  /** Title, subject and reason are scrolled together. */
  #isOneText = false
  #scrolled = 0
  /** Rows of what is scrolled that are seen at a time. */
  #step = 1

  constructor(options: QuestionOptions<T>, look: DialogDeps, done: (value: T | undefined) => void) {
    this.#options = options
    this.#look = look
    this.#done = done
    this.#words = look.field()
    this.#selected = options.selected ?? 0
  }

  cancel(): void {
    this.#done(this.#options.cancelled)
  }

  input(input: TerminalInput): void {
    if (input.type === 'text' && this.#words.isEmpty && this.#letter(input.text)) return
    if (input.type === 'text' || input.type === 'paste') this.#write(input.text)
    else if (input.type === 'key') this.#key(input.name)
    else if (input.type === 'mouse' && input.action.startsWith('wheel'))
      this.#scrolled = Math.max(0, this.#scrolled + (input.action === 'wheel-up' ? -1 : 1) * Math.min(3, this.#step))
  }

  view({ width, rows }: Room): DialogView {
    const { layout } = this.#look
    const { choices } = this.#options
    const own = this.#ownLine(width)
    const listed: readonly StyledLine[] = [...choices.keys()].flatMap((at) => this.#choiceLines(at, width))
    const fits = rows >= listed.length + (own ? 1 : 0) + 2 + (this.#options.subject === undefined ? 1 : LEAST_BODY)
    const foot = [...(fits ? listed : this.#shortChoices(width)), ...(own ? [own.line] : [])]
    const needed = foot.length + (this.#options.subject === undefined ? 2 : LEAST_BODY + 1)
    const hint = rows > needed ? [layout.cut([{ text: this.#hint(), role: 'dim' }], width)] : []
    const free = Math.max(0, rows - foot.length - hint.length)
    const hidden = fits || !this.#cutsChoices(width) ? [] : listed
    const lines = [...this.#matter({ width, rows: free }, hidden), ...foot, ...hint].slice(-rows)
    const row = lines.length - 1 - hint.length
    return own && this.#isWriting ? { lines, cursor: { row, column: own.column } } : { lines }
  }

  get #isWriting(): boolean {
    return this.#options.own !== undefined && this.#selected === this.#options.choices.length
  }

  /** Whether a single letter was an answer. */
  #letter(letter: string): boolean {
    const { choices, own } = this.#options
    const typed = letter.toLowerCase()
    const at = choices.findIndex(({ key, also }, index) => [key, also, String(index + 1)].includes(typed))
    const chosen = choices[at]
    if (chosen) this.#done(chosen.value)
    else if (letter === 'v') {
      this.#isWhole = !this.#isWhole
      this.#scrolled = 0
    }
    return chosen !== undefined || !own
  }

  #write(text: string): void {
    if (!this.#options.own) return
    this.#selected = this.#options.choices.length
    this.#words.insert(text.replace(/\s*\n\s*/g, ' '))
  }

  #key(name: string): void {
    const last = this.#options.choices.length - (this.#options.own ? 0 : 1)
    if (name === 'escape' || name === 'C-c') this.cancel()
    else if (name === 'enter') this.#take()
    else if (name === 'pageup' || name === 'pagedown')
      this.#scrolled = Math.max(0, this.#scrolled + (name === 'pageup' ? -1 : 1) * this.#step)
    else if (name === 'up' || name === 'S-tab') this.#selected = Math.max(0, this.#selected - 1)
    else if (name === 'down' || name === 'tab') this.#selected = Math.min(last, this.#selected + 1)
    else if (this.#isWriting) this.#words.key(name)
    else if (name === 'left') this.#selected = Math.max(0, this.#selected - 1)
    else if (name === 'right') this.#selected = Math.min(last, this.#selected + 1)
  }

  #take(): void {
    const chosen = this.#options.choices[this.#selected]
    if (chosen) this.#done(chosen.value)
    else if (this.#options.own && this.#words.text.trim()) this.#done(this.#options.own.value(this.#words.text.trim()))
  }

  /** As many rows as the label takes. */
  #choiceLines(at: number, width: number): readonly StyledLine[] {
    const choice = this.#options.choices[at]
    const { layout } = this.#look
    const isSelected = at === this.#selected
    const text = `${isSelected ? '❯' : ' '} ${choice?.key} · ${layout.clean(choice?.label ?? '', 'visible').replace(/\n/g, ' ')}`
    const lines = layout.wrap([{ text }], Math.max(1, width))
    return isSelected ? lines.map((line) => chosenRow(line, width, layout)) : lines
  }

  /** On one line, when there is no room for a list. */
  #shortChoices(width: number): readonly StyledLine[] {
    if (this.#options.choices.length === 0) return []
    return [this.#look.layout.cut(this.#shortLine(width < 40 || this.#cutsChoices(width)), width)]
  }

  #shortLine(onlyKeys: boolean): StyledLine {
    return this.#options.choices.flatMap(({ key, label }, at): StyledLine => {
      const text = onlyKeys ? key : `${key} ${label}`
      return [at === this.#selected ? { text, role: 'selected' } : { text }, { text: ' ' }]
    })
  }

  /** Whether one line cannot hold what the choices are. */
  #cutsChoices(width: number): boolean {
    return this.#look.layout.lineWidth(this.#shortLine(false)) > width + 1
  }

  #ownLine(width: number): { readonly line: StyledLine; readonly column: number } | undefined {
    const { own } = this.#options
    if (!own) return undefined
    const { layout } = this.#look
    const mark = `${this.#isWriting ? '❯' : ' '} `
    const label: StyledLine = this.#words.isEmpty && !this.#isWriting ? [{ text: own.label, role: 'dim' }] : []
    const room = Math.max(1, width - 2)
    const hide = (text: string) => (own.hidden ? '•'.repeat(layout.graphemes(text).length) : text.replace(/\n/g, ' '))
    const before = hide(this.#words.before)
    const hidden = Math.max(0, layout.width(before) - room + 1)
    const shown = this.#dropCells(hide(this.#words.text), hidden)
    const line = layout.cut([{ text: mark, role: 'prompt' }, ...label, { text: shown, role: 'user' }], width)
    return { line, column: Math.min(width - 1, 2 + layout.width(before) - hidden) }
  }

  #dropCells(text: string, cells: number): string {
    const { layout } = this.#look
    if (cells === 0) return text
    const units = layout.graphemes(text)
    let [at, gone] = [0, 0]
    while (gone < cells && at < units.length) gone += layout.width(units[at++] ?? '')
    return units.slice(at).join('')
  }

  /**
   * The title, what it is about, and why it is asked. The title and the reason are seen as a whole; where there is no room
   * for them everything is one text to scroll in, with the choices that are not listed.
   */
  #matter({ width, rows }: Room, choices: readonly StyledLine[]): readonly StyledLine[] {
    const { layout } = this.#look
    const { title, tone, subject, detail } = this.#options
    const wrapRows = (text: string, role: ThemeColor, cells: number) => wrapText(text, role, cells, layout)
    const head = wrapRows(title, tone, width).map((line) => line.map((span) => ({ ...span, bold: true })))
    const framed = subject === undefined ? [] : wrapRows(subject, 'code', width - 2)
    const reason = detail ? wrapRows(detail, 'text', width) : []
    const least = Math.min(framed.length, LEAST_BODY - 1)
    const fits =
      choices.length === 0 &&
      head.length <= Math.max(1, rows - (framed.length + reason.length > 0 ? LEAST_BODY : 0)) &&
      reason.length <= Math.max(framed.length > 0 ? 0 : 1, rows - head.length - least)
    if (fits === this.#isOneText) this.#scrolled = 0
    this.#isOneText = !fits
    if (fits) {
      const room = Math.max(0, rows - head.length)
      const shown = this.#subject(framed, Math.max(0, room - reason.length))
      const body = [...shown, ...reason].map((line) => layout.cut(line, width))
      return [...head.slice(0, rows), ...body.slice(Math.max(0, body.length - room))]
    }
    const all = [...head, ...framed.map((line): StyledLine => [BORDER, ...line]), ...reason, ...choices]
    const view = scrollLines(all, { room: rows, width, at: this.#scrolled }, this.#look)
    this.#scrolled = view.at
    this.#step = view.step
    return view.lines.map((line) => layout.cut(line, width))
  }

  #subject(lines: readonly StyledLine[], room: number): readonly StyledLine[] {
    const { t } = this.#look
    const most = this.#isWhole ? room : Math.min(room, FOLDED_SUBJECT + 1)
    this.#scrolled = Math.min(this.#scrolled, Math.max(0, lines.length - most))
    this.#step = Math.max(1, most - 1)
    const frame = (some: readonly StyledLine[]) => some.map((line): StyledLine => [BORDER, ...line])
    if (most === 0 || lines.length - this.#scrolled <= most)
      return frame(lines.slice(this.#scrolled, this.#scrolled + most))
    const shown = lines.slice(this.#scrolled, this.#scrolled + most - 1)
    const count = lines.length - this.#scrolled - shown.length
    const said = this.#isWhole
      ? t('{count, plural, one {# more line} other {# more lines}}', { count })
      : t('{count, plural, one {# more line} other {# more lines}}, v shows all', { count })
    return [...frame(shown), [{ text: `│ … ${said}`, role: 'dim' }]]
  }

  #hint(): string {
    const { t } = this.#look
    const { choices, hint } = this.#options
    const keys = choices.map(({ key }) => key).join('/')
    if (hint) return hint(keys)
    return choices.length ? t('{keys} or Enter · Esc cancel', { keys }) : t('Enter send · Esc cancel')
  }
}

/** Marked from one side to the other. */
export function chosenRow(line: StyledLine, width: number, layout: TextLayout): StyledLine {
  const filled = [...layout.cut(line, width), { text: ' '.repeat(Math.max(0, width - layout.lineWidth(line))) }]
  return filled.map((span) => ({ ...span, role: 'selected' }))
}
