/** One chat: its messages in order, its conversation, and what is owed to it. */
import {
  type Clock,
  type Commands,
  type Conversation,
  type Disposer,
  errorMessage,
  type Inbound,
  type Platform,
  type PluginContext,
  platformDefaults,
  type Translate,
} from 'svc/sdk'
import { attachments } from './attachments.ts'
import type { Config } from './config.ts'
import type { ChatFront } from './front.ts'
import { answerLeft } from './left-approvals.ts'
import type { Prompts } from './prompts.ts'
import { isShared } from './session-keys.ts'
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
  /** The conversation for the next message: begun anew when its time has come. */
  conversation(): Conversation
  /** The session of the chat, when it has one. */
  session(): string | undefined
  /** Whether the sender may answer for the owner. */
  may(message: Inbound, right: 'approve'): boolean
  note(row: InboxRow, stage: string, text: string, also?: readonly string[]): void
}

/** Words that are typed while a turn is under way wait so long for more of them. */
const MERGE_MS = 350
const MERGE_MOST_MS = 1000
const MOST_MERGED = 100
const MOST_ATTEMPTS = 3
const TYPING_EVERY_MS = 4000

export class Chat {
  readonly #parts: ChatParts
  readonly #closing = new AbortController()
  #burst: InboxRow[] = []
  #burstAt = 0
  #timer: Disposer | undefined
  #work: Promise<void> = Promise.resolve()
  #working = 0
  /** The message that is answered now. */
  #newest: InboxRow | undefined
  /** Keys of messages that the conversation has and that no turn began with yet. */
  readonly #handed: Set<string> = new Set()
  #busySince: number | undefined
  #eventAt = 0
  #watching: Disposer | undefined
  #noticedAt = 0
  usedAt: number

  constructor(parts: ChatParts) {
    this.#parts = parts
    this.usedAt = parts.clock.now()
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
    return this.#working === 0 && this.#burst.length === 0 && this.#busySince === undefined
  }

  /** Takes a message that was kept. */
  take(row: InboxRow): void {
    this.usedAt = this.#parts.clock.now()
    this.#newest ??= row
    if (this.#answers(row)) return
    const { message } = row
    const isWords = message.press === undefined && this.#command(message.text) === undefined
    const isMerged =
      isWords && (this.#busySince !== undefined || this.#burst.length > 0 || Boolean(message.files?.length))
    if (!isMerged) {
      this.#flush()
      this.#enqueue([row])
      return
    }
    if (this.#burst.length === 0) this.#burstAt = this.usedAt
    this.#burst.push(row)
    this.#timer?.()
    const left = Math.min(MERGE_MS, this.#burstAt + MERGE_MOST_MS - this.usedAt)
    if (left <= 0 || this.#burst.length >= MOST_MERGED) this.#flush()
    else this.#timer = this.#parts.clock.after(left, () => this.#flush(), { background: true })
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
    this.#flush()
    await this.#work
  }

  close(): void {
    this.#timer?.()
    void this.#watching?.()
    this.#closing.abort()
    this.#parts.prompts.close()
  }

  /** Whether it was the answer to a question. */
  #answers(row: InboxRow): boolean {
    const { prompts, note, front, t, may } = this.#parts
    const { message } = row
    let taken = prompts.take(writtenOf(row), (right) => may(message, right))
    if (taken !== 'answered' && taken !== 'forbidden' && this.#answersLeft(row)) taken = 'answered'
    if (taken === 'early') {
      front.say({
        text: t(
          'This was written before the question was shown, so it does not answer it. Answer once you have read it.',
        ),
        tone: 'warning',
      })
      note(row, 'early', 'it is older than the question that waits, so it is a message')
    }
    if (taken === 'none' || taken === 'early') return false
    if (taken === 'forbidden') front.say({ text: t('You may not answer this.'), tone: 'warning' })
    if (taken === 'gone') front.say({ text: t('This question is not open any more.'), tone: 'warning' })
    note(row, 'answer', taken === 'answered' ? 'it answered a question' : `the question: ${taken}`)
    // Whoever asked writes the answer down first.
    setImmediate(() => this.#parts.store.end([row]))
    return true
  }

  /** A turn that is gone on with has not asked again yet. */
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

  #flush(): void {
    this.#timer?.()
    this.#timer = undefined
    const rows = this.#burst.splice(0)
    if (rows.length > 0) this.#enqueue(rows)
  }

  #enqueue(rows: readonly InboxRow[]): void {
    this.#working++
    this.#work = this.#work
      .then(() => this.#do(rows))
      .catch((error: unknown) => {
        this.#parts.front.say({ text: errorMessage(error), tone: 'error' })
        this.#parts.store.end(rows)
      })
      .finally(() => {
        this.#working--
      })
  }

  /** The line as the registry knows it; undefined when it is no command. */
  #command(text: string): string | undefined {
    const prefix = this.#parts.platform.limits.commandPrefix ?? '/'
    const line = text.startsWith(prefix) ? `/${text.slice(prefix.length)}` : text
    if (!/^\/\w/.test(line) || this.#parts.platform.isEvents) return undefined
    return this.#parts.commands().parse(line, 'gateway') ? line : undefined
  }

  async #do(rows: readonly InboxRow[]): Promise<void> {
    const last = rows.at(-1)
    if (!last || this.#closing.signal.aborted) return
    if (last.attempts >= MOST_ATTEMPTS) return this.#park(rows)
    const { store, note, front, t } = this.#parts
    this.#newest = last
    const command = rows.length === 1 ? this.#command(last.message.text) : undefined
    if (command !== undefined && last.attempts > 0) {
      front.say({
        text: t('svc stopped during {line}. It may have been done; type it again if not.', { line: command }),
        tone: 'warning',
      })
      return store.end(rows)
    }
    store.begin(rows, last.trace)
    if (command !== undefined) {
      note(last, 'command', command.split(/\s/)[0] ?? command)
      await this.#parts.conversation().type(command, { by: last.message, key: last.trace })
      return store.end(rows)
    }
    const { text, images } = await this.#words(rows)
    const conversation = this.#parts.conversation()
    note(last, 'queued', conversation.busy ? 'a turn is under way' : 'its turn begins', [
      conversation.sessionId,
      last.trace,
    ])
    const wasBusy = conversation.busy
    this.#handed.add(last.trace)
    conversation.send(text, { key: last.trace, ...(images.length > 0 && { images }) })
    // It went into the turn under way, so it has none of its own.
    if (wasBusy && !conversation.queue.some(({ key }) => key === last.trace)) this.#release(last.trace)
  }

  #release(key: string): void {
    this.#handed.delete(key)
    this.#parts.store.end(this.#parts.store.withKey(key))
  }

  #park(rows: readonly InboxRow[]): void {
    const { store, front, note, t } = this.#parts
    for (const row of rows) note(row, 'parked', 'it was begun too often without being finished')
    front.say({ text: t('I could not finish this, and stopped trying. Say it again to go on.'), tone: 'error' })
    store.end(rows, 'parked')
  }

  /** What the model is told of messages that came together. */
  async #words(rows: readonly InboxRow[]) {
    const { ctx, platform } = this.#parts
    const texts: string[] = []
    const behind: string[] = []
    const images: { readonly mediaType: string; readonly data: string }[] = []
    for (const { message } of rows) {
      const said = `${this.#name(message)}${message.text}`
      if (said.trim()) texts.push(said)
      if (message.quote?.text) behind.push(`<data source="answered message">\n${harmless(message.quote.text)}\n</data>`)
      const attached = await attachments(ctx, platform, message, this.#closing.signal)
      if (attached.text) behind.push(attached.text)
      images.push(...attached.images)
    }
    return { text: [texts.join('\n') || '(no words)', ...behind].join('\n\n'), images }
  }

  /** Who speaks, where several people share a conversation. */
  #name(message: Inbound): string {
    if (!isShared(message, this.#parts.platform.settings)) return ''
    const name = (message.userName ?? message.userId).replace(/[\p{Cc}[\]<>]/gu, '').slice(0, 50)
    return `[${name}] `
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

function harmless(text: string): string {
  return text.slice(0, 2000).replaceAll('</data>', '<\\/data>')
}
