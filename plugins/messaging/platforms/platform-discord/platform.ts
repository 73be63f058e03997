/** Discord as a chat platform. Light: what does the work is imported when it is connected. */
import {
  deliveryBusy,
  type GatewayConnection,
  type InboundFile,
  type InboundMessage,
  type MessageReaction,
  type OutboundMessage,
  type OutboundMessageEdit,
  type OverheardMessage,
  type Platform,
  type PlatformLimits,
  type PlatformSettings,
  type SendReceipt,
} from 'svc/sdk/platform'
import type { Connection, DiscordDeps } from './connection.ts'
import { markup } from './markup.ts'

/** discord.com/developers/docs: resources/message, reference ("Uploading Files"), topics/rate-limits. */
const limits: PlatformLimits = {
  maxTextLength: 2000,
  measure: 'codepoints',
  idempotency: 'key',
  threadTalks: true,
  markup,
  // Fifty in a second over all is documented; five in five seconds is what channels have been seen to allow.
  rate: { chat: { count: 5, perMs: 5000 }, all: { count: 50, perMs: 1000 } },
  editEveryMs: 1200,
  // More than a few are menus: five of 25 options (.../components/reference, "String Select").
  buttons: 125,
  notices: true,
  toolProgress: 'all',
  files: 10 * 2 ** 20,
  album: 10,
  voice: ['opus'],
  voiceCaption: 0,
}

export class DiscordPlatform implements Platform {
  readonly name = 'discord'
  readonly label = 'Discord'
  readonly limits = limits
  readonly settings: PlatformSettings
  readonly access = {
    users: 'DISCORD_ALLOWED_USERS',
    chats: 'DISCORD_ALLOWED_CHANNELS',
    roles: 'DISCORD_ALLOWED_ROLES',
    everyone: 'DISCORD_ALLOW_ALL_USERS',
    home: 'DISCORD_HOME_CHANNEL',
  }
  /** Names may hold hyphens; a hundred global commands of the kind that is typed. */
  readonly commandMenu: NonNullable<Platform['commandMenu']> = {
    limits: { count: 100, nameLength: 32, descriptionLength: 100, hyphens: true },
    show: (entries) => this.#open().showCommands(entries),
  }
  readonly #host: () => DiscordDeps
  #connection: Connection | undefined
  #abort: AbortController | undefined

  constructor(settings: PlatformSettings, host: () => DiscordDeps) {
    this.settings = settings
    this.#host = host
  }

  missing(): string | undefined {
    if (this.account() !== undefined) return undefined
    return 'Discord needs the token of a bot: svc config set DISCORD_BOT_TOKEN <token>.'
  }

  /** Adds the bot to a server: only members of a common server may write to it. */
  async contact(signal?: AbortSignal): Promise<string | undefined> {
    const { findContact } = await import('./contact.ts')
    return findContact(this.#host(), signal)
  }

  account(): string | undefined {
    return this.#host().token()
  }

  async connect(link: GatewayConnection): Promise<void> {
    await this.close()
    const abort = new AbortController()
    this.#abort = abort
    const { Connection } = await import('./connection.ts')
    const signal = AbortSignal.any([abort.signal, link.signal])
    try {
      const connection = new Connection(this.#host(), link, signal)
      await connection.open()
      if (signal.aborted) throw deliveryBusy('DISCORD_DISCONNECTED', 'Discord was closed while it was connected.')
      this.#connection = connection
    } catch (error) {
      abort.abort()
      throw error
    }
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    return this.#open().send(message)
  }

  async edit(edit: OutboundMessageEdit): Promise<void> {
    return this.#open().edit(edit)
  }

  async typing(chatId: string, threadId?: string): Promise<void> {
    return this.#open().typing(chatId, threadId)
  }

  async earlier(
    message: InboundMessage,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly OverheardMessage[]> {
    return this.#open().earlier(message, options)
  }

  async react(reaction: MessageReaction): Promise<void> {
    return this.#open().react(reaction)
  }

  async fetch(file: InboundFile, options: { maxBytes: number; signal: AbortSignal }): Promise<Uint8Array> {
    return this.#open().fetch(file, options)
  }

  async probe(): Promise<boolean> {
    return (await this.#connection?.probe().catch(() => false)) ?? false
  }

  /** The session stays open over there for a while, so that nothing is lost when it is connected again. */
  async close(): Promise<void> {
    this.#connection = undefined
    this.#abort?.abort()
    this.#abort = undefined
  }

  #open(): Connection {
    if (!this.#connection) throw deliveryBusy('DISCORD_DISCONNECTED', 'Discord is not connected now.')
    return this.#connection
  }
}
