/** XMPP as a platform (RFC 6120 and 6121). */
import type { Clock, Logger, Net, Random, Secrets } from 'svc/sdk'
import { ConnectionSlot } from 'svc/sdk/kit/platform'
import {
  deliveryRefused,
  type GatewayConnection,
  type InboundFile,
  type MessageReaction,
  type OutboundMessage,
  type Platform,
  type PlatformLimits,
  type SendReceipt,
} from 'svc/sdk/platform'
import { describeMissing, readAccount, type XmppAccount } from './account.ts'
import type { Config } from './config.ts'
import type { XmppConnection } from './connection.ts'

const MAX_LENGTH = 5000
/** Servers say when they take less. */
const MAX_FILE_BYTES = 100 * 2 ** 20

export interface XmppDeps {
  readonly clock: Clock
  readonly net: Net
  readonly random: Random
  readonly secrets: Pick<Secrets, 'get'>
  readonly log: Logger
}

export class XmppPlatform implements Platform {
  readonly name = 'xmpp'
  readonly label = 'XMPP'
  readonly hint = 'Answers are messages of an instant messenger: write short paragraphs without decoration.'
  readonly access = { users: 'XMPP_ALLOWED_USERS', everyone: 'XMPP_ALLOW_ALL_USERS', home: 'XMPP_HOME_CHANNEL' }
  readonly settings: Config
  readonly #ports: () => XmppDeps
  readonly #connection: ConnectionSlot<XmppConnection> = new ConnectionSlot('XMPP')

  /** `ports` is asked at each connection. */
  constructor(config: Config, ports: () => XmppDeps) {
    this.settings = config
    this.#ports = ports
  }

  /** Without an archive nothing can be looked up. */
  get limits(): PlatformLimits {
    return {
      ...{ maxTextLength: MAX_LENGTH, commits: true, files: MAX_FILE_BYTES, caption: 0 },
      idempotency: this.#connection.current?.keepsAll === false ? 'none' : 'lookup',
      rate: { all: { count: 20, perMs: 5000 } },
    }
  }

  missing(): string | undefined {
    return describeMissing(this.#account())
  }

  /** RFC 5122; parts of an address may be beyond ASCII. */
  async contact(): Promise<string | undefined> {
    const { local, domain } = this.#account()
    return local && domain ? `xmpp:${encodeURIComponent(local)}@${encodeURIComponent(domain)}` : undefined
  }

  account(): string | undefined {
    return this.#account().jid || undefined
  }

  connect(link: GatewayConnection): Promise<void> {
    return this.#connection.open(link, this.missing(), async () => {
      const { XmppConnection: Connection } = await import('./connection.ts')
      const { clock, net, random, log } = this.#ports()
      const account = this.#account()
      return Connection.open({ account, settings: this.settings, link, clock, net, random, log })
    })
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    if (message.text.length > MAX_LENGTH)
      throw deliveryRefused('PLATFORM_TOO_LONG', `XMPP takes ${MAX_LENGTH} characters in one message.`)
    return this.#connection.require().send(message)
  }

  async find(message: OutboundMessage): Promise<SendReceipt | undefined> {
    return this.#connection.require().find(message)
  }

  async typing(chatId: string): Promise<void> {
    await this.#connection.require().typing(chatId)
  }

  async react(reaction: MessageReaction): Promise<void> {
    await this.#connection.require().react(reaction)
  }

  async fetch(
    file: InboundFile,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    return this.#connection.require().fetch(file, options)
  }

  async probe(): Promise<boolean> {
    return this.#connection.current?.probe() ?? false
  }

  async close(): Promise<void> {
    this.#connection.close()
  }

  #account(): XmppAccount {
    return readAccount(this.settings, this.#ports().secrets)
  }
}
