/** DingTalk as a platform: a robot in stream mode, which needs no public address. */
import {
  type Clock,
  errorCode,
  errorMessage,
  type Logger,
  type Net,
  type Random,
  type Secrets,
  SvcError,
} from 'svc/sdk'
import {
  classifyDeliveryError,
  deliveryBusy,
  deliveryRefused,
  type GatewayConnection,
  type InboundFile,
  type OutboundMessage,
  type Platform,
  type PlatformLimits,
  type SendReceipt,
} from 'svc/sdk/platform'
import { type App, DingTalkApi } from './api.ts'
import { CARD_TOPIC, Cards, MAX_BUTTONS } from './cards.ts'
import type { Config } from './config.ts'
import { markup } from './markup.ts'
import type { Pushed, Stream } from './stream.ts'
import { Webhooks } from './webhooks.ts'

/** DingTalk counts calls of an app by the second and by the month. */
const CARD_EVERY_MS = 1500

const limits: PlatformLimits = {
  // open.dingtalk.com/document/orgapp/custom-bot-send-message-type: 20,000 bytes.
  maxTextLength: 20_000,
  measure: 'bytes',
  // Nothing in a request tells it from its repetition.
  idempotency: 'none',
  commits: true,
  markup,
  // open.dingtalk.com/document/robots/custom-robot-access: 20 messages a minute.
  rate: { chat: { count: 20, perMs: 60_000 } },
  files: 20_971_520,
  // A file is a separate message without text.
  caption: 0,
  voice: ['opus'],
  duplicateWindowMs: 300_000,
}

export interface DingTalkDeps {
  readonly config: Config
  readonly log: Logger
  readonly clock: () => Clock
  readonly random: () => Random
  readonly net: () => Net
  readonly secrets: () => Secrets
  app(): App
}

/** A connection that is open. */
interface Open {
  readonly link: GatewayConnection
  stream?: Stream
  isOver: boolean
}

export class DingTalkPlatform implements Platform {
  readonly name = 'dingtalk'
  readonly label = 'DingTalk'
  readonly limits: PlatformLimits
  /** Only cards can be edited. */
  readonly edit?: NonNullable<Platform['edit']>
  readonly settings: Config
  readonly access = {
    users: 'DINGTALK_ALLOWED_USERS',
    chats: 'DINGTALK_ALLOWED_CHATS',
    everyone: 'DINGTALK_ALLOW_ALL_USERS',
    home: 'DINGTALK_HOME_CHANNEL',
  }
  readonly #deps: DingTalkDeps
  readonly #api: DingTalkApi
  readonly #webhooks: Webhooks
  readonly #cards: Cards | undefined
  #robotCode: string | undefined
  #open: Open | undefined
  /** Messages that came and were not taken when their stream ended. */
  readonly #left: Pushed[] = []

  constructor(deps: DingTalkDeps) {
    const { config, clock } = deps
    const [baseUrl, oapiUrl] = [config.base_url, config.oapi_url].map((url) => url.replace(/\/+$/, '')) as [
      string,
      string,
    ]
    this.#deps = deps
    this.settings = config
    this.#api = new DingTalkApi({ ...deps, baseUrl, oapiUrl })
    this.#webhooks = new Webhooks(clock, [baseUrl, oapiUrl])
    const templateId = config.card_template
    this.limits = templateId ? { ...limits, buttons: MAX_BUTTONS, editEveryMs: CARD_EVERY_MS } : limits
    if (!templateId) return
    const [robotCode, uuid] = [() => this.#robot(), () => deps.random().uuid()]
    const cards = new Cards({ api: this.#api, templateId, robotCode, uuid })
    this.#cards = cards
    this.edit = async (edit) => {
      this.#connection()
      await this.#said(cards.edit(edit))
    }
  }

  missing(): string | undefined {
    const { clientId, clientSecret } = this.#deps.app()
    if (clientId === '') return 'DINGTALK_CLIENT_ID is not set.'
    return clientSecret === '' ? 'DINGTALK_CLIENT_SECRET is not set.' : undefined
  }

  account(): string | undefined {
    return this.#deps.app().clientId || undefined
  }

  async connect(link: GatewayConnection): Promise<void> {
    const missing = this.missing()
    if (missing) throw deliveryRefused('DINGTALK_UNAUTHORIZED', missing)
    const open: Open = { link, isOver: false }
    link.signal.addEventListener('abort', () => this.#end(open), { once: true })
    const { MESSAGE_TOPIC, Stream } = await import('./stream.ts')
    const topics = this.#cards ? [MESSAGE_TOPIC, CARD_TOPIC] : [MESSAGE_TOPIC]
    const { endpoint, ticket } = await this.#api.openStream(topics)
    link.alive()
    const host = {
      clock: this.#deps.clock(),
      log: this.#deps.log,
      alive: () => link.alive(),
      lost: (reason: string) => this.#lost(open, reason),
      left: () => this.#left.splice(0),
      topics,
      take: (pushed: Pushed) => this.#take(open, pushed),
    }
    open.stream = await Stream.open(`${endpoint}?ticket=${encodeURIComponent(ticket)}`, host)
    if (open.isOver) {
      this.#leave(open)
      throw new SvcError('DINGTALK_CLOSED', 'DingTalk was closed while it was connecting.')
    }
    this.#open = open
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    this.#connection()
    const card = await this.#sendCard(message)
    if (card !== undefined) return { messageId: card }
    const { send } = await import('./sender.ts')
    const [api, webhooks, robotCode] = [this.#api, this.#webhooks, this.#robot()]
    const id = await this.#said(send(message, { api, webhooks, robotCode }))
    // A response at the address of a chat does not confirm the message.
    return { messageId: id ?? this.#deps.random().uuid() }
  }

  /** Undefined if the message needs no card or DingTalk refused the card; it is sent as text then. */
  async #sendCard(message: OutboundMessage): Promise<string | undefined> {
    const { text, buttons = [], files = [] } = message
    const isOne = files.length === 0 && text.trim() !== '' && (buttons.length > 0 || this.settings.streaming)
    if (!this.#cards || !isOne) return undefined
    try {
      return await this.#said(this.#cards.send(message))
    } catch (error) {
      if (classifyDeliveryError(error).kind !== 'refused' || errorCode(error) === 'DINGTALK_UNAUTHORIZED') throw error
      this.#deps.log.warn('DingTalk refused a card; the message is sent as text', { error })
      return undefined
    }
  }

  async fetch(
    file: InboundFile,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    this.#connection()
    const { download } = await import('./download.ts')
    return this.#said(download(this.#api, this.#robot(), file, options))
  }

  async probe(): Promise<boolean> {
    return (await this.#open?.stream?.ping()) ?? false
  }

  async close(): Promise<void> {
    if (this.#open) this.#end(this.#open)
  }

  #robot(): string {
    return this.settings.robot_code || this.#robotCode || this.#deps.app().clientId
  }

  #end(open: Open): void {
    open.isOver = true
    if (this.#open === open) this.#open = undefined
    this.#leave(open)
  }

  #leave({ stream }: Open): void {
    if (stream) this.#left.push(...stream.leave())
  }

  #connection(): void {
    if (!this.#open) throw deliveryBusy('DINGTALK_CLOSED', 'DingTalk is not connected. It is tried again once it is.')
  }

  /** Passes on a response, and reports a deleted app. */
  async #said<T>(answer: Promise<T>): Promise<T> {
    const open = this.#open
    try {
      return await answer
    } catch (error) {
      if (open && errorCode(error) === 'DINGTALK_UNAUTHORIZED')
        this.#lost(open, errorMessage(error), { final: true, code: 'dingtalk_unauthorized' })
      throw error
    }
  }

  async #take({ link }: Open, { topic, id, data }: Pushed): Promise<void> {
    if (topic === CARD_TOPIC) {
      const press = this.#cards?.readPress(data, id)
      if (press) await link.receive(press)
      return
    }
    const { readBotMessage, toInbound, findChatId } = await import('./inbound.ts')
    const said = readBotMessage(data)
    if (!said) {
      this.#deps.log.warn('a message of DingTalk cannot be read')
      return
    }
    const message = toInbound(said)
    this.#robotCode = said.robotCode ?? this.#robotCode
    const { sessionWebhook: url, sessionWebhookExpiredTime: until } = said
    if (url && until !== undefined && !this.#webhooks.keep(findChatId(said) ?? '', url, until))
      this.#deps.log.warn('a message came with an address that is not of DingTalk; it is not answered there')
    if (message) await link.receive(message)
  }

  /** Reported once, by the first cause that ends the connection. */
  #lost(open: Open, reason: string, how: { readonly final?: true; readonly code?: string } = {}): void {
    if (open.isOver) return
    this.#end(open)
    open.link.lost(reason, how)
  }
}
