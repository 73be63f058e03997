/** Slack as a chat platform. Light: what does the work is imported when it is connected. */
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
  type PrivateNotice,
  type SendReceipt,
} from 'svc/sdk/platform'
import type { Config } from './config.ts'
import type { Connection, SlackDeps } from './connection.ts'
import { markup } from './markup.ts'

/**
 * A message may be posted with 40,000 characters, but from 4,000 on it is shown in parts, and an edit takes no more than
 * 4,000 bytes (docs.slack.dev/reference/methods/chat.postMessage, .../chat.update). One message a second in a channel
 * (.../apis/web-api/rate-limits).
 */
const limits: PlatformLimits = {
  maxTextLength: 4000,
  measure: 'bytes',
  idempotency: 'lookup',
  threadTalks: true,
  commits: true,
  markup,
  rate: { chat: { count: 1, perMs: 1000 }, all: { count: 200, perMs: 60_000 } },
  editEveryMs: 1500,
  // More than a few are a menu, which holds a hundred (.../block-kit/block-elements/select-menu-element).
  buttons: 100,
  notices: true,
  files: 1_000_000_000,
  album: 10,
  commandPrefix: '!',
}

export class SlackPlatform implements Platform {
  readonly name = 'slack'
  readonly label = 'Slack'
  readonly limits = limits
  readonly settings: PlatformSettings
  readonly access = {
    users: 'SLACK_ALLOWED_USERS',
    chats: 'SLACK_ALLOWED_CHANNELS',
    everyone: 'SLACK_ALLOW_ALL_USERS',
    home: 'SLACK_HOME_CHANNEL',
  }
  readonly #config: Config
  readonly #host: () => SlackDeps
  #connection: Connection | undefined
  #abort: AbortController | undefined

  constructor(config: Config, host: () => SlackDeps) {
    this.settings = config
    this.#config = config
    this.#host = host
  }

  missing(): string | undefined {
    const { secret } = this.#host()
    const second = this.#config.mode === 'events' ? 'SLACK_SIGNING_SECRET' : 'SLACK_APP_TOKEN'
    const absent = (['SLACK_BOT_TOKEN', second] as const).filter((name) => secret(name) === undefined)
    return absent.length > 0 ? `Slack needs ${absent.join(' and ')}: svc config set ${absent[0]} <value>.` : undefined
  }

  /** docs.slack.dev/interactivity/deep-linking, "Open a person's or app's profile or direct message". */
  async contact(signal?: AbortSignal): Promise<string | undefined> {
    const { findContact } = await import('./contact.ts')
    return findContact(this.#host(), signal)
  }

  /** Two sockets of one app would share its events between them. */
  account(): string | undefined {
    return this.#host().secret('SLACK_BOT_TOKEN')
  }

  async connect(link: GatewayConnection): Promise<void> {
    await this.close()
    const abort = new AbortController()
    this.#abort = abort
    const { Connection } = await import('./connection.ts')
    const signal = AbortSignal.any([abort.signal, link.signal])
    const connection = new Connection(this.#host(), link, signal)
    try {
      await connection.open()
      if (signal.aborted) throw deliveryBusy('SLACK_DISCONNECTED', 'Slack was closed while it was connected.')
      this.#connection = connection
    } catch (error) {
      abort.abort()
      await connection.close()
      throw error
    }
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    return this.#open().send(message)
  }

  async find(message: OutboundMessage): Promise<SendReceipt | undefined> {
    return this.#open().find(message)
  }

  async edit(edit: OutboundMessageEdit): Promise<void> {
    return this.#open().edit(edit)
  }

  async notify(notice: PrivateNotice): Promise<void> {
    return this.#open().notify(notice)
  }

  async typing(chatId: string, threadId?: string): Promise<void> {
    return this.#open().typing(chatId, threadId)
  }

  async react(reaction: MessageReaction): Promise<void> {
    return this.#open().react(reaction)
  }

  async earlier(
    message: InboundMessage,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly OverheardMessage[]> {
    return this.#open().earlier(message, options)
  }

  async fetch(file: InboundFile, options: { maxBytes: number; signal: AbortSignal }): Promise<Uint8Array> {
    return this.#open().fetch(file, options)
  }

  async probe(): Promise<boolean> {
    return (await this.#connection?.probe().catch(() => false)) ?? false
  }

  async close(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    this.#abort?.abort()
    this.#abort = undefined
    await connection?.close()
  }

  #open(): Connection {
    if (!this.#connection) throw deliveryBusy('SLACK_DISCONNECTED', 'Slack is not connected now.')
    return this.#connection
  }
}
