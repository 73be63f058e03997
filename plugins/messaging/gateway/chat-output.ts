/** What leaves a chat session: posts go to the outbox, behind the message that is answered now. */
import {
  Clock,
  createTranslator,
  type PluginContext,
  Random,
  Secrets,
  Tools,
  type Translate,
  type TurnEvent,
} from 'svc/sdk'
import { isSilentAnswer } from 'svc/sdk/kit/text'
import { escapeMarkdown, findView } from 'svc/sdk/kit/views'
import {
  type DirectOutboxMessage,
  type InboundMessage,
  Outbox,
  type Platform,
  platformSettingDefaults,
} from 'svc/sdk/platform'
import type { ConversationNotice } from 'svc/sdk/sessions'
import { Display, type DisplaySettings, formatDuration, ToolRenderers } from 'svc/sdk/terminal'
import { type Answered, postFollowUp } from './answer-follow-up.ts'
import { type ChatState, type ChatView, newTurn, render, stillWorking } from './chat-renderer.ts'
import type { Config } from './config.ts'
import type { ChatBinding, InboxRow } from './store.ts'
import { type FileDestination, readResultFile, TurnFiles } from './turn-files.ts'
import type { HeardMessage } from './turn-input.ts'
import { doubtNotice } from './uncertain-deliveries.ts'

const DRAFT_EVERY_MS = 800
/** Characters of what was said. */
const MAX_HEARD = 600

export class ChatOutput {
  /** The message that is answered now. */
  newest: InboxRow | undefined
  /** The last message of the turn under way that was posted; empty until there is one. */
  answer = ''
  readonly #ctx: PluginContext<Config>
  readonly #binding: ChatBinding
  readonly #platform: () => Platform
  readonly #t: Translate
  readonly #view: ChatView
  /** What is shown of the turn under way. */
  #state: ChatState
  #files: TurnFiles
  #following: Promise<unknown> | undefined
  #acknowledgedAt = Number.NEGATIVE_INFINITY

  constructor(ctx: PluginContext<Config>, binding: ChatBinding, platform: () => Platform) {
    this.#ctx = ctx
    this.#binding = binding
    this.#platform = platform
    this.#t = createTranslator(ctx)
    this.#view = liveView(ctx, platform)
    this.#state = newTurn('', this.#view.now)
    this.#files = this.#newFiles('')
  }

  /** Shows an event of a turn. */
  show(event: TurnEvent): void {
    if (event.type === 'turn.start' || event.type === 'turn.resume') {
      this.#files = this.#newFiles(event.turnId)
      this.answer = ''
    } else if (event.type === 'message.complete' && !isSilentAnswer(event.text)) this.answer = event.text
    const { state, steps } = render(this.#state, event, this.#view)
    this.#state = state
    if (steps.length > 0) this.#files.carryOut(steps, this.#place())
  }

  /** Posts what other plugins add to the answer of a complete turn. Resolves with false when that was cut off. */
  followUp(turn: Answered, signal: AbortSignal): Promise<boolean> {
    const posted = postFollowUp(this.#ctx, turn, this.#place(), signal)
    const following = Promise.all([this.#following, posted]).then(() => {
      if (this.#following === following) this.#following = undefined
    })
    this.#following = following
    return posted
  }

  /** Resolves when what follows answers is in the outbox; undefined when nothing is being made. */
  get followUpPending(): Promise<unknown> | undefined {
    return this.#following
  }

  /** Posts a notice in addition to the answers of turns. */
  say({ text, tone }: ConversationNotice): void {
    const mark = tone === 'error' ? '⚠️ ' : ''
    this.post({ key: `say:${this.#ctx.use(Random).hex(8)}`, text: `${mark}${text}` })
  }

  /** Posts what answers to no message. */
  post(message: Pick<DirectOutboxMessage, 'key' | 'text' | 'buttons'>): void {
    const { replyTo: _, ...place } = this.#place()
    this.#ctx.use(Outbox).post({ ...place, ...message })
  }

  /**
   * Tells one person alone where the platform can, else the chat. Returns the text when the platform shows it as the answer to
   * a press; nothing else has been said then.
   */
  tellSender(
    { press, chatKind = 'dm', chatId, threadId, userId }: InboundMessage,
    text: string,
    tone: ConversationNotice['tone'] = 'warning',
  ): string | undefined {
    const platform = this.#platform()
    if (press !== undefined && platform.limits.notices) return text
    if (!platform.notify || chatKind === 'dm') {
      this.say({ text, tone })
      return undefined
    }
    platform.notify({ chatId, userId, text, ...(threadId !== undefined && { threadId }) }).catch((error: unknown) => {
      this.#ctx.log.debug('a note for one person is said to the whole chat', { error })
      this.say({ text, tone })
    })
    return undefined
  }

  /** Says that a message that came during an answer waits, at most once in a while. */
  acknowledge(message: InboundMessage): void {
    const every = this.#ctx.config.busy_notice_seconds * 1000
    const { now } = this.#view
    if (every === 0 || this.#platform().isEvents || now - this.#acknowledgedAt < every) return
    this.#acknowledgedAt = now
    this.tellSender(message, this.#t('I have your message; it is next.'), 'info')
  }

  /** Tells once of what may not have arrived: the key makes it one message, also after a restart. */
  tellDoubt(): void {
    const notice = doubtNotice(this.#ctx.use(Outbox), this.#place(), this.#t)
    if (notice) this.post(notice)
  }

  /** Tells which files of a message were not taken: once, also after a crash. */
  tellRefused(trace: string, lines: readonly string[]): void {
    if (lines.length === 0) return
    this.post({ key: `refused:${trace}`, text: lines.map((line) => `📎 ${line}`).join('\n\n') })
  }

  /** Shows what was understood of a voice message: once, also after a crash in which it was listened to again. */
  tellHeard(heard: readonly HeardMessage[]): void {
    const platform = this.#platform()
    if (platform.isEvents || !areTranscriptsShown(this.#ctx, platform)) return
    const { replyTo, ...place } = this.#place()
    for (const { trace, message, words } of heard) {
      const reply = replyTo === undefined ? {} : { replyTo: message.messageId }
      // What was cut, or has escapes, is not recognised as a secret any more.
      const text = formatHeard(this.#ctx.use(Secrets).mask(words), this.#t)
      this.#ctx.use(Outbox).post({ ...place, ...reply, key: `heard:${trace}`, text })
    }
  }

  tellStillWorking(ms: number): void {
    const text = this.#t('Still working: {time}', { time: formatDuration(ms) })
    this.#files.carryOut([stillWorking(this.#state, text, this.#view)], this.#place())
  }

  /** Shows for a few seconds that an answer is being written. */
  showTyping(): void {
    const platform = this.#platform()
    if (!this.newest || !(platform.settings ?? platformSettingDefaults).typing_indicator) return
    const { chatId, threadId } = this.newest.message
    platform.typing?.(chatId, threadId).catch(() => undefined)
  }

  /** Resolves when the files of the turn are in the outbox; undefined when none is being read. */
  get filesPending(): Promise<void> | undefined {
    return this.#files.isBusy ? this.#files.settled() : undefined
  }

  #place(): FileDestination {
    const { chat, thread } = this.#binding
    const home = { platform: this.#binding.platform, chatId: chat, ...(thread !== null && { threadId: thread }) }
    if (!this.newest) return home
    const { message, trace } = this.newest
    const { chatId, threadId, messageId, press, chatKind = 'dm' } = message
    const { reply_to_mode: mode } = this.#platform().settings ?? platformSettingDefaults
    const isReply = press === undefined && (mode === 'all' || (mode === 'first' && chatKind !== 'dm'))
    return {
      ...home,
      chatId,
      trace,
      ...(threadId !== undefined && { threadId }),
      ...(isReply && { replyTo: messageId }),
    }
  }

  #newFiles(turnId: string): TurnFiles {
    const ctx = this.#ctx
    return new TurnFiles(
      { t: this.#t, log: ctx.log, outbox: () => ctx.use(Outbox), read: (file) => readResultFile(ctx, file) },
      turnId,
    )
  }
}

/** Read at each event: the plugin of the platform and the configuration may change while the chat is open. */
function liveView(ctx: PluginContext<Config>, platform: () => Platform): ChatView {
  const clock = ctx.use(Clock)
  return {
    get now() {
      return clock.now()
    },
    get draftEveryMs() {
      return draftEveryMs(platform())
    },
    get display() {
      return platform().isEvents ? undefined : displayOn(ctx, platform())
    },
    tool: (name) => findView({ tools: ctx.all(Tools), views: ctx.all(ToolRenderers) }, name),
  }
}

/** Undefined where messages cannot, or must not, be edited while they are written. */
function draftEveryMs({ edit, limits, settings }: Platform): number | undefined {
  const canEdit = edit !== undefined && (settings ?? platformSettingDefaults).streaming
  return canEdit ? (limits.editEveryMs ?? DRAFT_EVERY_MS) : undefined
}

function areTranscriptsShown(ctx: PluginContext<Config>, { name, limits }: Platform): boolean {
  const transcripts = limits.transcripts ?? true
  return ctx.find(Display)?.settings(name, { transcripts }).transcripts ?? transcripts
}

/** A short quote: the beginning of what was said, none of which is taken for a mark. */
function formatHeard(words: string, t: Translate): string {
  const letters = [...words.trim()]
  const beginning = letters.length > MAX_HEARD ? `${letters.slice(0, MAX_HEARD).join('').trimEnd()}…` : letters.join('')
  const lines = beginning.split('\n').map((line) => `> ${escapeMarkdown(line)}`)
  return `🎤 ${t('I understood:')}\n\n${lines.join('\n')}`
}

/** What config.yaml says for the platform, else what fits it: messages of tools are noise where they cannot be edited. */
function displayOn(ctx: PluginContext<Config>, { name, limits }: Platform): DisplaySettings | undefined {
  return ctx.find(Display)?.settings(name, { tool_progress: limits.toolProgress ?? 'off', show_reasoning: false })
}
