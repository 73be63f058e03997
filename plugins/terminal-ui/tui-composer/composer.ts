/** Where one types: text with history, completion, folded pastes and pictures. Knows no terminal; draws lines. */
import type { Clock, Completion, ImageContent, Translate } from 'svc/sdk'
import type { MediaFiles } from 'svc/sdk/media'
import type { ComposerMark, StyledLine, TerminalInput, TerminalScreen, TextField, TextLayout } from 'svc/sdk/terminal'
import { Attachments, droppedPaths, formatMention, isPicture } from './attachments.ts'
import { CompletionMenu } from './completion-menu.ts'
import { Editor, type EditorState } from './editor.ts'
import { History, type HistoryEntry } from './history.ts'
import { Pastes } from './pastes.ts'

/** What the composer needs of the outside. Functions may be called at any time until `close`. */
export interface ComposerOptions {
  readonly layout: TextLayout
  readonly clock: Clock
  readonly t: Translate
  /** The folder of the conversation: what is dropped from it is named relative to it. */
  readonly cwd: string
  /** Absolute. */
  readonly historyFile: string
  /** Absolute. */
  readonly pastesFolder: string
  /** Ends what is under way. */
  readonly signal: AbortSignal
  complete(text: string): Promise<readonly Completion[]>
  /** Who reads pictures and keeps pastes; asked when there are some. */
  media(): Promise<MediaFiles | undefined>
  /** A variable of the environment; undefined when it is not set. */
  environment(name: string): string | undefined
  /** What plugins mark in the text as it is seen. */
  marks(text: string): readonly ComposerMark[]
  /** It looks different now, without a key. */
  changed(): void
  /** Something went wrong that the user should read. Nothing that was typed is lost. */
  failed(error: unknown): void
}

/** How much room there is. */
export interface ComposerRoom {
  readonly width: number
  readonly rows: number
  /** Stands before the first row. */
  readonly prompt: StyledLine
  /** The placeholder. */
  readonly placeholder?: string
}

const MAX_ROWS = 8
const MAX_BADGE_ROWS = 3
/** What the text leaves to an open menu. */
const MENU_ROWS = 3

export class Composer {
  readonly #options: ComposerOptions
  readonly #ending = new AbortController()
  readonly #editor: Editor
  readonly #history: History
  readonly #pastes: Pastes
  readonly #attachments: Attachments
  readonly #menu: CompletionMenu
  /** Continues the last completion. */
  #takesMore = false
  /** What stood there before history was gone through. */
  #draft: EditorState | undefined
  /** A search in the history: what for, how many hits are passed over, what stood there before. */
  #search: { words: string; skip: number; found: boolean; readonly before: EditorState } | undefined

  constructor(options: ComposerOptions) {
    const signal = AbortSignal.any([options.signal, this.#ending.signal])
    const { cwd, t, historyFile, pastesFolder, clock, layout } = options
    const media = () => options.media()
    const failed = (error: unknown) => options.failed(error)
    const changed = () => {
      if (!this.#ending.signal.aborted) options.changed()
    }
    const environment = (name: string) => options.environment(name)
    const clipboard = async () =>
      (await import('./external-editor.ts')).clipboardPicture({ clock, signal, environment })
    this.#options = { ...options, media, failed, changed, environment, signal }
    this.#editor = new Editor(layout)
    this.#history = new History({ file: historyFile, failed })
    this.#pastes = new Pastes({ pastesFolder, media, t, failed })
    this.#attachments = new Attachments({ cwd, signal, media, clipboard, t, changed, failed })
    this.#menu = new CompletionMenu({ clock, layout, complete: (text) => options.complete(text), changed, failed })
  }

  /** Neither text nor pictures, and no search. */
  get empty(): boolean {
    return !this.#search && this.#editor.isEmpty && this.#attachments.isEmpty
  }

  get text(): string {
    return this.#editor.text
  }

  /** `submit` if the content is to be sent: `take` returns it. */
  input(input: TerminalInput): 'taken' | 'ignored' | 'submit' {
    if (input.type === 'key') return this.#key(input.name)
    if (input.type !== 'text' && input.type !== 'paste') return 'ignored'
    if (this.#search) this.#look(this.#search.words + input.text.replace(/\s+/g, ' '), 0)
    else if (input.type === 'text') this.#edit(() => this.#editor.insert(input.text, 'typed'))
    else this.#paste(input.text)
    return 'taken'
  }

  /** The menu, the pictures and the text, and the position of the cursor; never wider than `width`. */
  lines(room: ComposerRoom): {
    readonly lines: readonly StyledLine[]
    readonly cursor: { readonly row: number; readonly column: number }
  } {
    const { width, rows } = room
    if (width < 1 || rows < 1) return { lines: [], cursor: { row: 0, column: 0 } }
    const { layout } = this.#options
    const promptWidth = layout.lineWidth(room.prompt)
    const indent = promptWidth + 2 <= width ? promptWidth : 0
    const forMenu = Math.min(this.#search ? 1 : this.#menu.count, MENU_ROWS, rows - 1)
    const height = Math.min(this.#editor.height(width - indent), MAX_ROWS, rows - forMenu)
    const badges = this.#badges(width).slice(0, rows - forMenu - height)
    const above = rows - height - badges.length
    const menu = this.#search ? this.#searchLines(width, above) : this.#menu.lines({ width, rows: above })
    const marks = this.#editor.isEmpty ? [] : this.#options.marks(this.#editor.shown)
    const view = this.#editor.view({ width: width - indent, rows: height, marks })
    const text = view.lines.map((line, row) => {
      const isFirst = row === 0 && view.first
      const whole = row === view.cursor.row ? this.#withHint(line, room, width - indent) : line
      return indent === 0 ? whole : [...(isFirst ? room.prompt : [{ text: ' '.repeat(indent) }]), ...whole]
    })
    const top = menu.length + badges.length
    const cursor = { row: top + view.cursor.row, column: indent + view.cursor.column }
    return { lines: [...menu, ...badges, ...text], cursor }
  }

  /** Returns the text with folds expanded, and clears the composer. */
  take(): { readonly text: string; readonly images: readonly ImageContent[] } {
    const { text, shown, folds } = this.#editor
    this.#history.add(shown, this.#pastes.entry(shown, folds))
    const images = this.#attachments.take()
    this.clear()
    return { text, images }
  }

  /** Drops the text; pictures stay. */
  clear(): void {
    this.#leave()
    this.#editor.clear()
  }

  /** At the cursor. */
  insert(text: string): void {
    this.#edit(() => this.#editor.insert(this.#pastes.ofText(text)))
  }

  /** In the place of all that is there. */
  set(text: string): void {
    this.#leave()
    this.#editor.set([this.#pastes.ofText(text)])
  }

  /** Attaches the picture of a file, or that in the clipboard. What goes wrong is said with `failed`. */
  async attach(source: string | 'clipboard'): Promise<void> {
    await this.#attachments.add(source)
  }

  /** Lets the user continue in an external editor. Failures are reported with `failed`, and the draft is kept. */
  async openEditor(screen: TerminalScreen): Promise<void> {
    const { text } = this.#editor
    try {
      const { editOutside } = await import('./external-editor.ts')
      const edited = await screen.lend(() => editOutside(text, this.#options))
      if (edited !== text && !this.#ending.signal.aborted) this.set(edited)
    } catch (error) {
      this.#options.failed(error)
    }
    this.#options.changed()
  }

  field(): TextField {
    return new Editor(this.#options.layout)
  }

  /** Ends what is under way; resolves when the history is written. */
  async close(): Promise<void> {
    this.#ending.abort()
    this.#menu.close()
    await this.#history.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #key(name: string): 'taken' | 'ignored' | 'submit' {
    if (this.#search) return this.#searchKey(name)
    if (this.#menu.isOpen && this.#menuKey(name))
      // A complete command runs at once: Enter is not needed to complete its name.
      return name === 'enter' && this.#isWholeCommand ? this.#enter() : 'taken'
    if (name === 'enter') return this.#enter()
    return this.#ownKey(name) || this.#editKey(name) ? 'taken' : 'ignored'
  }

  /** The keys that are about more than the text. */
  #ownKey(name: string): boolean {
    const { isEmpty } = this.#editor
    switch (name) {
      case 'up':
      case 'C-p':
        return this.#moved(-1) || this.#older()
      case 'down':
      case 'C-n':
        return this.#moved(1) || this.#newer()
      case 'C-v':
      case 'M-v':
        void this.attach('clipboard')
        return true
      case 'C-r':
        this.#leave()
        this.#search = { words: '', skip: 0, found: true, before: this.#editor.state }
        return true
      case 'tab':
        if (!isEmpty) void this.#menu.ask(this.#editor.before)
        return !isEmpty
      case 'backspace':
        return isEmpty && this.#attachments.removeLast()
      default:
        return false
    }
  }

  #editKey(name: string): boolean {
    if (name === 'C-d' && this.#editor.isEmpty) return false
    let isKnown = false
    this.#edit(() => {
      isKnown = this.#editor.key(name)
    })
    return isKnown
  }

  /** Whatever changes the text: then the menu is about something else, and history is left. */
  #edit(work: () => void): void {
    const { lines, cursor } = this.#editor.state
    work()
    const { state } = this.#editor
    if (state.lines === lines && state.cursor === cursor) return
    if (state.lines === lines) this.#menu.close()
    else {
      this.#history.leave()
      this.#draft = undefined
      this.#menu.typed(this.#editor.before)
    }
  }

  #enter(): 'taken' | 'ignored' | 'submit' {
    const { before } = this.#editor
    if (before.endsWith('\\')) {
      this.#edit(() => this.#editor.replaceBefore(1, '\n'))
      return 'taken'
    }
    if (this.#attachments.isEmpty && this.#editor.shown.trim() === '') return 'ignored'
    if (this.#attachments.isReading) {
      this.#options.failed(new Error(this.#options.t('An image is still being read. Press Enter again in a moment.')))
      return 'taken'
    }
    return 'submit'
  }

  #paste(text: string): void {
    const { cwd, environment } = this.#options
    // What a command is given is left as it is.
    const isCommand = this.#editor.before.startsWith('/')
    const paths = isCommand ? undefined : droppedPaths(text, environment('HOME'))
    if (!paths) {
      this.#edit(() => this.#editor.insert(this.#pastes.ofPaste(text)))
      return
    }
    for (const path of paths.filter(isPicture)) void this.attach(path)
    const mentions = paths.filter((path) => !isPicture(path)).map((path) => `${formatMention(path, cwd)} `)
    const gap = /(^|\s)$/.test(this.#editor.before) ? '' : ' '
    if (mentions.length > 0) this.#edit(() => this.#editor.insert(gap + mentions.join('')))
  }

  #menuKey(name: string): boolean {
    switch (name) {
      case 'up':
      case 'C-p':
      case 'S-tab':
        this.#menu.move(-1)
        return true
      case 'down':
      case 'C-n':
        this.#menu.move(1)
        return true
      case 'escape':
        return this.#menu.close()
      case 'tab':
      case 'enter':
        return this.#accept(name)
      case 'right':
        return this.#ghost() !== '' && this.#accept('tab')
      default:
        return false
    }
  }

  /** A slash command that takes nothing more, as far as its completion tells. */
  get #isWholeCommand(): boolean {
    const { before, shown } = this.#editor
    return !this.#menu.isOpen && !this.#takesMore && before === shown && /^\/\S+( \S+)* ?$/.test(before)
  }

  /** A space follows a complete word, so that the user can continue typing. */
  #accept(key: 'tab' | 'enter'): boolean {
    const { before } = this.#editor
    const chosen = this.#menu.chosen(before, key)
    this.#menu.close()
    if (!chosen) return false
    this.#takesMore = chosen.open === true
    const end = chosen.open || /\s$/.test(chosen.text) ? '' : ' '
    this.#editor.replaceBefore(before.length - chosen.from, chosen.text + end)
    if (chosen.open) this.#menu.typed(this.#editor.before)
    return true
  }

  #ghost(): string {
    return this.#editor.isAtEnd ? this.#menu.ghost(this.#editor.before) : ''
  }

  #moved(rows: -1 | 1): boolean {
    if (!this.#editor.move(rows)) return false
    this.#menu.close()
    return true
  }

  #older(): boolean {
    const { before, state, shown } = this.#editor
    const entry = this.#history.older(shown.includes('\n') ? '' : before)
    if (!entry) return false
    this.#draft ??= state
    this.#recall(entry)
    return true
  }

  #newer(): boolean {
    const entry = this.#history.newer()
    if (!entry) return false
    if (entry !== 'draft') this.#recall(entry)
    else if (this.#draft) this.#editor.restore(this.#draft)
    return true
  }

  #recall(entry: HistoryEntry): void {
    this.#menu.close()
    this.#editor.set(this.#pastes.parts(entry))
  }

  #leave(): void {
    this.#menu.close()
    this.#history.leave()
    this.#search = undefined
    this.#draft = undefined
  }

  /** Enter and keys of movement keep what was found; Escape brings back what was there. */
  #searchKey(name: string): 'taken' | 'ignored' {
    const search = this.#search
    if (!search) return 'ignored'
    if (name === 'C-r') this.#look(search.words, search.skip + 1)
    else if (name === 'C-s') this.#look(search.words, Math.max(0, search.skip - 1))
    else if (name === 'backspace') this.#look(this.#options.layout.graphemes(search.words).slice(0, -1).join(''), 0)
    else {
      this.#search = undefined
      if (name === 'escape' || name === 'C-g') this.#editor.restore(search.before)
      else if (name === 'C-c') return 'ignored'
    }
    return 'taken'
  }

  #look(words: string, skip: number): void {
    const search = this.#search
    if (!search) return
    const entry = words === '' ? undefined : this.#history.find(words, skip)
    if (entry) this.#recall(entry)
    else if (words === '') this.#editor.restore(search.before)
    this.#search = { ...search, words, skip: entry ? skip : search.skip, found: words === '' || entry !== undefined }
  }

  #searchLines(width: number, rows: number): readonly StyledLine[] {
    const { layout, t } = this.#options
    if (!this.#search || rows < 1) return []
    const { words, found } = this.#search
    const label = found ? t('Search in history: ') : t('Not in history: ')
    return [layout.cut([{ text: label, role: 'dim' }, { text: layout.clean(words) }], width)]
  }

  #badges(width: number): readonly StyledLine[] {
    const { line } = this.#attachments
    return line.length === 0 ? [] : this.#options.layout.wrap(line, width).slice(0, MAX_BADGE_ROWS)
  }

  /** The rest of the only completion behind the cursor, or the placeholder. */
  #withHint(line: StyledLine, { placeholder = '' }: ComposerRoom, width: number): StyledLine {
    const { layout } = this.#options
    const text = this.#editor.isEmpty ? placeholder : this.#ghost()
    if (text === '') return line
    const left = width - layout.lineWidth(line)
    return [...line, ...layout.cut([{ text: layout.clean(text), role: 'dim' }], left)]
  }
}
