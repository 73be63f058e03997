/** A chat platform in memory: a test writes as a person and reads the answers of the program. */
import type { InlinePlugin } from 'svc'
import { type PlatformSettings, platformSettingDefaults } from '../platform-settings.ts'
import {
  type GatewayConnection,
  type InboundMessage,
  type InboundResult,
  type MessageReaction,
  type OutboundMessage,
  type OutboundMessageEdit,
  type Platform,
  type PlatformLimits,
  Platforms,
  type PrivateNotice,
} from '../platforms.ts'

/** A message that arrived in a chat; `text` is what it was edited to last. @since 0.2 */
export interface SentMessage extends OutboundMessage {
  readonly messageId: string
  text: string
}

/** The plugin to hand to `testKernel({ with: [...] })`, its people, what they were sent, and its faults. @since 0.1 */
export interface FakePlatform {
  readonly plugin: InlinePlugin
  /** Messages that arrived, oldest first. */
  readonly sent: readonly SentMessage[]
  readonly connected: boolean
  /**
   * A person writes. The chat is the one with that person alone unless another is named. Resolves once the program has
   * taken the message; rejects when it did not, as the platform would see it.
   */
  say(userId: string, text: string, where?: Partial<InboundMessage>): Promise<InboundResult>
  /** Marks that were set on messages of people, oldest first; only with `can.react`. */
  readonly marks: readonly MessageReaction[]
  /** Notes for one person, oldest first; only with `can.notify`. */
  readonly notes: readonly PrivateNotice[]
  /** The menus of slash commands that were shown, oldest first, as names; only with `can.menu`. */
  readonly menus: readonly (readonly string[])[]
  /** Delivers the newest message once more, under the same id. */
  repeat(): Promise<void>
  /** The next message that arrives, or has arrived and was not asked for yet. */
  next(): Promise<SentMessage>
  /** The next `send` calls are refused with these errors, in order. */
  failSends(...errors: readonly Error[]): void
  /** The connection breaks; `final` when trying again is useless. */
  lose(reason: string, options?: { readonly final?: boolean }): void
}

/**
 * Contributes the platform `fake`, or another name. Without limits: 4,096 characters, and a repeated send is known by its key.
 * @since 0.1
 */
export function fakePlatform(
  options: {
    readonly name?: string
    readonly limits?: Partial<PlatformLimits>
    /** What it can do besides. */
    readonly can?: { readonly react?: boolean; readonly notify?: boolean; readonly menu?: boolean }
    /** Everybody may write unless this says something else. */
    readonly settings?: Partial<PlatformSettings>
    /** The bytes of files that people send. Left out: the platform cannot fetch files. */
    readonly fetch?: NonNullable<Platform['fetch']>
  } = {},
): FakePlatform {
  const { name = 'fake' } = options
  const limits = { maxTextLength: 4096, idempotency: 'key' as const, ...options.limits }
  const open = { dm_policy: 'open', group_policy: 'open', allow_all: true } as const
  const chats = new Chats(name, limits, { ...platformSettingDefaults, ...open, ...options.settings })
  const { react, notify, menu } = options.can ?? {}
  if (react) Object.assign(chats, { react: async (mark: MessageReaction) => void chats.marks.push(mark) })
  if (notify) Object.assign(chats, { notify: async (note: PrivateNotice) => void chats.notes.push(note) })
  if (menu) Object.assign(chats, { commandMenu: chats.createMenu() })
  if (options.fetch) chats.fetch = options.fetch
  const plugin: InlinePlugin = {
    name: `${name}-platform`,
    kind: 'platform',
    contributes: { platforms: [name] },
    setup: (ctx) => void ctx.add(Platforms, chats),
  }
  return {
    plugin,
    sent: chats.sent,
    marks: chats.marks,
    notes: chats.notes,
    menus: chats.menus,
    get connected() {
      return chats.connected
    },
    say: (userId, text, where = {}) => chats.say({ chatId: userId, ...where, userId, text }),
    repeat: () => chats.repeat(),
    next: () => chats.next(),
    failSends: (...errors) => void chats.faults.push(...errors),
    lose: (reason, how) => chats.lose(reason, how),
  }
}

class Chats implements Platform {
  readonly name: string
  readonly label = 'In-memory chat'
  readonly limits: PlatformLimits
  readonly settings: PlatformSettings
  readonly sent: SentMessage[] = []
  readonly faults: Error[] = []
  readonly marks: MessageReaction[] = []
  readonly notes: PrivateNotice[] = []
  readonly menus: (readonly string[])[] = []
  fetch?: NonNullable<Platform['fetch']>
  #link: GatewayConnection | undefined
  #newest: InboundMessage | undefined
  #count = 0
  #read = 0
  #waiting: ((message: SentMessage) => void)[] = []

  constructor(name: string, limits: PlatformLimits, settings: PlatformSettings) {
    this.name = name
    this.limits = limits
    this.settings = settings
  }

  createMenu(): NonNullable<Platform['commandMenu']> {
    return {
      limits: { count: 100, nameLength: 32, descriptionLength: 100, hyphens: true },
      show: async (entries) => {
        const fault = this.faults.shift()
        if (fault) throw fault
        this.menus.push(entries.map(({ name }) => name))
      },
    }
  }

  get connected(): boolean {
    return this.#link !== undefined
  }

  async connect(link: GatewayConnection): Promise<void> {
    link.signal.throwIfAborted()
    this.#link = link
    link.signal.addEventListener('abort', () => this.#leave(link), { once: true })
  }

  async send(message: OutboundMessage): Promise<{ messageId: string }> {
    this.#connection()
    const fault = this.faults.shift()
    if (fault) throw fault
    if (message.text.length > this.limits.maxTextLength)
      throw new Error(`A message has at most ${this.limits.maxTextLength} characters.`)
    const before = this.limits.idempotency === 'key' ? this.sent.find(({ key }) => key === message.key) : undefined
    return { messageId: (before ?? this.#deliver(message)).messageId }
  }

  async edit({ chatId, messageId, text }: OutboundMessageEdit): Promise<void> {
    this.#connection()
    const message = this.sent.find((each) => each.chatId === chatId && each.messageId === messageId)
    if (!message) throw new Error(`There is no message ${messageId} in ${chatId}.`)
    message.text = text
  }

  async typing(): Promise<void> {
    this.#connection()
  }

  async probe(): Promise<boolean> {
    return this.connected
  }

  async close(): Promise<void> {
    this.#link = undefined
  }

  async say(
    message: Pick<InboundMessage, 'chatId' | 'userId' | 'text'> & Partial<InboundMessage>,
  ): Promise<InboundResult> {
    this.#newest = { messageId: `in-${++this.#count}`, ...message, platform: this.name }
    return this.#connection().receive(this.#newest)
  }

  async repeat(): Promise<void> {
    if (!this.#newest) throw new Error('There is no message to repeat.')
    await this.#connection().receive(this.#newest)
  }

  async next(): Promise<SentMessage> {
    const message = this.sent[this.#read++]
    return message ?? new Promise((resolve) => this.#waiting.push(resolve))
  }

  lose(reason: string, how?: { readonly final?: boolean }): void {
    const link = this.#connection()
    this.#link = undefined
    link.lost(reason, how)
  }

  #deliver(message: OutboundMessage): SentMessage {
    const arrived = { ...message, messageId: `out-${++this.#count}` }
    this.sent.push(arrived)
    this.#waiting.shift()?.(arrived)
    return arrived
  }

  #connection(): GatewayConnection {
    if (this.#link) return this.#link
    throw new Error(`The platform ${this.name} is not connected.`)
  }

  #leave(link: GatewayConnection): void {
    if (this.#link === link) this.#link = undefined
  }
}
