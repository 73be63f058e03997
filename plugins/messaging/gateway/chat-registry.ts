/** The active chats: each is opened by a message and closed after a while. */
import { Clock, type Dispose, type PluginContext } from 'svc/sdk'
import { type InboundMessage, type InboundResult, type MessageOrigin, type Platform, Platforms } from 'svc/sdk/platform'
import { type ChatDeps, ChatSession } from './chat-session.ts'
import type { Config } from './config.ts'
import { PlatformReactions } from './reactions.ts'
import type { ChatBinding, GatewayStore, InboxRow } from './store.ts'

/** Idle conversations are closed; their sessions stay. */
const CLOSE_AFTER_MS = 600_000
const MAX_OPEN = 128
const SWEEP_MS = 60_000

export class ChatRegistry {
  readonly #ctx: PluginContext<Config>
  readonly #store: GatewayStore
  /** By the key of the chat; the most recently used last. */
  readonly #chats: Map<string, ChatSession> = new Map()
  readonly #stopping = new AbortController()
  readonly #startedAt: number
  readonly #drain: ChatDeps['drain']
  /** The reactions to messages of all chats. */
  readonly reactions: PlatformReactions
  #deps: ChatDeps | undefined
  readonly #sweeping: Dispose

  constructor(ctx: PluginContext<Config>, store: GatewayStore, drain: ChatDeps['drain']) {
    this.#ctx = ctx
    this.#drain = drain
    this.#store = store
    const clock = ctx.use(Clock)
    this.#startedAt = clock.now()
    this.reactions = new PlatformReactions({ store, clock, log: ctx.log, signal: this.#stopping.signal })
    this.#sweeping = ctx.every(SWEEP_MS, () => this.#sweep())
  }

  get size(): number {
    return this.#chats.size
  }

  /** Turns under way. */
  get busy(): number {
    return [...this.#chats.values()].filter((chat) => chat.isBusy).length
  }

  /** Gives a stored message to its chat. */
  accept(row: InboxRow, platform: Platform): InboundResult {
    return this.#get(bindingFromRow(row), platform).accept(row)
  }

  /** A drain was cancelled: what was stored meanwhile is begun. */
  release(): void {
    for (const chat of [...this.#chats.values()]) chat.release()
  }

  /** Resumes the turn that a crash left in a chat. */
  resume(binding: ChatBinding, platform: Platform, key: string, turnId: string): void {
    this.#get(binding, platform).resume(binding.session, turnId, key)
  }

  /** Opens the conversation of a session without an inbound message, for an outbound one. */
  open(session: string): void {
    const binding = this.#store.findBindingBySession(session)
    const platform = binding && this.#ctx.all(Platforms).get(binding.platform)
    if (!binding || !platform || binding.session !== session) return
    this.#get(binding, platform).open(session)
  }

  /** Whether a turn is under way in the conversation of a chat, or messages wait in it. */
  hasTurns(talk: string): boolean {
    return this.#chats.get(talk)?.hasTurns === true
  }

  /** Another session may be bound to the chat now: its conversation is opened again with the next message. */
  rebound(talk: string): void {
    this.#chats.get(talk)?.rebound()
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    for (let before = -1; before !== this.#turns; ) {
      before = this.#turns
      for (const chat of [...this.#chats.values()]) await chat.idle()
    }
  }

  /** Closes all chats; unfinished turns are resumed at the next start. */
  async stop(): Promise<void> {
    void this.#sweeping()
    await Promise.all([...this.#chats.keys()].map((key) => this.#close(key)))
    this.#stopping.abort()
  }

  /** Closes the chats of a platform: another gateway continues them. */
  async leave(platform: string): Promise<void> {
    const left = [...this.#chats].filter(([, chat]) => chat.surface === platform)
    await Promise.all(left.map(([key]) => this.#close(key)))
  }

  get #turns(): number {
    return [...this.#chats.values()].reduce((sum, chat) => sum + chat.turns, 0)
  }

  #get(binding: ChatBinding, platform: Platform): ChatSession {
    const chat = this.#chats.get(binding.talk) ?? new ChatSession(this.#shared(), binding, platform)
    this.#chats.delete(binding.talk)
    this.#chats.set(binding.talk, chat)
    return chat
  }

  #shared(): ChatDeps {
    const ctx = this.#ctx
    const drain = this.#drain
    this.#deps ??= { ctx, store: this.#store, startedAt: this.#startedAt, reactions: this.reactions, drain }
    return this.#deps
  }

  /** Closes the chats that were not used for a while. */
  #sweep(): void {
    const now = this.#ctx.use(Clock).now()
    for (const [key, chat] of this.#chats) {
      const isOld = now - chat.usedAt > CLOSE_AFTER_MS || this.#chats.size > MAX_OPEN
      if (isOld && chat.isIdle) void this.#close(key)
    }
  }

  async #close(key: string): Promise<void> {
    const chat = this.#chats.get(key)
    this.#chats.delete(key)
    await chat?.close()
  }
}

/** The chat of a message, as it is stored. */
export function bindingFromRow({
  talk,
  message,
}: {
  readonly talk: string
  readonly message: MessageOrigin & Partial<Pick<InboundMessage, 'chatName' | 'userName'>>
}): ChatBinding {
  const { platform, chatId: chat, threadId, chatKind: kind = 'dm', chatName, userName, userId } = message
  const name = (kind === 'dm' ? (userName ?? chatName) : chatName) ?? (kind === 'dm' ? userId : chat)
  return { talk, platform, chat, thread: threadId ?? null, kind, name, session: '' }
}
