/** SimpleX Chat as a platform, through its terminal program (github.com/simplex-chat/simplex-chat). */
import type { Clock, Logger, Secrets } from 'svc/sdk'
import { ConnectionSlot } from 'svc/sdk/kit/platform'
import {
  deliveryRefused,
  type GatewayConnection,
  type InboundFile,
  type OutboundMessage,
  type OutboundMessageEdit,
  type Platform,
  type PlatformLimits,
  type SendReceipt,
} from 'svc/sdk/platform'
import { isLoopback } from 'svc/sdk/provider'
import type { Config } from './config.ts'
import type { SimplexConnection } from './connection.ts'

/** A message has about 15,600 bytes with all that goes with it. */
const MAX_BYTES = 10_000
/** The program sends up to a gigabyte. */
const MAX_FILE_BYTES = 100 * 2 ** 20

export interface SimplexDeps {
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'get'>
  readonly log: Logger
}

export class SimplexPlatform implements Platform {
  readonly name = 'simplex'
  readonly label = 'SimpleX'
  readonly hint = 'Answers are messages of an instant messenger: write short paragraphs.'
  readonly access = {
    users: 'SIMPLEX_ALLOWED_USERS',
    everyone: 'SIMPLEX_ALLOW_ALL_USERS',
    home: 'SIMPLEX_HOME_CHANNEL',
  }
  readonly limits: PlatformLimits = {
    ...{ maxTextLength: MAX_BYTES, measure: 'bytes', commits: true, idempotency: 'lookup' },
    ...{
      files: MAX_FILE_BYTES,
      voice: ['mp3'] as const,
      editEveryMs: 3000,
      rate: { all: { count: 20, perMs: 10_000 } },
    },
  }
  readonly settings: Config
  readonly #deps: () => SimplexDeps
  readonly #connection: ConnectionSlot<SimplexConnection> = new ConnectionSlot('SimpleX')

  /** `deps` is asked at each connection. */
  constructor(config: Config, deps: () => SimplexDeps) {
    this.settings = config
    this.#deps = deps
  }

  missing(): string | undefined {
    const url = this.#url()
    if (url === '') return 'needs SIMPLEX_URL'
    const parsed = URL.canParse(url) ? new URL(url) : undefined
    if (!parsed || !['ws:', 'wss:'].includes(parsed.protocol))
      return `SIMPLEX_URL is "${url}", which is not a WebSocket URL.`
    if (parsed.protocol === 'wss:' || isLoopback(parsed)) return undefined
    return 'SIMPLEX_URL is on another machine, to which only wss:// is safe: the program asks for no password.'
  }

  /** The address of the profile, if it has one; asked only while it is connected, for events go to every connection. */
  async contact(): Promise<string | undefined> {
    return this.#connection.current?.address()
  }

  account(): string | undefined {
    return this.#url() || undefined
  }

  connect(link: GatewayConnection): Promise<void> {
    return this.#connection.open(link, this.missing(), async () => {
      const { SimplexConnection: Connection } = await import('./connection.ts')
      const { clock, log } = this.#deps()
      return Connection.open({ url: this.#url(), settings: this.settings, link, clock, log })
    })
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    requireShort(message.text)
    return this.#connection.require().send(message)
  }

  async find(message: OutboundMessage): Promise<SendReceipt | undefined> {
    return this.#connection.require().find(message)
  }

  async edit(edit: OutboundMessageEdit): Promise<void> {
    requireShort(edit.text)
    await this.#connection.require().edit(edit)
  }

  async fetch(file: InboundFile, options: { readonly maxBytes: number; readonly signal: AbortSignal }) {
    return this.#connection.require().fetch(file, options)
  }

  async probe(): Promise<boolean> {
    return this.#connection.current?.probe() ?? false
  }

  async close(): Promise<void> {
    this.#connection.close()
  }

  #url(): string {
    return (this.#deps().secrets.get('SIMPLEX_URL') ?? '').trim()
  }
}

function requireShort(text: string): void {
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw deliveryRefused('PLATFORM_TOO_LONG', `SimpleX takes ${MAX_BYTES} bytes in one message.`)
}
