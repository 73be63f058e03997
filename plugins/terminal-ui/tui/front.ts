/** The full-screen front end of one conversation: takes what happens, keeps what is shown, draws it. */
import { basename } from 'node:path'
import {
  type ApprovalChoice,
  type ApprovalRequest,
  type ChoiceDialog,
  Clock,
  type Conversation,
  createTranslator,
  errorMessage,
  type ImageContent,
  logFault,
  type PluginContext,
  Sessions,
  type Translate,
  type TurnEvent,
  type UserQuestion,
} from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import type { ConversationChange, ConversationNotice, DialogOptions, FrontEndHandlers } from 'svc/sdk/sessions'
import {
  type Composer,
  Display,
  type DisplaySettings,
  Overlays,
  type OverlayView,
  type SessionEntry,
  type TerminalScreen,
  type TextField,
  TextLayout,
  type Transcript,
  Transcripts,
  type TuiContext,
  type ViewPlace,
} from 'svc/sdk/terminal'
import { Answering } from './answering-model.ts'
import { createContext } from './context.ts'
import {
  approvalQuestion,
  clarifyQuestion,
  confirmQuestion,
  type Dialog,
  Dialogs,
  QuestionDialog,
  type QuestionOptions,
  wordsQuestion,
} from './dialogs.ts'
import { EditDialog } from './edit-dialog.ts'
import { FindDialog } from './find-dialog.ts'
import { MenuDialog } from './menu-dialog.ts'
import { openCharged } from './open-screen.ts'
import { paint, renderBanner } from './paint.ts'
import { TimedDialog } from './timed-dialog.ts'
import { findScreen, TypedCommands } from './typed-commands.ts'
import { Views } from './views.ts'

const FRAME_MS = 16
const BUSY_TICK_MS = 150
const IDLE_TICK_MS = 2000
const SECOND_MS = 1000
const TOAST_MS = 4000
const MAX_TOASTS = 3
const MAX_SENT = 20

/** A short text that disappears after a while. */
export interface Toast {
  readonly text: string
  readonly tone: ConversationNotice['tone']
}

/** Why it ends. */
export type Leaving = 'left' | 'closed'

/** What the front end is opened with. */
export interface FrontOptions {
  readonly screen: TerminalScreen
}

export class Front implements FrontEndHandlers {
  readonly surface = 'cli'
  readonly stays = true
  readonly commands = 'cli'
  readonly waits = true
  readonly ctx: PluginContext<undefined>
  readonly screen: TerminalScreen
  readonly layout: TextLayout
  readonly t: Translate
  readonly dialogs: Dialogs
  readonly transcript: Transcript
  /** What plugins are given. */
  readonly handle: TuiContext
  readonly startedAt: number
  readonly clock: Clock
  /** Resolves when the user leaves, or the terminal is gone. */
  readonly left: Promise<Leaving>
  #leave: (how: Leaving) => void = () => {}
  #conversation: Conversation | undefined
  #composer: Composer | undefined
  readonly views: Views
  #toasts: readonly Toast[] = []
  #timed = 0
  readonly #typed: TypedCommands
  #sent: readonly { readonly text: string; readonly images: number }[] = []
  readonly #answering: Answering
  #timers = new Map<string, () => void>()
  #drawnAt = Number.NEGATIVE_INFINITY
  #title = ''
  /** The title that a plugin set. */
  #ownTitle: string | undefined
  #isOpen = true

  constructor(ctx: PluginContext<undefined>, { screen }: FrontOptions) {
    this.ctx = ctx
    this.screen = screen
    this.clock = ctx.use(Clock)
    this.#answering = new Answering(ctx)
    this.startedAt = this.clock.now()
    this.layout = ctx.use(TextLayout)
    this.t = createTranslator(ctx)
    this.dialogs = new Dialogs(() => this.redraw())
    this.transcript = ctx.use(Transcripts).open({ surface: this.surface, banner: (width) => renderBanner(this, width) })
    this.#typed = new TypedCommands(this)
    this.handle = createContext(this)
    this.views = new Views({
      changed: () => this.redraw(),
      report: (plugin, problem) => ctx.use(Plugins).report({ plugin, stage: 'screen', ...problem }),
      attempt: (work) => this.attempt(work),
      releases: (on) => screen.releases?.(on),
    })
    this.left = new Promise((resolve) => {
      this.#leave = resolve
    })
  }

  /** The conversation it is for, and where one types. */
  attach(conversation: Conversation, composer: Composer): void {
    this.#conversation = conversation
    this.#composer = composer
    this.#recall(this.settings.resume_display)
    this.#tick()
    void this.findModel()
  }

  /** Another composer takes the place of the one that is there, with what was typed. */
  async moveTo(composer: Composer): Promise<void> {
    const before = this.composer
    const { text } = before.take()
    this.#composer = composer
    if (text) composer.set(text)
    this.redraw()
    await before.close()
  }

  get conversation(): Conversation {
    if (!this.#conversation) throw new Error('no conversation yet')
    return this.#conversation
  }

  /** A line to be typed in a dialog. */
  field(): TextField {
    return this.composer.field()
  }

  get composer(): Composer {
    if (!this.#composer) throw new Error('no composer yet')
    return this.#composer
  }

  get toasts(): readonly Toast[] {
    return this.#toasts
  }

  /** The model that answers now or next; undefined while it is not known. */
  get model(): { readonly provider: string; readonly model: string } | undefined {
    return this.transcript.facts.model ?? this.#answering.model
  }

  leave(how: Leaving = 'left'): void {
    this.#leave(how)
  }

  // What the conversation tells. Methods that others are given alone know where they belong.

  show(event: TurnEvent): void {
    if (event.type === 'turn.start') this.#typed.show()
    this.transcript.show(event, event.type === 'turn.start' ? this.#countImages(event.text) : 0)
    if (event.type === 'turn.end') this.#bell()
    this.redraw()
  }

  say(said: ConversationNotice): void {
    this.#typed.show()
    this.transcript.say(said)
    this.redraw()
  }

  changed(change: ConversationChange): void {
    if (change === 'closed') this.leave()
    if (!this.#conversation) return
    if (change === 'session') {
      this.#typed.forget()
      this.#recall(this.settings.resume_display)
    }
    // What is compressed in a turn is told by its events.
    if (change === 'messages' && !this.conversation.busy) this.#recall('full')
    if (change === 'session' || change === 'settings') void this.findModel()
    if (change === 'busy') this.#tick()
    this.redraw()
  }

  readonly approve = (request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice | undefined> => {
    if (!this.#conversation?.busy) this.#bell()
    return this.#question(approvalQuestion(request, this.t), signal)
  }

  readonly answer = (question: UserQuestion, signal: AbortSignal): Promise<string | undefined> => {
    if (!this.#conversation?.busy) this.#bell()
    return this.#question(clarifyQuestion(question, this.t), signal)
  }

  confirm(question: string, signal: AbortSignal, options?: DialogOptions): Promise<boolean | undefined> {
    return this.#question(confirmQuestion(question, this.t), signal, options)
  }

  choose(menu: ChoiceDialog, signal?: AbortSignal, options?: DialogOptions): Promise<string | undefined> {
    return this.#ask<string>((done) => new MenuDialog(menu, this, done), signal, options)
  }

  edit(
    dialog: { readonly title: string; readonly text: string },
    signal: AbortSignal,
    options?: DialogOptions,
  ): Promise<string | undefined> {
    return this.#ask<string>((done) => new EditDialog(dialog, this, done), signal, options)
  }

  /** Looks for words in the conversation. */
  async find(words = ''): Promise<void> {
    await this.dialogs.ask<undefined>((done) => new FindDialog(this, words, done))
  }

  ask(
    question: { readonly text: string; readonly secret?: boolean },
    signal: AbortSignal,
    options?: DialogOptions,
  ): Promise<string | undefined> {
    return this.#question(wordsQuestion(question), signal, options)
  }

  // What keys and commands do.

  /** What it returns takes the words away before their time. */
  toast(text: string, tone: ConversationNotice['tone'] = 'info', ms = TOAST_MS): () => void {
    const toast = { text, tone }
    const remove = () => {
      this.#toasts = this.#toasts.filter((each) => each !== toast)
      this.redraw()
    }
    this.#toasts = [...this.#toasts, toast].slice(-MAX_TOASTS)
    this.#after(`toast ${++this.#timed}`, ms, remove)
    this.redraw()
    return remove
  }

  /** Sends what stands in the composer. */
  submit(): void {
    const { text, images } = this.composer.take()
    if (text.trim() || images.length > 0) this.type(text, images)
  }

  /** As if it had been typed. */
  type(text: string, images: readonly ImageContent[] = []): void {
    this.transcript.follow()
    const screen = findScreen(this, text)
    if (screen !== undefined) {
      this.openScreen(screen)
      return
    }
    const shown = /^[/!]/.test(text) ? this.#typed.add(text) : undefined
    if (images.length) this.#sent = [...this.#sent, { text, images: images.length }].slice(-MAX_SENT)
    const typed = this.conversation.type(text, images.length ? { images } : {})
    typed.catch((error: unknown) => this.fail('what was typed failed', error)).finally(() => shown?.())
  }

  /** A fault as a sentence; the log has the rest. */
  fail(what: string, error: unknown): void {
    logFault(this.ctx.log, what, error)
    this.say({ text: errorMessage(error), tone: 'error' })
  }

  copy(text: string): void {
    this.screen.copy(text)
    this.toast(this.t('Copied.'))
  }

  /** Shows reasoning or hides it, for now. */
  async toggleReasoning(): Promise<void> {
    await this.ctx.use(Display).set('show_reasoning', !this.settings.show_reasoning, 'now')
  }

  openScreen(name: string): void {
    const screens = this.ctx.all(Overlays)
    const screen = screens.get(name)
    if (!screen) return
    this.views.closeAll((view) => view.screen !== undefined)
    const view = openCharged(screen, screens, createContext(this, screens.owner(name)))
    if (view) this.views.push({ view, screen, place: {}, owner: screens.owner(name), closed: () => {} })
    this.redraw()
  }

  /** The screen of a plugin that was switched off is closed; that of another generation is opened in its place. */
  followScreens(): void {
    const open = this.views.all.find(({ screen }) => screen && !this.ctx.all(Overlays).all().includes(screen))
    if (!open?.screen) return
    this.views.close(open)
    this.openScreen(open.screen.name)
  }

  /** Views that plugins opened end with the code that draws them. */
  followPlugins(): void {
    this.views.closeAll(({ owner, generation }) => {
      return owner !== undefined && generation !== undefined && this.#findGeneration(owner) !== generation
    })
  }

  /** Opens a view for a plugin; undefined: for this one. */
  open<T>(
    make: (done: (result?: T) => void) => OverlayView,
    place: ViewPlace,
    owner: string | undefined,
  ): Promise<T | undefined> {
    if (!this.#isOpen) return Promise.resolve(undefined)
    return this.views.open(make, place, owner === undefined ? {} : { owner, generation: this.#findGeneration(owner) })
  }

  /** Undefined while it does not run. */
  #findGeneration(plugin: string): number | undefined {
    const info = this.ctx.use(Plugins).info(plugin)
    return info && ['loaded', 'started', 'suspended'].includes(info.status) ? info.generation : undefined
  }

  setTitle(title: string | undefined): void {
    this.#ownTitle = title
    this.#showTitle()
  }

  notify(title: string, body = ''): 'notification' | 'bell' {
    if (this.screen.notify?.(title, body)) return 'notification'
    this.screen.bell()
    return 'bell'
  }

  async runProgram<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.screen.lend(work)
    } finally {
      if (this.#isOpen) this.repaint()
    }
  }

  addEntry(entry: SessionEntry): void {
    this.transcript.addEntry(this.ctx.use(Sessions).open(this.conversation.sessionId), entry)
    this.redraw()
  }

  scrollTo(message: number): boolean {
    const { sessionId } = this.conversation
    const isShown = this.attempt(() => this.transcript.scrollTo(this.ctx.use(Sessions).open(sessionId), message))
    this.redraw()
    return isShown === true
  }

  /** Redraws everything. */
  repaint(): void {
    this.screen.forget()
    this.restyle()
  }

  /** Settings, skin or language are other ones. */
  restyle(): void {
    this.screen.look(this.ctx.use(Display).skin())
    this.screen.mouse?.(this.settings.mouse)
    this.transcript.restyle()
    this.redraw()
  }

  redraw(): void {
    const wait = Math.max(0, FRAME_MS - (this.clock.monotonic() - this.#drawnAt))
    if (!this.#timers.has('draw')) this.#after('draw', wait, () => this.#draw())
  }

  /** What another plugin contributes may fail; it is named in the log. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.ctx.log.warn('a part of the interface failed', { error })
      return undefined
    }
  }

  close(): void {
    this.#isOpen = false
    this.views.closeAll()
    this.#typed.forget()
    this.dialogs.cancelAll()
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
  }

  #draw(): void {
    this.#drawnAt = this.clock.monotonic()
    const { columns, rows } = this.screen
    if (columns < 1 || rows < 1) return
    const picture = this.attempt(() => paint(this))
    if (picture) this.screen.draw(picture)
  }

  #question<T>(question: QuestionOptions<T>, signal: AbortSignal, options?: DialogOptions): Promise<T | undefined> {
    return this.#ask<T>((done) => new QuestionDialog(question, this, done), signal, options)
  }

  #ask<T>(
    make: (done: (value: T | undefined) => void) => Dialog,
    signal: AbortSignal | undefined,
    { expiresAt }: DialogOptions = {},
  ): Promise<T | undefined> {
    // What a person just typed needs no bell.
    if (signal && this.#conversation?.busy) this.#bell()
    if (expiresAt === undefined) return this.dialogs.ask(make, signal)
    const answer = this.dialogs.ask<T>((done) => new TimedDialog(make(done), expiresAt, this), signal)
    this.#countDown()
    return answer
  }

  /** Draws once a second while a question shows the time that is left. */
  #countDown(): void {
    this.#after('countdown', SECOND_MS, () => {
      if (!this.dialogs.all.some((each) => each instanceof TimedDialog)) return
      this.redraw()
      this.#countDown()
    })
  }

  #recall(shown: 'full' | 'minimal' | 'none'): void {
    const { sessionId } = this.conversation
    this.attempt(() => this.transcript.recall(this.ctx.use(Sessions).open(sessionId), shown))
    this.redraw()
  }

  /** Looks again who answers. Never rejects. */
  async findModel(): Promise<void> {
    try {
      await this.#answering.find(this.conversation.settings)
    } catch (error) {
      logFault(this.ctx.log, 'no model could be chosen', error)
      if (this.#isOpen) this.toast(errorMessage(error), 'warning')
    }
    if (this.#isOpen) this.restyle()
    void this.#answering.findWindow().then(() => this.#isOpen && this.redraw())
  }

  /** Only the scripted demo answers. */
  get isDemo(): boolean {
    return this.#answering.isDemo
  }

  get settings(): DisplaySettings {
    return this.ctx.use(Display).settings(this.surface)
  }

  #countImages(text: string): number {
    const sent = this.#sent.find((each) => text.startsWith(each.text))
    this.#sent = this.#sent.filter((each) => each !== sent)
    return sent?.images ?? 0
  }

  #bell(): void {
    if (this.settings.bell_on_complete) this.screen.bell()
  }

  /** Something moves while a turn is under way; what plugins show may change at any time. */
  #tick(): void {
    const { busy } = this.conversation
    this.#showTitle()
    this.#after('tick', busy ? BUSY_TICK_MS : IDLE_TICK_MS, () => {
      this.redraw()
      this.#tick()
    })
  }

  #showTitle(): void {
    const { busy, cwd } = this.conversation
    const title = `${busy ? '● ' : ''}${this.#ownTitle ?? `svc · ${basename(cwd)}`}`
    if (title !== this.#title) this.screen.title(title)
    this.#title = title
  }

  #after(name: string, ms: number, work: () => void): void {
    this.#timers.get(name)?.()
    if (!this.#isOpen) return
    const run = () => {
      this.#timers.delete(name)
      work()
    }
    this.#timers.set(name, this.clock.after(ms, run))
  }
}
