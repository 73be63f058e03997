/** Home Assistant as a chat: changes at home come in, notifications go out. */
import {
  busy,
  type Clock,
  deliveryFailure,
  errorCode,
  errorMessage,
  handOver,
  type Inbound,
  type Logger,
  type Outbound,
  type Platform,
  type PlatformLimits,
  type PlatformLink,
  type PlatformSettings,
  type Receipt,
  refused,
} from 'svc/sdk'
import { type Account, type HomeApi, unreachable } from './api.ts'
import { type Change, ChangeFilter, watchesNothing, wordsOf } from './changes.ts'
import { CHAT, type Watching } from './config.ts'
import { markdown } from './markdown.ts'
import { HomeSession } from './socket.ts'

/** What it is made of. */
export interface HomeParts {
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
  readonly link: PlatformLink
  readonly waiting: Inbound[]
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
  readonly #parts: HomeParts
  readonly #filter: ChangeFilter
  #open: Open | undefined

  constructor(parts: HomeParts) {
    this.settings = parts.config
    this.#parts = parts
    this.#filter = new ChangeFilter(parts.config, () => parts.clock.monotonic())
  }

  missing(): string | undefined {
    return this.#parts.account().token ? undefined : 'Set HASS_TOKEN to a long-lived access token of Home Assistant.'
  }

  account(): string {
    const { url, token } = this.#parts.account()
    return `${url} ${token}`
  }

  async connect(link: PlatformLink): Promise<void> {
    await this.close()
    const { config, clock } = this.#parts
    if (watchesNothing(config))
      this.#parts.log.warn('No change at home reaches the agent: set watch_domains, watch_entities or watch_all.')
    const open: Open = { abort: new AbortController(), link, waiting: [] }
    const take = (change: Change | undefined) => change && this.#take(inboundOf(change, clock.now()), open)
    const session = await HomeSession.open({
      account: this.#parts.account(),
      clock,
      alive: () => link.alive(),
      event: (event) => take(this.#filter.take(event)),
      lost: (reason) => void this.#lose(reason, open),
    })
    try {
      for (const state of await this.#parts.api.states(link.signal)) take(this.#filter.missed(state))
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

  async send({ chatId, text, key }: Outbound): Promise<Receipt> {
    const open = this.#open
    if (!open) throw busy('HOMEASSISTANT_CLOSED', 'Home Assistant is not connected. The message is sent once it is.')
    if (chatId !== CHAT) throw refused('HOMEASSISTANT_CHAT', `Home Assistant has no chat "${chatId}", only ${CHAT}.`)
    if (text.length > MAX_TEXT || !text.trim())
      throw refused('HOMEASSISTANT_LENGTH', `A notification has 1 to ${MAX_TEXT} characters.`)
    const messageId = `svc_${key}`
    try {
      await this.#parts.api.notify(messageId, text)
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
  #take(message: Inbound, open: Open): void {
    const isFull = open.waiting.length >= MAX_WAITING
    if (isFull) this.#parts.log.warn(`${MAX_WAITING} changes at home wait to be taken. Dropped: ${message.text}`)
    else open.waiting.push(message)
    if (open.waiting.length === 1)
      this.#handOver(open).catch(() => {
        this.#parts.log.warn(`${open.waiting.length} changes at home were not taken before the connection ended.`)
      })
  }

  async #handOver({ waiting, link, abort: { signal } }: Open): Promise<void> {
    const { clock, log } = this.#parts
    for (let [message] = waiting; message; [message] = waiting) {
      const first = message
      await handOver(() => link.receive(first), { clock, log, signal })
      waiting.shift()
    }
  }

  /** Said once for each connection; what was refused will be refused again. */
  async #lose(reason: string, open: Open, error?: unknown): Promise<void> {
    const wasOpen = this.#open === open
    this.#end(open)
    if (!wasOpen) return
    const isFinal = error !== undefined && deliveryFailure(error).kind === 'refused'
    open.link.lost(reason, isFinal ? { final: true, code: 'homeassistant_unauthorized' } : undefined)
  }
}

function inboundOf(change: Change, now: number): Inbound {
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
    text: wordsOf(change),
    isMention: true,
    at: Number.isNaN(at) ? now : at,
  }
}
