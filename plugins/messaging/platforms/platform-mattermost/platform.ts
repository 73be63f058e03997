/** Mattermost as a chat platform. Light: what does the work is imported when it is connected. */
import {
  deliveryBusy,
  type GatewayConnection,
  type InboundFile,
  type MessageReaction,
  type OutboundMessage,
  type OutboundMessageEdit,
  type Platform,
  type PlatformLimits,
  type PlatformSettings,
  type SendReceipt,
} from 'svc/sdk/platform'
import type { Connection, MattermostDeps } from './connection.ts'
import { markup } from './markup.ts'

/**
 * 4,000 characters is what all servers take, newer ones take 16,383; files are 100 MiB and requests ten a second where
 * as long as it is not configured otherwise (docs.mattermost.com/administration-guide/configure, "Maximum file size",
 * "Rate limiting").
 */
const limits: PlatformLimits = {
  maxTextLength: 4000,
  measure: 'codepoints',
  idempotency: 'lookup',
  threadTalks: true,
  commits: true,
  toolProgress: 'new',
  markup,
  rate: { chat: { count: 5, perMs: 1000 }, all: { count: 8, perMs: 1000 } },
  files: 100 * 2 ** 20,
  // api.mattermost.com, "Create a post": up to ten file ids.
  album: 10,
}

export class MattermostPlatform implements Platform {
  readonly name = 'mattermost'
  readonly label = 'Mattermost'
  readonly limits = limits
  readonly settings: PlatformSettings
  readonly access = {
    users: 'MATTERMOST_ALLOWED_USERS',
    chats: 'MATTERMOST_ALLOWED_CHANNELS',
    everyone: 'MATTERMOST_ALLOW_ALL_USERS',
    home: 'MATTERMOST_HOME_CHANNEL',
  }
  readonly #host: () => MattermostDeps
  #connection: Connection | undefined
  #abort: AbortController | undefined

  constructor(settings: PlatformSettings, host: () => MattermostDeps) {
    this.settings = settings
    this.#host = host
  }

  missing(): string | undefined {
    const { url, token } = this.#host()
    if (!url())
      return 'Mattermost needs the address of a server: svc config set MATTERMOST_URL https://chat.example.org.'
    return token() === undefined ? 'Mattermost needs a token: svc config set MATTERMOST_TOKEN <token>.' : undefined
  }

  account(): string | undefined {
    const { url, token } = this.#host()
    const value = token()
    return value && `${url()} ${value}`
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
      if (signal.aborted) throw deliveryBusy('MATTERMOST_DISCONNECTED', 'Mattermost was closed while it was connected.')
      this.#connection = connection
    } catch (error) {
      abort.abort()
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

  async typing(chatId: string, threadId?: string): Promise<void> {
    return this.#open().typing(chatId, threadId)
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

  async close(): Promise<void> {
    this.#connection = undefined
    this.#abort?.abort()
    this.#abort = undefined
  }

  #open(): Connection {
    if (!this.#connection) throw deliveryBusy('MATTERMOST_DISCONNECTED', 'Mattermost is not connected now.')
    return this.#connection
  }
}
