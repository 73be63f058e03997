/** A connected app: events in, messages out. Imported when a platform connects. */
import { type Clock, errorMessage, type Logger, type Net } from 'svc/sdk'
import {
  deliveryRefused,
  type GatewayConnection,
  type InboundFile,
  type InboundMessage,
  type MessageReaction,
  type OutboundMessage,
  type OutboundMessageEdit,
  type OverheardMessage,
  type PrivateNotice,
  type ReactionState,
  readWithLimit,
  type SendReceipt,
} from 'svc/sdk/platform'
import type { Storage } from 'svc/sdk/storage'
import type { Http, MountedApp } from 'svc/sdk/web'
import { z } from 'zod'
import { type Arguments, SlackApi, unauthorized } from './api.ts'
import { Assistant } from './assistant.ts'
import type { Config } from './config.ts'
import { mountEvents } from './events.ts'
import { findFiles, postFiles } from './files.ts'
import { fetchEarlier } from './history.ts'
import { Intake } from './intake.ts'
import { escapeText } from './markup.ts'
import { createActions, createMetadata, findSent } from './outbound.ts'
import { People } from './people.ts'
import { ServedChats } from './served-chats.ts'
import { openSocketMode, type SocketMode } from './socket-mode.ts'
import { NO_UNFURL } from './unfurling.ts'

export interface SlackDeps {
  readonly config: Config
  readonly clock: Clock
  readonly net: Net
  readonly log: Logger
  http(): Http
  storage(): Storage
  /** Where requests are remembered that were taken over HTTP. */
  readonly takenFile: string
  /** Whether svc has a slash command of exactly this name. */
  isCommand(name: string): boolean
  secret(name: 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN' | 'SLACK_SIGNING_SECRET'): string | undefined
}

const identity = z.object({ user_id: z.string(), bot_id: z.string().optional(), team_id: z.string().optional() })
const posted = z.object({ ts: z.string() })
const anything = z.unknown()
const STATUS = 'is thinking…'
const EMOJI: Readonly<Record<ReactionState, string>> = { working: 'eyes', done: 'white_check_mark', failed: 'x' }

/** An app that is connected. */
export class Connection {
  readonly #deps: SlackDeps
  readonly #link: GatewayConnection
  readonly #signal: AbortSignal
  readonly #bot: SlackApi
  /** Kept by the platform: files have no place for a key. */
  readonly #people: People
  #socket: SocketMode | undefined
  #app: MountedApp | undefined
  #me = ''
  #isLost = false
  #hasNoStatus = false

  /** Aborting `signal` ends it. */
  constructor(deps: SlackDeps, link: GatewayConnection, signal: AbortSignal) {
    this.#deps = deps
    this.#link = link
    this.#signal = signal
    this.#bot = this.#api('SLACK_BOT_TOKEN')
    this.#people = new People(this.#bot)
  }

  /** Resolves when events flow. */
  async open(): Promise<void> {
    const { config, clock, log, isCommand } = this.#deps
    const me = await this.#bot.call('auth.test', {}, identity)
    this.#me = me.user_id
    const common = { api: this.#bot, log, signal: this.#signal }
    const intake = new Intake({
      ...{ ...common, clock, link: this.#link, people: this.#people },
      assistant: new Assistant({ ...common, prompts: config.suggested_prompts }),
      reader: { userId: me.user_id, botId: me.bot_id, replyInThread: config.reply_in_thread, isCommand },
      served: new ServedChats(this.#link.cursor(`${me.team_id ?? ''} ${me.user_id}`)),
      teamId: me.team_id,
      notify: (notice) => {
        this.notify(notice).catch((error: unknown) =>
          log.warn(`A note was not shown: ${errorMessage(error)}`, { error }),
        )
      },
    })
    const opened = config.mode === 'events' ? this.#openHttp(intake) : this.#openSocket(intake)
    intake.catchUp(opened)
    await opened
  }

  async #openHttp(intake: Intake): Promise<void> {
    const { config, clock, http, secret, storage, takenFile: file } = this.#deps
    const signing = secret('SLACK_SIGNING_SECRET')
    if (signing === undefined) throw deliveryRefused('SLACK_HTTP', 'The mode events needs SLACK_SIGNING_SECRET.')
    this.#app = await mountEvents({
      ...{ clock, config, secret: signing, http: http(), storage, file },
      take: (type, payload) => intake.take(type, payload),
      alive: () => this.#link.alive(),
    })
  }

  async #openSocket(intake: Intake): Promise<void> {
    const app = this.#api('SLACK_APP_TOKEN')
    const place = z.object({ url: z.string() })
    this.#socket = await openSocketMode({
      ...{ clock: this.#deps.clock, signal: this.#signal },
      address: async () => (await app.call('apps.connections.open', {}, place)).url,
      take: (type, payload) => intake.take(type, payload),
      alive: () => this.#link.alive(),
      lost: (reason, options) => this.#lost(reason, options),
    })
  }

  /** After `signal` was aborted: resolves when nothing listens any more. */
  async close(): Promise<void> {
    const app = this.#app
    this.#app = undefined
    await app?.close()
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    const { chatId, threadId, text, key, buttons = [], files = [], commit } = message
    const place = { channel: chatId, thread_ts: threadId }
    if (files.length > 0) return postFiles(this.#bot, { message, files })
    const form: Arguments = {
      ...{ ...place, ...NO_UNFURL, text, mrkdwn: true, metadata: createMetadata(key) },
      ...(buttons.length > 0 && { attachments: createActions(buttons) }),
    }
    const { ts } = await this.#bot.call('chat.postMessage', form, posted, { commit })
    return { messageId: ts, at: Math.floor(Number(ts) * 1000) }
  }

  async find(message: OutboundMessage): Promise<SendReceipt | undefined> {
    return (message.files ?? []).length > 0 ? findFiles(this.#bot, message) : findSent(this.#bot, message)
  }

  async edit({ chatId, messageId, text, buttons = [] }: OutboundMessageEdit): Promise<void> {
    const form = { channel: chatId, ts: messageId, ...NO_UNFURL, text, attachments: createActions(buttons) }
    await this.#bot.call('chat.update', form, posted)
  }

  /** It disappears when the person reloads Slack (docs.slack.dev/reference/methods/chat.postEphemeral). */
  async notify({ chatId, threadId, userId, text }: PrivateNotice): Promise<void> {
    const form = { channel: chatId, user: userId, thread_ts: threadId, text: escapeText(text) }
    await this.#bot.call('chat.postEphemeral', form, anything)
  }

  /**
   * The status of an assistant's thread, which goes with the next message (docs.slack.dev/reference/methods/assistant.threads.setStatus).
   * An app without that feature is asked no more.
   */
  async typing(chatId: string, threadId?: string): Promise<void> {
    if (threadId === undefined || this.#hasNoStatus) return
    const form = { channel_id: chatId, thread_ts: threadId, status: STATUS }
    const lacking = () => {
      this.#hasNoStatus = true
    }
    await this.#bot.call('assistant.threads.setStatus', form, anything, { lacking })
  }

  /** Reactions stand side by side, so the one before is taken away (docs.slack.dev/reference/methods/reactions.add). */
  async react({ chatId, messageId, state, before }: MessageReaction): Promise<void> {
    const form = { channel: chatId, timestamp: messageId }
    const [add, remove] = [{ fine: ['already_reacted'] }, { fine: ['no_reaction'] }]
    if (state) await this.#bot.call('reactions.add', { ...form, name: EMOJI[state] }, anything, add)
    if (before) await this.#bot.call('reactions.remove', { ...form, name: EMOJI[before] }, anything, remove)
  }

  async fetch(file: InboundFile, options: { maxBytes: number; signal: AbortSignal }): Promise<Uint8Array> {
    const { maxBytes, signal } = options
    if (!isSlacks(file.ref, this.#deps.config.api_url)) {
      throw deliveryRefused(
        'SLACK_FAILED',
        `The file ${file.name} is not kept by Slack, so the token is not sent for it.`,
      )
    }
    const response = await this.#bot.file(file.ref, signal)
    const isPage = response.headers['content-type']?.startsWith('text/html') && !file.mediaType?.startsWith('text/html')
    if (response.status !== 200 || isPage) {
      response.close()
      const why = isPage ? 'the app needs the scope files:read' : `HTTP ${response.status}`
      throw deliveryRefused('SLACK_FAILED', `Slack does not give the file ${file.name}: ${why}.`)
    }
    return readWithLimit(response.body, { name: file.name, maxBytes })
  }

  async earlier(
    message: InboundMessage,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly OverheardMessage[]> {
    return fetchEarlier({ api: this.#bot, people: this.#people, me: this.#me }, message, options)
  }

  async probe(): Promise<boolean> {
    if (this.#deps.config.mode === 'socket' && !this.#socket?.isOpen) return false
    await this.#bot.call('auth.test', {}, identity)
    return true
  }

  #api(variable: 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN'): SlackApi {
    const { net, config, secret } = this.#deps
    const token = secret(variable)
    if (token === undefined) throw deliveryRefused('SLACK_UNAUTHORIZED', unauthorized('it is not set', variable))
    const refusedToken = (reason: string) => this.#lost(reason, { final: true, code: 'slack_unauthorized' })
    return new SlackApi({ net, url: config.api_url, signal: this.#signal, refusedToken }, token, variable)
  }

  #lost(reason: string, options?: { readonly final?: boolean; readonly code?: string }): void {
    if (this.#isLost || this.#signal.aborted) return
    this.#isLost = true
    this.#link.lost(reason, options)
  }
}

/** The token is sent only to Slack, not to hosts that imitate it. */
function isSlacks(ref: string, apiUrl: string): boolean {
  if (!URL.canParse(ref)) return false
  const { protocol, hostname, origin } = new URL(ref)
  return (protocol === 'https:' && hostname.endsWith('.slack.com')) || origin === new URL(apiUrl).origin
}
