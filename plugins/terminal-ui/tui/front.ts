/** The full-screen front end of one conversation: takes what happens, keeps what is shown, draws it. */
import { basename } from 'node:path'
import {
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
} from 'svc/sdk'
import type { ConversationChange, ConversationNotice, FrontEndHandlers } from 'svc/sdk/sessions'
import {
  type Composer,
  Display,
  type DisplaySettings,
  type SessionEntry,
  type TerminalScreen,
  type TextField,
  TextLayout,
  type Transcript,
  Transcripts,
  type TuiContext,
} from 'svc/sdk/terminal'
import { Answering } from './answering-model.ts'
import { createContext } from './context.ts'
import { Dialogs } from './dialogs.ts'
import { NamedTimers } from './named-timers.ts'
import { paint, renderBanner } from './paint.ts'
import { PersonDialogs } from './person-dialogs.ts'
import { PluginViews } from './plugin-views.ts'
import { type Toast, Toasts } from './toasts.ts'
import { findScreen, TypedCommands } from './typed-commands.ts'
import type { Views } from './views.ts'

const FRAME_MS = 16
const BUSY_TICK_MS = 150
const IDLE_TICK_MS = 2000
const MAX_SENT = 20

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
  readonly screens: PluginViews
  readonly #timers: NamedTimers
  readonly #toasts: Toasts
  readonly #person: PersonDialogs
  readonly approve: PersonDialogs['approve']
  readonly answer: PersonDialogs['answer']
  readonly confirm: PersonDialogs['confirm']
  readonly choose: PersonDialogs['choose']
  readonly ask: PersonDialogs['ask']
  readonly edit: PersonDialogs['edit']
  readonly #typed: TypedCommands
  #sent: readonly { readonly text: string; readonly images: number }[] = []
  readonly #answering: Answering
  #drawnAt = Number.NEGATIVE_INFINITY
  #title = ''
  /** The title that a plugin set. */
  #ownTitle: string | undefined
  #isOpen = true

  constructor(ctx: PluginContext<undefined>, { screen }: FrontOptions) {
    this.ctx = ctx
    this.screen = screen
    this.clock = ctx.use(Clock)
    this.#timers = new NamedTimers(this.clock)
    this.#answering = new Answering(ctx)
    this.startedAt = this.clock.now()
    this.layout = ctx.use(TextLayout)
    this.t = createTranslator(ctx)
    this.dialogs = new Dialogs(() => this.redraw())
    this.transcript = ctx.use(Transcripts).open({ surface: this.surface, banner: (width) => renderBanner(this, width) })
    this.#typed = new TypedCommands(this)
    this.handle = createContext(this)
    this.screens = new PluginViews({
      ctx,
      contextOf: (owner) => createContext(this, owner),
      redraw: () => this.redraw(),
      attempt: (work) => this.attempt(work),
      releases: (on) => screen.releases?.(on),
    })
    this.#toasts = new Toasts(this.#timers, () => this.redraw())
    this.#person = new PersonDialogs(this, {
      timers: this.#timers,
      isBusy: () => this.#conversation?.busy === true,
      bell: () => this.#bell(),
    })
    const { approve, answer, confirm, choose, ask, edit } = this.#person
    this.approve = approve
    this.answer = answer
    this.confirm = confirm
    this.choose = choose
    this.ask = ask
    this.edit = edit
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
    return this.#toasts.all
  }

  /** The views over the conversation. */
  get views(): Views {
    return this.screens.stack
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

  /** Looks for words in the conversation. */
  find(words = ''): Promise<void> {
    return this.#person.find(words)
  }

  // What keys and commands do.

  /** Contract: `Toasts.add`. */
  toast(text: string, tone: ConversationNotice['tone'] = 'info', ms?: number): () => void {
    return this.#toasts.add(text, tone, ms)
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
      this.screens.show(screen)
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
    if (!this.#timers.has('draw')) this.#timers.after('draw', wait, () => this.#draw())
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
    this.screens.close()
    this.#typed.forget()
    this.dialogs.cancelAll()
    this.#timers.close()
  }

  #draw(): void {
    this.#drawnAt = this.clock.monotonic()
    const { columns, rows } = this.screen
    if (columns < 1 || rows < 1) return
    const picture = this.attempt(() => paint(this))
    if (picture) this.screen.draw(picture)
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
    this.#timers.after('tick', busy ? BUSY_TICK_MS : IDLE_TICK_MS, () => {
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
}
