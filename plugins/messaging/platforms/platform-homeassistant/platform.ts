/** Home Assistant as a chat: changes at home come in, notifications go out. */
import { type Clock, errorCode, errorMessage, type Logger } from 'svc/sdk'
import {
  classifyDeliveryError,
  deliveryBusy,
  deliveryRefused,
  type GatewayConnection,
  type InboundMessage,
  type OutboundMessage,
  type Platform,
  type PlatformLimits,
  type PlatformSettings,
  retryUntilTaken,
  type SendReceipt,
} from 'svc/sdk/platform'
import { type Account, type HomeApi, unreachable } from './api.ts'
import { type Change, ChangeFilter, formatChange, watchesNothing } from './changes.ts'
import { CHAT, type Watching } from './config.ts'
import { markdown } from './markdown.ts'
import { HomeSession } from './socket.ts'

export interface HomeDeps {
  readonly config: PlatformSettings & Watching
  readonly api: HomeApi
  readonly clock: Pick<Clock, 'after' | 'sleep' | 'now' | 'monotonic'>
  account(): Account
  readonly log: Pick<Logger, 'warn'>
}

const MAX_TEXT = 4096
/** Changes that wait to be taken; nothing keeps them at home meanwhile. */
const MAX_WAITING = 1000

interface Open {
  readonly abort: AbortController
  readonly link: GatewayConnection
  readonly waiting: InboundMessage[]
  session?: HomeSession
}

export class HomeAssistant implements Platform {
  readonly name = 'homeassistant'
  readonly label = 'Home Assistant'
  readonly hint = 'Answers are shown as notifications in Home Assistant: write one or two sentences.'
  readonly isEvents = true
  /** A notification with an id that is there takes its place, so the key of a message is its id. */
  readonly limits: PlatformLimits = { maxTextLength: MAX_TEXT, idempotency: 'key', markup: markdown }
  readonly settings: PlatformSettings
  readonly #deps: HomeDeps
  readonly #filter: ChangeFilter
  #open: Open | undefined

  constructor(deps: HomeDeps) {
    this.settings = deps.config
    this.#deps = deps
    this.#filter = new ChangeFilter(deps.config, () => deps.clock.monotonic())
  }

  missing(): string | undefined {
    return this.#deps.account().token ? undefined : 'Set HASS_TOKEN to a long-lived access token of Home Assistant.'
  }

  account(): string {
    const { url, token } = this.#deps.account()
    return `${url} ${token}`
  }

  async connect(link: GatewayConnection): Promise<void> {
    await this.close()
    const { config, clock } = this.#deps
    if (watchesNothing(config))
      this.#deps.log.warn('No change at home reaches the agent: set watch_domains, watch_entities or watch_all.')
    const open: Open = { abort: new AbortController(), link, waiting: [] }
    const take = (change: Change | undefined) => change && this.#take(toInbound(change, clock.now()), open)
    const session = await HomeSession.open({
      account: this.#deps.account(),
      clock,
      alive: () => link.alive(),
      event: (event) => take(this.#filter.take(event)),
      lost: (reason) => void this.#lose(reason, open),
    })
    try {
      for (const state of await this.#deps.api.states(link.signal)) take(this.#filter.missed(state))
      link.signal.throwIfAborted()
      if (open.abort.signal.aborted) throw unreachable('Home Assistant closed the connection.')
    } catch (error) {
      open.abort.abort()
      session.close()
      throw error
    }
    open.session = session
    this.#open = open
    link.signal.addEventListener('abort', () => void this.close(), { once: true, signal: open.abort.signal })
  }

  async send({ chatId, text, key }: OutboundMessage): Promise<SendReceipt> {
    const open = this.#open
    if (!open)
      throw deliveryBusy('HOMEASSISTANT_CLOSED', 'Home Assistant is not connected. The message is sent once it is.')
    if (chatId !== CHAT)
      throw deliveryRefused('HOMEASSISTANT_CHAT', `Home Assistant has no chat "${chatId}", only ${CHAT}.`)
    if (text.length > MAX_TEXT || !text.trim())
      throw deliveryRefused('HOMEASSISTANT_LENGTH', `A notification has 1 to ${MAX_TEXT} characters.`)
    const messageId = `svc_${key}`
    try {
      await this.#deps.api.notify(messageId, text)
    } catch (error) {
      if (errorCode(error) === 'HOMEASSISTANT_UNAUTHORIZED') await this.#lose(errorMessage(error), open, error)
      throw error
    }
    return { messageId }
  }

  async probe(): Promise<boolean> {
    const open = this.#open
    return open !== undefined && (await open.session?.ping()) === true && this.#open === open
  }

  async close(): Promise<void> {
    this.#end(this.#open)
  }

  #end(open: Open | undefined): void {
    if (this.#open === open) this.#open = undefined
    open?.abort.abort()
    open?.session?.close()
  }

  /** In order; the newest give way to those that wait already. */
  #take(message: InboundMessage, open: Open): void {
    const isFull = open.waiting.length >= MAX_WAITING
    if (isFull) this.#deps.log.warn(`${MAX_WAITING} changes at home wait to be taken. Dropped: ${message.text}`)
    else open.waiting.push(message)
    if (open.waiting.length === 1)
      this.#handOver(open).catch(() => {
        this.#deps.log.warn(`${open.waiting.length} changes at home were not taken before the connection ended.`)
      })
  }

  async #handOver({ waiting, link, abort: { signal } }: Open): Promise<void> {
    const { clock, log } = this.#deps
    for (let [message] = waiting; message; [message] = waiting) {
      const first = message
      await retryUntilTaken(() => link.receive(first), { clock, log, signal })
      waiting.shift()
    }
  }

  /** Said once for each connection; what was refused will be refused again. */
  async #lose(reason: string, open: Open, error?: unknown): Promise<void> {
    const wasOpen = this.#open === open
    this.#end(open)
    if (!wasOpen) return
    const isFinal = error !== undefined && classifyDeliveryError(error).kind === 'refused'
    open.link.lost(reason, isFinal ? { final: true, code: 'homeassistant_unauthorized' } : undefined)
  }
}

function toInbound(change: Change, now: number): InboundMessage {
  const { id, now: state } = change
  const at = Date.parse(state.last_changed)
  return {
    platform: 'homeassistant',
    chatId: CHAT,
    chatKind: 'channel',
    chatName: 'Home Assistant',
    userId: 'homeassistant',
    userName: 'Home Assistant',
    messageId: `${id}@${state.last_updated || state.last_changed || now}`,
    text: formatChange(change),
    isMention: true,
    at: Number.isNaN(at) ? now : at,
  }
}
