/** Nostr as a platform (github.com/nostr-protocol/nips). */
import type { Clock, Logger, Random, Secrets } from 'svc/sdk'
import { ConnectionSlot } from 'svc/sdk/kit/platform'
import {
  deliveryRefused,
  type GatewayConnection,
  type OutboundMessage,
  type Platform,
  type PlatformLimits,
  type SendReceipt,
} from 'svc/sdk/platform'
import type { SafeFetch } from 'svc/sdk/web'
import { describeMissing, type NostrAccount, readAccount } from './account.ts'
import type { Config } from './config.ts'
import type { NostrConnection } from './connection.ts'

/** Encrypted twice, with padding, an event stays below what relays take. */
const MAX_BYTES = 8000

export interface NostrDeps {
  readonly clock: Clock
  readonly random: Random
  readonly secrets: Pick<Secrets, 'get'>
  readonly guard: Pick<SafeFetch, 'check'>
  readonly log: Logger
}

export class NostrPlatform implements Platform {
  readonly name = 'nostr'
  readonly label = 'Nostr'
  readonly hint = 'Answers are direct messages of a messenger: write short paragraphs without decoration.'
  readonly access = { users: 'NOSTR_ALLOWED_USERS', everyone: 'NOSTR_ALLOW_ALL_USERS', home: 'NOSTR_HOME_CHANNEL' }
  readonly limits: PlatformLimits = {
    ...{ maxTextLength: MAX_BYTES, measure: 'bytes', commits: true },
    // A repeated send publishes the same event id, which relays and clients store once.
    idempotency: 'key',
    rate: { all: { count: 20, perMs: 10_000 } },
  }
  readonly settings: Config
  readonly #deps: () => NostrDeps
  readonly #connection: ConnectionSlot<NostrConnection> = new ConnectionSlot('Nostr')

  /** `deps` is asked at each connection. */
  constructor(config: Config, deps: () => NostrDeps) {
    this.settings = config
    this.#deps = deps
  }

  missing(): string | undefined {
    return describeMissing(this.#account())
  }

  /** NIP-21; the public key of the account. */
  async contact(): Promise<string | undefined> {
    const { readSecretKey } = await import('./connection.ts')
    const [{ getPublicKey }, { npubEncode }] = await Promise.all([
      import('nostr-tools/pure'),
      import('nostr-tools/nip19'),
    ])
    return `nostr:${npubEncode(getPublicKey(readSecretKey(this.#account().secret)))}`
  }

  account(): string | undefined {
    return this.#account().secret || undefined
  }

  connect(link: GatewayConnection): Promise<void> {
    return this.#connection.open(link, this.missing(), async () => {
      const { NostrConnection: Connection } = await import('./connection.ts')
      const { clock, random, guard, log } = this.#deps()
      const account = this.#account()
      return Connection.open({ account, settings: this.settings, link, clock, random, guard, log })
    })
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    if (Buffer.byteLength(message.text) > MAX_BYTES)
      throw deliveryRefused('PLATFORM_TOO_LONG', `Nostr takes ${MAX_BYTES} bytes in one message.`)
    return this.#connection.require().send(message)
  }

  async probe(): Promise<boolean> {
    return this.#connection.current?.probe() ?? false
  }

  async close(): Promise<void> {
    this.#connection.close()
  }

  #account(): NostrAccount {
    return readAccount(this.settings, this.#deps().secrets)
  }
}
