/** Signal as a platform: an account of signal-cli, whose daemon does the cryptography. */
import {
  type Clock,
  errorCode,
  errorMessage,
  type Logger,
  type Net,
  type NetResponse,
  type Random,
  tryParseJson,
} from 'svc/sdk'
import {
  deliveryBusy,
  deliveryRefused,
  type GatewayConnection,
  type InboundFile,
  type MessageReaction,
  type OutboundMessage,
  type Platform,
  type PlatformLimits,
  type ReadCursor,
  retryUntilTaken,
  type SendReceipt,
} from 'svc/sdk/platform'
import type { PhoneLinking } from 'svc/sdk/sign-in'
import { isUnknownMethod, SignalApi, unauthorized } from './api.ts'
import { parsedId, toTarget } from './chat.ts'
import type { Config } from './config.ts'
import type { Envelope } from './envelope.ts'
import { readPlace } from './event-cursor.ts'
import type { Self } from './inbound.ts'
import { markup } from './markup.ts'

/** No event has this id: the daemon sends everything it stored. */
const NO_EVENT = '0'

const limits: PlatformLimits = {
  maxTextLength: 8000,
  // The time of a message, which is its id, is chosen by signal-cli; a client cannot give it.
  idempotency: 'none',
  commits: true,
  markup,
  files: 104_857_600,
  voice: ['mp3', 'opus', 'wav'],
  // People's own clients send up to 32 at once.
  album: 32,
  albumBytes: 104_857_600,
  // 60 at once to one recipient and one more a second; 50 attachments and one more in 1.2 s (github.com/signalapp/Signal-Server,
  // RateLimiters, MESSAGES and ATTACHMENT).
  rate: { chat: { count: 60, perMs: 60_000 } },
}

export interface SignalDeps {
  readonly config: Config
  readonly log: Logger
  readonly clock: () => Clock
  readonly random: () => Random
  readonly net: () => Net
  url(): string
  account(): string
}

/** A connection that is open. */
interface Open {
  readonly api: SignalApi
  readonly self: Self
  readonly link: GatewayConnection
  readonly cursor: ReadCursor
  readonly end: AbortController
}

export class SignalPlatform implements Platform {
  readonly name = 'signal'
  readonly label = 'Signal'
  readonly limits = limits
  readonly settings: Config
  readonly access = {
    users: 'SIGNAL_ALLOWED_USERS',
    chats: 'SIGNAL_GROUP_ALLOWED_USERS',
    everyone: 'SIGNAL_ALLOW_ALL_USERS',
    home: 'SIGNAL_HOME_CHANNEL',
  }
  readonly linking: PhoneLinking = {
    variable: 'SIGNAL_ACCOUNT',
    instructions: 'Signal, Settings, Linked devices',
    start: async ({ values, signal }) => {
      const url = (values['SIGNAL_HTTP_URL'] ?? this.#deps.url()).replace(/\/+$/, '')
      const { net, random } = this.#deps
      return (await import('./link.ts')).startLink(new SignalApi({ url, account: '' }, { net, random }), signal)
    },
  }
  readonly #deps: SignalDeps
  #open: Open | undefined

  constructor(deps: SignalDeps) {
    this.#deps = deps
    this.settings = deps.config
  }

  missing(): string | undefined {
    if (this.#deps.account() === '') return 'Neither platforms.signal.account nor SIGNAL_ACCOUNT is set.'
    if (!/^https?:\/\//.test(this.#deps.url())) return 'The address of the daemon must begin with http:// or https://.'
    return undefined
  }

  /** As the app makes them, Settings, "QR code or link"; an account without a number has none. */
  async contact(): Promise<string | undefined> {
    const account = this.#deps.account()
    return /^\+[1-9]\d{2,14}$/.test(account) ? `https://signal.me/#p/${account}` : undefined
  }

  account(): string | undefined {
    return this.#deps.account() || undefined
  }

  async connect(link: GatewayConnection): Promise<void> {
    const missing = this.missing()
    if (missing) throw deliveryRefused('SIGNAL_UNAUTHORIZED', missing)
    const { net, random, clock } = this.#deps
    const daemon = { url: this.#deps.url(), account: this.#deps.account() }
    const api = new SignalApi(daemon, { net, random })
    const end = new AbortController()
    const cursor = link.cursor(`${daemon.url} ${daemon.account}`)
    const open: Open = { api, self: { account: daemon.account }, link, cursor, end }
    link.signal.addEventListener('abort', () => this.#end(open), { once: true })
    await api.check(end.signal)
    await knowAccount(api, open.self, end.signal)
    const before = readPlace(cursor.get())
    const since = before?.since ?? clock().now()
    const response = await api.events(before && (before.lastId ?? NO_EVENT), end.signal)
    link.alive()
    if (!before) cursor.set(JSON.stringify({ since }))
    end.signal.throwIfAborted()
    this.#open = open
    // Without an id the daemon also sends events from before svc was connected.
    const oldest = before && before.lastId === undefined ? since : 0
    void this.#read(open, response, { since, oldest }).then(
      () => this.#lost(open, 'The daemon of signal-cli ended the stream of events.'),
      (error) => this.#lost(open, errorMessage(error)),
    )
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    const { api, self } = this.#connection()
    const { sendParams, sentId } = await import('./outbound.ts')
    const params = await sendParams(message)
    const { commit } = message
    const sent = api.call('send', params, commit ? { commit } : {})
    return { messageId: await this.#said(sent.then((answer) => sentId(answer, self.id ?? self.account))) }
  }

  async typing(chatId: string): Promise<void> {
    const { api } = this.#connection()
    await this.#said(api.call('sendTyping', toTarget(chatId)))
  }

  /** One reaction of a person takes the place of the one before (man signal-cli, "sendReaction"). */
  async react({ chatId, messageId, state, before }: MessageReaction): Promise<void> {
    const { api } = this.#connection()
    const target = parsedId(messageId)
    const shown = state ?? before
    if (!target || !shown) return
    const emoji = { working: '👀', done: '✅', failed: '❌' }[shown]
    const params = {
      emoji,
      targetAuthor: target.author,
      targetTimestamp: target.timestamp,
      remove: state === undefined,
    }
    await this.#said(api.call('sendReaction', { ...toTarget(chatId), ...params }))
  }

  async fetch(
    file: InboundFile,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    const { api } = this.#connection()
    const { fetchAttachment } = await import('./attachment.ts')
    return this.#said(fetchAttachment(api, file, options))
  }

  /** Asks for the account as well: the daemon runs on without it. */
  async probe(): Promise<boolean> {
    const open = this.#open
    if (!open) return false
    const { api, self, end } = open
    const asked = api.check(end.signal).then(() => knowAccount(api, self, end.signal))
    return this.#said(asked).then(
      () => this.#open === open,
      () => false,
    )
  }

  async close(): Promise<void> {
    if (this.#open) this.#end(this.#open)
  }

  #end(open: Open): void {
    if (this.#open === open) this.#open = undefined
    open.end.abort()
  }

  #connection(): Open {
    if (this.#open) return this.#open
    throw deliveryBusy('SIGNAL_CLOSED', 'Signal is not connected. It is tried again once it is.')
  }

  /** Passes on a response, and reports a deleted account. */
  async #said<T>(answer: Promise<T>): Promise<T> {
    const open = this.#open
    try {
      return await answer
    } catch (error) {
      if (open && errorCode(error) === 'SIGNAL_UNAUTHORIZED')
        this.#lost(open, errorMessage(error), { final: true, code: 'signal_unauthorized' })
      throw error
    }
  }

  /** The next event is read when this one is safe: the daemon keeps what waits. */
  async #read(
    open: Open,
    response: NetResponse,
    { since, oldest }: { readonly since: number; readonly oldest: number },
  ): Promise<void> {
    const [{ streamEvents }, { readEnvelope }, { toInbound }] = await Promise.all([
      import('./event-stream.ts'),
      import('./envelope.ts'),
      import('./inbound.ts'),
    ])
    const { clock, log } = this.#deps
    const { link, self, end, cursor } = open
    const insisting = { clock: clock(), log, signal: end.signal }
    const options = { noteToSelf: this.settings.note_to_self }
    for await (const { data, id } of streamEvents(response.body, () => link.alive())) {
      const envelope = readEnvelope(tryParseJson(data)?.value)
      if (!envelope) log.debug('an event of signal-cli is no envelope')
      const message = envelope && !isOlder(envelope, oldest) ? toInbound(envelope, self, options) : undefined
      if (message) await retryUntilTaken(() => link.receive(message), insisting)
      if (id !== undefined) cursor.set(JSON.stringify({ since, lastId: id }))
    }
  }

  /** Reported once, by the first cause that ends the connection. */
  #lost(open: Open, reason: string, how: { readonly final?: true; readonly code?: string } = {}): void {
    if (open.end.signal.aborted) return
    this.#end(open)
    open.link.lost(reason, how)
  }
}

function isOlder({ serverDeliveredTimestamp, timestamp }: Envelope, oldest: number): boolean {
  return (serverDeliveredTimestamp ?? timestamp ?? oldest) < oldest
}

/** Throws when the daemon has no such account. A daemon for one account does not list any. */
async function knowAccount(api: SignalApi, self: Self, signal: AbortSignal): Promise<void> {
  const accounts = await api.call('listAccounts', {}, { signal }).catch((error) => {
    if (isUnknownMethod(error)) return undefined
    throw error
  })
  if (!Array.isArray(accounts)) return
  const all = accounts as readonly { readonly number?: unknown; readonly aci?: unknown }[]
  const own = all.find(({ number, aci }) => number === self.account || aci === self.account)
  if (!own) throw unauthorized(`the daemon of signal-cli does not have ${self.account}`)
  if (typeof own.aci === 'string') self.id = own.aci
}
