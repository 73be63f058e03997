/** The active chats: each has a conversation that is opened by a message and closed after a while. */
import { mkdirSync } from 'node:fs'
import {
  Access,
  Clock,
  Commands,
  type Conversation,
  Conversations,
  Display,
  type DisplaySettings,
  type Disposer,
  Home,
  type Inbound,
  Outbox,
  type OutboxPost,
  type Platform,
  Platforms,
  type PluginContext,
  platformDefaults,
  Random,
  type Reception,
  Sessions,
  Toolsets,
  Traces,
  type TurnEndReason,
  type TurnEvent,
  translator,
} from 'svc/sdk'
import { Chat } from './chat-session.ts'
import type { Config } from './config.ts'
import { ChatFront } from './prompt-forms.ts'
import { Prompts } from './prompts.ts'
import { Reactions } from './reactions.ts'
import { resetReason } from './chat-conversation.ts'
import { shownAt } from './shown.ts'
import type { ChatBinding, GatewayStore, InboxRow } from './store.ts'
import { hasFiles, readResultFile } from './turn-files.ts'

/** A chat with its conversation. */
interface OpenChat {
  readonly chat: Chat
  readonly front: ChatFront
  conversation: Conversation | undefined
}

/** Idle conversations are closed; their sessions stay. */
const CLOSE_AFTER_MS = 600_000
const MAX_OPEN = 128
const SWEEP_MS = 60_000
const DRAFT_EVERY_MS = 800

export class Chats {
  readonly #ctx: PluginContext<Config>
  readonly #store: GatewayStore
  readonly #chats: Map<string, OpenChat> = new Map()
  /** The key of the message that a turn began with, by the turn. */
  readonly #keys: Map<string, string> = new Map()
  /** By the platform that they are shown on. */
  readonly #marks: WeakMap<Platform, Reactions> = new WeakMap()
  readonly #stopping = new AbortController()
  #isStopping = false
  #sweep: Disposer | undefined

  constructor(ctx: PluginContext<Config>, store: GatewayStore) {
    this.#ctx = ctx
    this.#store = store
  }

  get size(): number {
    return this.#chats.size
  }

  /** Turns under way. */
  get busy(): number {
    return [...this.#chats.values()].filter(({ conversation }) => conversation?.busy).length
  }

  /** Takes a message that was kept. */
  take(row: InboxRow, platform: Platform): Reception {
    const reception = this.#open(bindingFromRow(row), platform).chat.take(row)
    this.#sweepLater()
    return reception
  }

  /** Resumes the turn that a crash left in a chat. */
  resume(binding: ChatBinding, platform: Platform, key: string, turnId: string): void {
    this.#keys.set(turnId, key)
    const open = this.#open(binding, platform)
    open.conversation ??= this.#start(open.front, binding.session, binding, platform)
  }

  /** Opens the conversation of a session without an inbound message, for an outbound one. */
  open(session: string): void {
    const binding = this.#store.findBindingBySession(session)
    const platform = binding && this.#ctx.all(Platforms).get(binding.platform)
    if (!binding || !platform || binding.session !== session) return
    const open = this.#open(binding, platform)
    if (!open.conversation?.open) open.conversation = this.#start(open.front, session, binding, platform)
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    for (let before = -1; before !== this.#keys.size; ) {
      before = this.#keys.size
      for (const open of [...this.#chats.values()]) {
        await open.chat.settled()
        await open.conversation?.idle()
        await open.front.filesSettled()
      }
    }
  }

  /** Closes all chats; unfinished turns are resumed at the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true
    void this.#sweep?.()
    await Promise.all([...this.#chats.keys()].map((talk) => this.#close(talk)))
    this.#stopping.abort()
  }

  #open(binding: ChatBinding, platform: Platform): OpenChat {
    const known = this.#chats.get(binding.talk)
    if (known) {
      // The one used last stands last.
      this.#chats.delete(binding.talk)
      this.#chats.set(binding.talk, known)
      return known
    }
    const open = this.#make(binding, platform)
    this.#chats.set(binding.talk, open)
    return open
  }

  #make(binding: ChatBinding, first: Platform): OpenChat {
    const ctx = this.#ctx
    const { name } = first
    // Its plugin may be reloaded while the chat is open.
    const platforms = ctx.all(Platforms)
    const current = () => platforms.get(name) ?? first
    const clock = ctx.use(Clock)
    const random = ctx.use(Random)
    const t = translator(ctx)
    const outbox = () => ctx.use(Outbox)
    const home = { chatId: binding.chat, ...(binding.thread !== null && { threadId: binding.thread }) }
    const place = () => ({ platform: name, ...home, ...open.chat.place() })
    const prompts = this.#prompts(place, first)
    const front = new ChatFront({
      platform: name,
      prompts,
      t,
      outbox,
      place,
      newKey: () => random.hex(8),
      now: () => clock.now(),
      draftEveryMs: () => draftEveryMs(current()),
      display: () => (current().isEvents ? undefined : displayOf(ctx, current())),
      earlier: (turnId, seq) => this.#earlier(open, binding, turnId, seq),
      log: ctx.log,
      readFile: (file) => readResultFile(ctx, file),
      began: (key, turnId) => {
        if (key !== undefined) this.#keys.set(turnId, key)
        this.#mark(current(), this.#keys.get(turnId))
        open.chat.began(key)
      },
      ended: (turnId, reason) => {
        open.chat.ended()
        this.#ended(turnId, reason, current())
      },
      moved: () => open.chat.moved(),
      changed: (change) => this.#changed(open, binding, change),
      wasShown: (id) => open.chat.wasShown(id),
      discard: () => open.chat.discard(),
      owns: (session) => this.#store.findBindingBySession(session)?.talk === binding.talk,
    })
    const chat = new Chat({
      ctx,
      get platform() {
        return current()
      },
      store: this.#store,
      clock,
      commands: () => ctx.use(Commands),
      t,
      front,
      prompts,
      conversation: () => this.#conversation(open, binding, current()),
      session: () => open.conversation?.sessionId ?? this.#store.findBinding(binding.talk)?.session,
      may: (message, right) => ctx.use(Access).judge(message, { kind: 'command', name: right }).allow,
      note: (row, stage, text, also) => ctx.find(Traces)?.note(row.trace, stage, text, also),
    })
    const open: OpenChat = { chat, front, conversation: undefined }
    return open
  }

  /** Questions stand where messages of the chat stand, and answer to none of them. */
  #prompts(place: () => Omit<OutboxPost, 'key' | 'text'>, platform: Platform): Prompts {
    const ctx = this.#ctx
    const outbox = () => ctx.use(Outbox)
    const t = translator(ctx)
    return new Prompts(
      (post) => {
        const { replyTo: _, ...where } = place()
        outbox().post({ ...where, ...post })
      },
      {
        buttons: platform.limits.buttons ?? 0,
        shownAt: (key) => shownAt(outbox(), key),
        yielding: {
          after: (end) => ctx.use(Clock).after(ctx.config.question_seconds * 1000, end, { background: true }),
          over: () => t('This question is not open any more.'),
        },
      },
    )
  }

  /** The conversation of the chat, after a reset if one is due. */
  #conversation(open: OpenChat, binding: ChatBinding, platform: Platform): Conversation {
    const ctx = this.#ctx
    const session = open.conversation?.sessionId ?? this.#store.findBinding(binding.talk)?.session
    const reason = open.conversation?.busy ? undefined : this.#resetReason(session, platform)
    if (open.conversation?.open && reason === undefined) return open.conversation
    void open.conversation?.close()
    open.conversation = this.#start(open.front, reason === undefined ? session : undefined, binding, platform)
    this.#keep(binding, open.conversation.sessionId)
    if (reason !== undefined && ctx.config.session_reset.notify) {
      const t = translator(ctx)
      open.front.say({ text: t('A new conversation began. The one before is kept: /resume'), tone: 'info' })
    }
    return open.conversation
  }

  #resetReason(session: string | undefined, platform: Platform): 'daily' | 'idle' | undefined {
    if (session === undefined) return undefined
    const policy = { ...this.#ctx.config.session_reset, ...platform.settings?.session_reset }
    // A null in YAML says nothing.
    const at_hour = policy.at_hour ?? 4
    const summary = this.#summary(session)
    if (!summary || summary.messageCount === 0) return undefined
    return resetReason({ ...policy, at_hour }, summary.updatedAt, this.#ctx.use(Clock).now())
  }

  #summary(session: string) {
    try {
      return this.#ctx.use(Sessions).summary(session)
    } catch {
      // It was removed: the next message begins a new one.
      return undefined
    }
  }

  #start(front: ChatFront, session: string | undefined, binding: ChatBinding, platform: Platform): Conversation {
    const ctx = this.#ctx
    const cwd = ctx.config.cwd || ctx.use(Home).path('workspace')
    mkdirSync(cwd, { recursive: true })
    const sessionId = session !== undefined && this.#summary(session) ? session : undefined
    const { provider, model } = platform.settings?.channels[binding.chat] ?? {}
    const standard = { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) }
    // Kept with each turn: it has no other tools when it goes on in a process that does not know the platform.
    const settings = platform.isEvents ? { toolsets: this.#toolsOf(platform) } : {}
    const from = sessionId === undefined ? {} : { sessionId }
    return ctx.use(Conversations).start(front, { cwd, ...from, settings, standard })
  }

  #toolsOf({ name }: Platform): readonly string[] {
    const toolsets = this.#ctx.find(Toolsets)?.list(name) ?? []
    return toolsets.flatMap(({ tools }) => tools.flatMap((tool) => (tool.on ? [tool.name] : [])))
  }

  #changed(open: OpenChat, binding: ChatBinding, change: string): void {
    const { conversation } = open
    if (!conversation) return
    if (change === 'session') this.#keep(binding, conversation.sessionId)
    // A conversation that was closed drops nothing: what waited in it is taken again at the next start.
    const hasNothing = conversation.open && !conversation.busy && conversation.queue.length === 0
    if (change === 'busy' && hasNothing) open.chat.dropped()
  }

  #keep(binding: ChatBinding, session: string): void {
    this.#store.keepBinding({ ...binding, session }, this.#ctx.use(Clock).now())
    const { title } = this.#summary(session) ?? {}
    if (title === undefined) this.#ctx.use(Sessions).rename(session, `${binding.platform} · ${binding.name}`)
  }

  /** Its messages are done, unless the gateway stops: then they are resumed. */
  #ended(turnId: string, reason: TurnEndReason, platform: Platform): void {
    const key = this.#keys.get(turnId)
    this.#keys.delete(turnId)
    if (key === undefined || (this.#isStopping && reason !== 'completed')) return
    const rows = this.#store.withKey(key)
    for (const row of rows) this.#ctx.find(Traces)?.note(row.trace, 'turn', `it ended: ${reason}`, [turnId])
    const last = rows.at(-1)
    if (last) this.#reactions(platform).ended(last.message, reason)
    this.#store.end(rows)
  }

  #mark(platform: Platform, key: string | undefined): void {
    const last = key === undefined ? undefined : this.#store.withKey(key).at(-1)
    if (last) this.#reactions(platform).working(last.message)
  }

  #reactions(platform: Platform): Reactions {
    const known = this.#marks.get(platform)
    if (known) return known
    const ctx = this.#ctx
    const made = new Reactions({ platform, clock: ctx.use(Clock), log: ctx.log, signal: this.#stopping.signal })
    this.#marks.set(platform, made)
    return made
  }

  #earlier(open: OpenChat, binding: ChatBinding, turnId: string, before: number): readonly TurnEvent[] {
    const session = open.conversation?.sessionId ?? binding.session
    const events = this.#ctx.use(Sessions).open(session).events()
    return events.filter((event) => {
      if (event.turnId !== turnId || event.seq >= before) return false
      return event.type === 'message.complete' ? event.text.trim() !== '' : hasFiles(event)
    })
  }

  #sweepLater(): void {
    const clock = this.#ctx.use(Clock)
    this.#sweep ??= clock.after(
      SWEEP_MS,
      () => {
        this.#sweep = undefined
        const now = clock.now()
        for (const [talk, { chat, conversation }] of this.#chats) {
          const isOld = now - chat.usedAt > CLOSE_AFTER_MS || this.#chats.size > MAX_OPEN
          if (isOld && chat.isIdle && !conversation?.busy) void this.#close(talk)
        }
        if (this.#chats.size > 0) this.#sweepLater()
      },
      { background: true },
    )
  }

  async #close(talk: string): Promise<void> {
    const open = this.#chats.get(talk)
    this.#chats.delete(talk)
    open?.chat.close()
    await open?.conversation?.close()
    await open?.front.filesSettled()
  }
}

/** Undefined where messages cannot, or must not, be edited while they are written. */
function draftEveryMs({ edit, limits, settings }: Platform): number | undefined {
  const canEdit = edit !== undefined && (settings ?? platformDefaults).streaming
  return canEdit ? (limits.editEveryMs ?? DRAFT_EVERY_MS) : undefined
}

/** The chat of a message, as it is kept. */
export function bindingFromRow({ talk, message }: { readonly talk: string; readonly message: Inbound }): ChatBinding {
  const { platform, chatId: chat, threadId, chatKind: kind = 'dm', chatName, userName, userId } = message
  const name = (kind === 'dm' ? (userName ?? chatName) : chatName) ?? (kind === 'dm' ? userId : chat)
  return { talk, platform, chat, thread: threadId ?? null, kind, name, session: '' }
}

/** What config.yaml says for the platform, else what fits it: messages of tools are noise where they cannot be edited. */
function displayOf(ctx: PluginContext<Config>, { name, limits }: Platform): DisplaySettings | undefined {
  return ctx.find(Display)?.settings(name, { tool_progress: limits.toolProgress ?? 'off', show_reasoning: false })
}
