/** One chat: its messages in order, its conversation, and what is owed to it. */
import {
  type Clock,
  type Commands,
  type Conversation,
  type Disposer,
  errorMessage,
  type Inbound,
  logFault,
  type Platform,
  type PluginContext,
  platformDefaults,
  type Reception,
  type Translate,
} from 'svc/sdk'
import { Burst } from './burst.ts'
import type { Config } from './config.ts'
import type { ChatFront } from './prompt-forms.ts'
import { answerLeft } from './left-approvals.ts'
import { tellSender } from './notices.ts'
import { overheardBefore } from './overheard.ts'
import type { Prompts, TakenPrompt } from './prompts.ts'
import { wordsOf } from './said.ts'
import { type GatewayStore, type InboxRow, writtenOf } from './store.ts'

/** What a chat is made of. */
export interface ChatParts {
  readonly ctx: PluginContext<Config>
  readonly platform: Platform
  readonly store: GatewayStore
  readonly clock: Clock
  readonly commands: () => Commands
  readonly t: Translate
  readonly front: ChatFront
  readonly prompts: Prompts
  /** The conversation for the next message, after a reset if one is due. */
  conversation(): Conversation
  /** The session of the chat, when it has one. */
  session(): string | undefined
  /** Whether the sender may answer for the owner. */
  may(message: Inbound, right: 'approve'): boolean
  note(row: InboxRow, stage: string, text: string, also?: readonly string[]): void
}

const MAX_ATTEMPTS = 3
const TYPING_EVERY_MS = 4000

/** A command that was typed. */
interface Line {
  readonly line: string
  readonly isImmediate: boolean
  readonly isDestructive: boolean
}

export class Chat {
  readonly #parts: ChatParts
  readonly #closing = new AbortController()
  readonly #burst: Burst
  #work: Promise<unknown> = Promise.resolve()
  #working = 0
  /** Messages on their way to the conversation. */
  #preparing = 0
  /** Incremented when a user stops all requests. */
  #stops = 0
  /** Answers to questions that are not marked as done yet. */
  readonly #answering: Set<InboxRow> = new Set()
  /** The message that is answered now. */
  #newest: InboxRow | undefined
  /** Keys of messages that the conversation has and that no turn began with yet. */
  readonly #handed: Set<string> = new Set()
  #busySince: number | undefined
  #eventAt = 0
  #watching: Disposer | undefined
  #noticedAt = 0
  #acknowledgedAt = Number.NEGATIVE_INFINITY
  usedAt: number

  constructor(parts: ChatParts) {
    this.#parts = parts
    this.usedAt = parts.clock.now()
    this.#burst = new Burst(parts.clock, parts.platform.limits, (rows) => this.#enqueue(rows))
  }

  /** Where messages go: behind the newest message that came. */
  place(): { trace?: string; threadId?: string; replyTo?: string; chatId: string } | undefined {
    const row = this.#newest
    if (!row) return undefined
    const { chatId, threadId, messageId, chatKind = 'dm' } = row.message
    const { reply_to_mode: mode } = this.#parts.platform.settings ?? platformDefaults
    const isReply = row.message.press === undefined && (mode === 'all' || (mode === 'first' && chatKind !== 'dm'))
    return {
      chatId,
      trace: row.trace,
      ...(threadId !== undefined && { threadId }),
      ...(isReply && { replyTo: messageId }),
    }
  }

  /** Nothing is being done, and nothing waits. */
  get isIdle(): boolean {
    return this.#working === 0 && this.#burst.isEmpty && this.#busySince === undefined
  }

  /** Takes a message that was kept. */
  take(row: InboxRow): Reception {
    this.usedAt = this.#parts.clock.now()
    this.#newest ??= row
    const answer = this.#answers(row)
    if (answer) return answer
    const command = this.#command(row)
    this.#parts.prompts.supersede()
    if (command === undefined && (this.#isUnderway || this.#waitsForMore(row))) this.#burst.add(row)
    else {
      // What runs at once does not hurry the words before it, which it may be about to stop.
      if (!command?.isImmediate || command.isDestructive) this.#burst.flush()
      this.#enqueue([row], command)
    }
    return { outcome: 'taken' }
  }

  /** Whether the words of a turn are with the model, or on their way there. */
  get #isUnderway(): boolean {
    return this.#busySince !== undefined || this.#preparing > 0 || this.#handed.size > 0
  }

  #waitsForMore(row: InboxRow): boolean {
    const { press, files } = row.message
    return press === undefined && (!this.#burst.isEmpty || Boolean(files?.length) || this.#burst.isCut(row))
  }

  /** Forgets what was asked for and did not reach the conversation; whether there was anything. */
  discard(): boolean {
    const { store, note } = this.#parts
    const rows = this.#burst.take()
    const had = rows.length > 0 || this.#preparing > 0
    this.#stops++
    for (const row of rows) note(row, 'stopped', 'a user stopped the request')
    store.end(rows)
    return had
  }

  /** A turn of the conversation began, with this message if it was one. */
  began(key: string | undefined): void {
    if (key !== undefined) this.#handed.delete(key)
    const now = this.#parts.clock.now()
    this.#busySince = now
    this.#eventAt = now
    this.#noticedAt = now
    this.#watch()
  }

  /** Nothing waits in the conversation any more: what was handed over and never began was dropped, or could not begin. */
  dropped(): void {
    for (const key of [...this.#handed]) this.#release(key)
  }

  /** Something happened in it. */
  moved(): void {
    this.#eventAt = this.#parts.clock.now()
  }

  ended(): void {
    this.#busySince = undefined
    void this.#watching?.()
    this.#watching = undefined
    this.usedAt = this.#parts.clock.now()
  }

  /** Resolves when what was taken is done or handed to the conversation. */
  async settled(): Promise<void> {
    this.#burst.flush()
    await this.#work
  }

  close(): void {
    this.#burst.take()
    void this.#watching?.()
    this.#closing.abort()
    this.#endAnswers()
    this.#parts.prompts.close()
  }

  /** What came of it when it belongs to a question; undefined when it is a message. */
  #answers(row: InboxRow): Reception | undefined {
    const { prompts, note, may } = this.#parts
    const { message } = row
    let taken = prompts.take(writtenOf(row), (right) => may(message, right))
    if (taken !== 'answered' && taken !== 'forbidden' && this.#answersLeft(row)) taken = 'answered'
    const staysOpen = taken === 'early' && prompts.yields
    const said = this.#answerNotice(taken)
    const notice = said === undefined ? undefined : tellSender(this.#parts, row.message, said)
    if (taken === 'early')
      note(row, 'early', `it is older than the question that waits${staysOpen ? '' : ', so it is a message'}`)
    if (taken === 'none' || (taken === 'early' && !staysOpen)) return undefined
    note(row, 'answer', taken === 'answered' ? 'it answered a question' : `the question: ${taken}`)
    // The asking code stores the answer first.
    this.#answering.add(row)
    setImmediate(() => this.#endAnswers())
    return { outcome: taken, ...(notice !== undefined && { notice }) }
  }

  #answerNotice(taken: TakenPrompt): string | undefined {
    const { t } = this.#parts
    if (taken === 'forbidden') return t('You may not answer this.')
    if (taken === 'gone') return t('This question is not open any more.')
    if (taken !== 'early') return undefined
    return t('This was written before the question was shown, so it does not answer it. Answer once you have read it.')
  }

  #endAnswers(): void {
    if (this.#answering.size === 0) return
    this.#parts.store.end([...this.#answering])
    this.#answering.clear()
  }

  /** A resumed turn has not asked again yet. */
  #answersLeft(row: InboxRow): boolean {
    const { ctx, may, prompts } = this.#parts
    const { message } = row
    const wasShown = (id: string) => prompts.wasShown(id, writtenOf(row))
    return may(message, 'approve') && answerLeft(ctx, { session: this.#parts.session(), message, wasShown })
  }

  /** Whether a question was shown before the message that is worked on was written. */
  wasShown(promptId: string): boolean {
    return this.#newest !== undefined && this.#parts.prompts.wasShown(promptId, writtenOf(this.#newest))
  }

  /** One thing after the other; a command that need not wait does not, but what comes behind it does. */
  #enqueue(rows: readonly InboxRow[], command?: Line): void {
    const stops = this.#stops
    const isPreparing = command === undefined
    this.#working++
    if (isPreparing) this.#preparing++
    // What throws something away comes behind the words before it.
    const isAtOnce = command?.isImmediate && !(command.isDestructive && this.#preparing > 0)
    const done = (isAtOnce ? Promise.resolve() : this.#work)
      .then(() => (command ? this.#run(rows, command) : this.#send(rows, stops)))
      .catch((error: unknown) => {
        logFault(this.#parts.ctx.log, 'a message of a chat could not be handled', error)
        this.#parts.front.say({ text: errorMessage(error), tone: 'error' })
        this.#parts.store.end(rows)
      })
      .finally(() => {
        this.#working--
        if (isPreparing) this.#preparing--
      })
    this.#work = Promise.all([this.#work, done])
  }

  /** The line as the registry knows it; undefined when it is no command. */
  #command({ message: { text, press } }: InboxRow): Line | undefined {
    if (press !== undefined) return undefined
    const prefix = this.#parts.platform.limits.commandPrefix ?? '/'
    const line = text.startsWith(prefix) ? `/${text.slice(prefix.length)}` : text
    if (!/^\/\w/.test(line) || this.#parts.platform.isEvents) return undefined
    const parsed = this.#parts.commands().parse(line, 'gateway')
    if (!parsed) return undefined
    const command = 'command' in parsed ? parsed.command : undefined
    return { line, isImmediate: command?.isImmediate === true, isDestructive: command?.destructive === true }
  }

  async #run(rows: readonly InboxRow[], { line, isImmediate }: Line): Promise<void> {
    const [row] = rows
    if (!row || this.#closing.signal.aborted) return
    if (row.attempts >= MAX_ATTEMPTS) return this.#park(rows)
    const { store, note, front, t } = this.#parts
    // What `/approve` may answer is judged by the newest message: one that runs beside it must not make it newer.
    if (!isImmediate) this.#newest = row
    if (row.attempts > 0) {
      front.say({
        text: t('svc stopped during {line}. It may have been done; type it again if not.', { line }),
        tone: 'warning',
      })
      return store.end(rows)
    }
    store.begin(rows, row.trace)
    note(row, 'command', line.split(/\s/)[0] ?? line)
    await this.#parts.conversation().type(line, { by: row.message, key: row.trace })
    store.end(rows)
  }

  async #send(rows: readonly InboxRow[], stops: number): Promise<void> {
    const last = rows.at(-1)
    if (!last || this.#closing.signal.aborted) return
    if (last.attempts >= MAX_ATTEMPTS) return this.#park(rows)
    const { store, note, ctx, platform } = this.#parts
    this.#newest = last
    store.begin(rows, last.trace)
    if (!platform.isEvents) this.#parts.front.tellDoubt()
    const sessionId = () => this.#parts.conversation().sessionId
    const listening = { t: this.#parts.t, sessionId, signal: this.#closing.signal }
    const said = await wordsOf(ctx, platform, rows, listening)
    const overheard = await overheardBefore({ ctx, store, platform }, last, listening.signal)
    const { images } = said
    const text = overheard === undefined ? said.text : `${said.text}\n\n${overheard}`
    if (this.#closing.signal.aborted) return
    if (said.refused.length > 0) this.#parts.front.tellRefused(last.trace, said.refused)
    if (stops !== this.#stops || said.text === '') return store.end(rows)
    const conversation = this.#parts.conversation()
    const wasBusy = conversation.busy
    const isLate = this.#busySince !== undefined
    note(last, 'queued', wasBusy ? 'a turn is under way' : 'its turn begins', [conversation.sessionId, last.trace])
    this.#handed.add(last.trace)
    conversation.send(text, { key: last.trace, ...(images.length > 0 && { images }) })
    // It went into the turn under way, so it has none of its own.
    if (wasBusy && !conversation.queue.some(({ key }) => key === last.trace)) this.#release(last.trace)
    else if (wasBusy && isLate) this.#acknowledge(last)
  }

  /** Acknowledges messages that arrive during an answer. */
  #acknowledge({ message }: InboxRow): void {
    const { ctx, clock, platform, t } = this.#parts
    const every = ctx.config.busy_notice_seconds * 1000
    if (every === 0 || platform.isEvents || clock.now() - this.#acknowledgedAt < every) return
    this.#acknowledgedAt = clock.now()
    tellSender(this.#parts, message, t('I have your message; it is next.'), 'info')
  }

  #release(key: string): void {
    this.#handed.delete(key)
    this.#parts.store.end(this.#parts.store.withKey(key))
  }

  #park(rows: readonly InboxRow[]): void {
    const { store, front, note, t } = this.#parts
    for (const row of rows) note(row, 'parked', 'it was begun too often without being finished')
    front.say({ text: t('I could not finish this, and stopped trying. Send it again to continue.'), tone: 'error' })
    store.end(rows, 'parked')
  }

  /** Shows that an answer is written, tells when it takes long, and stops what does nothing any more. */
  #watch(): void {
    const { clock, ctx, platform, front, t } = this.#parts
    const { working_notice_seconds: notice, inactivity_seconds: limit } = ctx.config
    const look = () => {
      const since = this.#busySince
      if (since === undefined) return
      const now = clock.now()
      const place = this.place()
      if (place && (platform.settings ?? platformDefaults).typing_indicator)
        platform.typing?.(place.chatId, place.threadId).catch(() => undefined)
      if (notice > 0 && now - this.#noticedAt >= notice * 1000 && !platform.isEvents) {
        this.#noticedAt = now
        front.stillWorking(now - since)
      }
      if (limit > 0 && now - this.#eventAt >= limit * 1000) {
        this.#eventAt = now
        front.say({
          text: t('Nothing has happened for {minutes} minutes, so I stopped.', { minutes: Math.round(limit / 60) }),
          tone: 'warning',
        })
        this.#parts.conversation().stop()
      }
      this.#watching = clock.after(TYPING_EVERY_MS, look, { background: true })
    }
    void this.#watching?.()
    look()
  }
}
