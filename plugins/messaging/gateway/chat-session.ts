/** One chat: the front end of its conversation. It owns the messages on their way in, the open questions and what is shown. */
import {
  Clock,
  type Conversation,
  createTranslator,
  errorMessage,
  logFault,
  type PluginContext,
  type Translate,
  type TurnEndReason,
  type TurnEvent,
} from 'svc/sdk'
import { Commands } from 'svc/sdk/host'
import { type InboundResult, type Platform, Platforms } from 'svc/sdk/platform'
import type { ConversationChange, ConversationNotice, FrontEndHandlers } from 'svc/sdk/sessions'
import { bindSession, completedBefore, isResetDue, leftAnswer, startConversation } from './chat-conversation.ts'
import { ChatDialogs } from './chat-dialogs.ts'
import { ChatOutput } from './chat-output.ts'
import { type CommandLine, parseLine } from './commands.ts'
import type { Config } from './config.ts'
import { screenMessages } from './inbound-hook.ts'
import { type InboxDeps, InboxRows } from './inbox-rows.ts'
import { isToMerge, WaitingBurst } from './merge-bursts.ts'
import type { ChatBinding, InboxRow } from './store.ts'
import { readRequest } from './turn-input.ts'
import { TurnWatch } from './turn-watch.ts'

/** What all chats of a gateway share. */
export interface ChatDeps extends InboxDeps {
  readonly ctx: PluginContext<Config>
  /** When this process began with chats: Unix time in milliseconds. */
  readonly startedAt: number
  /** While it returns a value, no turn is begun. */
  drain(): { readonly isQuiet: boolean } | undefined
}

const MAX_ATTEMPTS = 3

/** Contract: `FrontEndHandlers` of the SDK. */
export class ChatSession implements FrontEndHandlers {
  readonly surface: string
  readonly stays?: true
  readonly commands = 'gateway'
  readonly #deps: ChatDeps
  readonly #binding: ChatBinding
  readonly #platform: () => Platform
  readonly #clock: Clock
  readonly #t: Translate
  readonly #rows: InboxRows
  readonly #output: ChatOutput
  readonly #dialogs: ChatDialogs
  readonly #watch: TurnWatch
  readonly #closing = new AbortController()
  readonly wasShown: ChatDialogs['wasShown'] = (id) => this.#dialogs.wasShown(id)
  readonly approve: ChatDialogs['approve'] = (request, signal) => this.#dialogs.approve(request, signal)
  readonly answer: ChatDialogs['answer'] = (question, signal) => this.#dialogs.answer(question, signal)
  readonly confirm: ChatDialogs['confirm'] = (...dialog) => this.#dialogs.confirm(...dialog)
  readonly choose: ChatDialogs['choose'] = (...dialog) => this.#dialogs.choose(...dialog)
  readonly ask: ChatDialogs['ask'] = (...dialog) => this.#dialogs.ask(...dialog)
  readonly edit: ChatDialogs['edit'] = (...dialog) => this.#dialogs.edit(...dialog)
  #conversation: Conversation | undefined
  readonly #burst: WaitingBurst
  /** What came during a drain, in its order. */
  #held: InboxRow[] = []
  #work: Promise<unknown> = Promise.resolve()
  #working = 0
  /** Messages on their way to the conversation. */
  #preparing = 0
  /** Incremented when a user stops all requests. */
  #stops = 0
  usedAt: number

  constructor(deps: ChatDeps, binding: ChatBinding, platform: Platform) {
    const { ctx } = deps
    this.surface = platform.name
    // A machine that sent an event reads no answer to a message that it did not send.
    if (!platform.isEvents) this.stays = true
    this.#deps = deps
    this.#binding = binding
    const platforms = ctx.all(Platforms)
    // Its plugin may be reloaded while the chat is open.
    this.#platform = () => platforms.get(platform.name) ?? platform
    this.#clock = ctx.use(Clock)
    this.#t = createTranslator(ctx)
    this.#burst = new WaitingBurst(this.#clock, (rows) => this.#enqueue(rows))
    this.#rows = new InboxRows(deps)
    this.#output = new ChatOutput(ctx, binding, this.#platform)
    const dialogChat = { output: this.#output, rows: this.#rows, sessionId: () => this.#sessionId() }
    this.#dialogs = new ChatDialogs(ctx, dialogChat, platform)
    this.#watch = new TurnWatch(this.#clock, {
      limits: () => ctx.config,
      isWaiting: () => this.#dialogs.isWaiting,
      showTyping: () => this.#output.showTyping(),
      tellStillWorking: (ms) => {
        if (!this.#platform().isEvents) this.#output.tellStillWorking(ms)
      },
      stop: () => this.#stopStuck(),
    })
    this.usedAt = this.#clock.now()
  }

  /** A turn is under way. */
  get isBusy(): boolean {
    return this.#conversation?.busy === true
  }

  /** Nothing is being done, and nothing waits. */
  get isIdle(): boolean {
    const isWaiting = this.#burst.burst.rows.length > 0 || this.#held.length > 0
    const isQuiet = this.#working === 0 && !isWaiting && !this.#watch.isUnderway
    return isQuiet && !this.isBusy && this.#output.followUpPending === undefined
  }

  /** Whether a turn is running or messages wait for one. Running commands do not count. */
  get hasTurns(): boolean {
    return (
      this.#isUnderway ||
      this.#burst.burst.rows.length > 0 ||
      this.#held.length > 0 ||
      this.isBusy ||
      (this.#conversation?.queue.length ?? 0) > 0
    )
  }

  /** The next message opens the session that is bound to this chat by then. */
  rebound(): void {
    const left = this.#conversation
    this.#conversation = undefined
    left?.close().catch((error: unknown) => logFault(this.#deps.ctx.log, 'a conversation could not be closed', error))
  }

  /** Turns that began with a message and are not over. */
  get turns(): number {
    return this.#rows.turns
  }

  /** Takes a message that is stored. */
  accept(row: InboxRow): InboundResult {
    const { ctx } = this.#deps
    this.usedAt = this.#clock.now()
    this.#output.newest ??= row
    const answer = this.#dialogs.take(row)
    if (answer) return answer
    const line = parseLine(ctx.use(Commands), row.message, this.#platform())
    const drain = this.#deps.drain()
    if (drain && !line?.isImmediate) return this.#hold(row, drain)
    this.#dialogs.supersede()
    if (line === undefined && (this.#isUnderway || isToMerge(this.#burst.burst, row, this.#platform().limits)))
      this.#burst.add(row, this.#platform().limits)
    else {
      // What runs at once does not hurry the words before it, which it may be about to stop.
      if (!line?.isImmediate || line.isDestructive) this.#burst.flush()
      this.#enqueue([row], line)
    }
    return { outcome: 'taken' }
  }

  /** It stays in the inbox: it is taken when the drain is cancelled, or by the next gateway. */
  #hold(row: InboxRow, { isQuiet }: { readonly isQuiet: boolean }): InboundResult {
    const isFirst = this.#held.length === 0
    this.#held.push(row)
    this.#rows.note(row, 'held', 'the gateway begins no turns for now')
    if (isFirst && !isQuiet && !this.#platform().isEvents) {
      const text = this.#t('I take a break for maintenance. Your message is stored, and I answer it afterwards.')
      this.#output.post({ key: `drain:${row.trace}`, text })
    }
    return { outcome: 'taken' }
  }

  /** Takes what came during a drain. */
  release(): void {
    for (const row of this.#held.splice(0)) this.accept(row)
  }

  /** Resumes the turn that a crash left; it began with the message of this key. */
  resume(session: string, turnId: string, key: string): void {
    this.#rows.expectTurn(turnId, key)
    this.#conversation ??= this.#start(session)
  }

  /** Opens the session without an inbound message, for an outbound one. */
  open(session: string): void {
    if (!this.#conversation?.open) this.#conversation = this.#start(session)
  }

  /** Resolves when what was accepted is done. */
  async idle(): Promise<void> {
    this.#burst.flush()
    await this.#work
    await this.#conversation?.idle()
    await this.#output.filesPending
    await this.#output.followUpPending
  }

  /** The turn under way is stopped; it is resumed at the next start. */
  async close(): Promise<void> {
    this.#burst.take()
    this.#held = []
    this.#watch.pause()
    this.#closing.abort()
    this.#rows.endAnswers()
    this.#dialogs.close()
    await this.#conversation?.close()
    await this.#output.filesPending
    await this.#output.followUpPending
  }

  show(event: TurnEvent): void {
    this.#watch.touch()
    this.#output.show(event)
    if (event.type === 'turn.start') this.#begin(event.turnId, event.options?.key)
    else if (event.type === 'turn.resume') {
      this.#begin(event.turnId)
      // What was complete when svc stopped may not have reached the outbox; what has stays as it is.
      const session = this.#conversation?.sessionId ?? this.#binding.session
      const earlier = completedBefore(this.#deps.ctx, session, event.turnId, event.seq)
      for (const each of earlier) this.#output.show(each)
    } else if (event.type === 'turn.end') this.#finish(event.turnId, event.reason)
  }

  say(said: ConversationNotice): void {
    this.#output.say(said)
  }

  changed(change: ConversationChange): void {
    const conversation = this.#conversation
    if (!conversation) return
    if (change === 'session') bindSession(this.#deps.ctx, this.#deps.store, this.#binding, conversation.sessionId)
    // A conversation that was closed drops nothing: what waited in it is taken again at the next start.
    const hasNothing = conversation.open && !conversation.busy && conversation.queue.length === 0
    if (change === 'busy' && hasNothing) this.#rows.releaseAll()
  }

  discard(): boolean {
    const rows = [...this.#held.splice(0), ...this.#burst.take()]
    const had = rows.length > 0 || this.#preparing > 0
    this.#stops++
    for (const row of rows) this.#rows.note(row, 'stopped', 'a user stopped the request')
    this.#rows.end(rows)
    return had
  }

  owns(session: string): boolean {
    return this.#deps.store.findBindingBySession(session)?.talk === this.#binding.talk
  }

  /** Whether the words of a turn are with the model, or on their way there. */
  get #isUnderway(): boolean {
    return this.#watch.isUnderway || this.#preparing > 0 || this.#rows.isHanded
  }

  /** One thing after the other; a command that need not wait does not, but what comes behind it does. */
  #enqueue(rows: readonly InboxRow[], line?: CommandLine): void {
    const stops = this.#stops
    const isPreparing = line === undefined
    this.#working++
    if (isPreparing) this.#preparing++
    // What throws something away comes behind the words before it.
    const isAtOnce = line?.isImmediate && !(line.isDestructive && this.#preparing > 0)
    const done = (isAtOnce ? Promise.resolve() : this.#work)
      .then(() => (line ? this.#run(rows, line) : this.#send(rows, stops)))
      .catch((error: unknown) => {
        logFault(this.#deps.ctx.log, 'a message of a chat could not be handled', error)
        this.say({ text: errorMessage(error), tone: 'error' })
        this.#rows.end(rows)
      })
      .finally(() => {
        this.#working--
        if (isPreparing) this.#preparing--
      })
    this.#work = Promise.all([this.#work, done])
  }

  async #run(rows: readonly InboxRow[], { text, command, isImmediate }: CommandLine): Promise<void> {
    const [row] = rows
    if (!row || this.#closing.signal.aborted) return
    if (row.attempts >= MAX_ATTEMPTS) return this.#park(rows)
    // What `/approve` may answer is judged by the newest message: one that runs beside it must not make it newer.
    if (!isImmediate) this.#output.newest = row
    if (row.attempts > 0) {
      const doubt = this.#t('svc stopped during {line}. It may have been done; type it again if not.', { line: text })
      this.say({ text: doubt, tone: 'warning' })
      return this.#rows.end(rows)
    }
    this.#rows.begin(rows, row)
    const [screened] = await this.#screen(rows)
    if (!screened) return
    const isChanged = screened !== row
    const line = isChanged ? screened.message.text : text
    this.#rows.note(row, 'command', line.split(/\s/)[0] ?? line)
    const known = command && !isChanged ? { command } : {}
    await this.#ready().type(line, { by: row.message, key: row.trace, ...known })
    this.#rows.end(rows)
  }

  /** Empty when the chat was closed meanwhile. */
  async #screen(rows: readonly InboxRow[]): Promise<readonly InboxRow[]> {
    const read = await screenMessages(this.#deps.ctx, rows, { output: this.#output, inbox: this.#rows })
    return this.#closing.signal.aborted ? [] : read
  }

  async #send(given: readonly InboxRow[], stops: number): Promise<void> {
    const last = given.at(-1)
    const { signal } = this.#closing
    if (!last || signal.aborted) return
    if (last.attempts >= MAX_ATTEMPTS) return this.#park(given)
    const { store, ctx } = this.#deps
    const platform = this.#platform()
    this.#output.newest = last
    this.#rows.begin(given, last)
    const rows = await this.#screen(given)
    if (rows.length === 0) return
    if (!platform.isEvents) this.#output.tellDoubt()
    const listening = { t: this.#t, sessionId: () => this.#ready().sessionId, signal }
    const { text, images, refused, heard } = await readRequest({ ctx, store, platform }, rows, listening)
    if (signal.aborted) return
    this.#output.tellRefused(last.trace, refused)
    this.#output.tellHeard(heard)
    if (stops !== this.#stops || text === '') return this.#rows.end(rows)
    const conversation = this.#ready()
    const wasBusy = conversation.busy
    const isLate = this.#watch.isUnderway
    const ids = [conversation.sessionId, last.trace]
    this.#rows.note(last, 'queued', wasBusy ? 'a turn is under way' : 'its turn begins', ids)
    this.#rows.handOver(last.trace)
    conversation.send(text, {
      key: last.trace,
      by: last.message,
      source: 'person',
      ...(images.length > 0 && { images }),
    })
    // It was added to the current turn, so it has no turn.
    if (wasBusy && !conversation.queue.some(({ key }) => key === last.trace)) this.#rows.release(last.trace)
    else if (wasBusy && isLate) this.#output.acknowledge(last.message)
  }

  #park(rows: readonly InboxRow[]): void {
    for (const row of rows) this.#rows.note(row, 'parked', 'it was begun too often without being finished')
    const text = this.#t('I could not finish this, and stopped trying. Send it again to continue.')
    this.say({ text, tone: 'error' })
    this.#rows.end(rows, 'parked')
  }

  #sessionId(): string | undefined {
    return this.#conversation?.sessionId ?? this.#deps.store.findBinding(this.#binding.talk)?.session
  }

  /** The conversation for the next message, after a reset if one is due. */
  #ready(): Conversation {
    const { ctx, store } = this.#deps
    const session = this.#sessionId()
    const isReset = !this.isBusy && isResetDue(ctx, session, this.#platform())
    if (this.#conversation?.open && !isReset) return this.#conversation
    void this.#conversation?.close()
    const conversation = this.#start(isReset ? undefined : session)
    this.#conversation = conversation
    bindSession(ctx, store, this.#binding, conversation.sessionId)
    if (isReset && ctx.config.session_reset.notify)
      this.say({ text: this.#t('A new conversation began. The one before is kept: /resume'), tone: 'info' })
    return conversation
  }

  #start(session: string | undefined): Conversation {
    const { chat } = this.#binding
    const { ctx, startedAt } = this.#deps
    const platform = this.#platform()
    const left = session === undefined ? [] : leftAnswer(ctx, { session, surface: platform.name, since: startedAt })
    // What has left has the same keys, so it stays as it is.
    for (const event of left) this.#output.show(event)
    return startConversation(ctx, this, { session, chat, platform })
  }

  #begin(turnId: string, key?: string): void {
    this.#rows.beginTurn(turnId, key, this.#platform())
    this.#watch.begin()
  }

  /** The messages of the turn are done once its files are in the outbox. */
  #finish(turnId: string, reason: TurnEndReason): void {
    const files = this.#output.filesPending
    const { answer } = this.#output
    if (files) void files.then(() => this.#finished(turnId, reason, answer))
    else this.#finished(turnId, reason, answer)
  }

  /** Its messages are done once what follows the answer is stored, unless the gateway stops: then they are resumed. */
  #finished(turnId: string, reason: TurnEndReason, answer: string): void {
    this.#watch.end()
    this.usedAt = this.#clock.now()
    const { signal } = this.#closing
    const end = (isLeft: boolean) => this.#rows.endTurn(turnId, reason, { isLeft, platform: this.#platform() })
    if (reason !== 'completed' || answer === '') {
      end(signal.aborted && reason !== 'completed')
      return
    }
    const turn = { sessionId: this.#sessionId() ?? '', turnId, answer, messages: this.#rows.messagesOf(turnId) }
    void this.#output.followUp(turn, signal).then((isPosted) => end(!isPosted))
  }

  #stopStuck(): void {
    const minutes = Math.round(this.#deps.ctx.config.inactivity_seconds / 60)
    const text = this.#t('Nothing has happened for {minutes} minutes, so I stopped.', { minutes })
    this.say({ text, tone: 'warning' })
    this.#ready().stop()
  }
}
