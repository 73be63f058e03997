/** A connected bot: events in, messages out. Imported when a platform connects. */
import { createHash } from 'node:crypto'
import { type Clock, errorMessage, type Logger, type Net, type Random } from 'svc/sdk'
import type { CommandMenuEntry } from 'svc/sdk/host'
import { encodeMultipartForm } from 'svc/sdk/media'
import {
  classifyDeliveryError,
  deliveryBusy,
  deliveryRefused,
  deliveryThreadGone,
  type GatewayConnection,
  type InboundFile,
  type InboundMessage,
  type MessageReaction,
  type OutboundFile,
  type OutboundMessage,
  type OutboundMessageEdit,
  type OverheardMessage,
  type ReactionState,
  readWithLimit,
  type SendReceipt,
} from 'svc/sdk/platform'
import { z } from 'zod'
import { type ApiRequest, DiscordApi, UNAUTHORIZED } from './api.ts'
import { ChannelDirectory } from './channel-directory.ts'
import { registerCommands } from './commands.ts'
import { createRows } from './components.ts'
import type { Config } from './config.ts'
import { parseMessage, toOverheard } from './inbound.ts'
import { Intake } from './intake.ts'
import { Progress } from './read-positions.ts'
import { openSession, type Session } from './session.ts'
import { Threads } from './threads.ts'
import { describeVoice, IS_VOICE_MESSAGE, isOnlyVoiceRefused, toVoiceFile, type VoiceFacts } from './voice-message.ts'

export interface DiscordDeps {
  readonly config: Config
  readonly clock: Clock
  readonly net: Net
  readonly random: Random
  readonly log: Logger
  token(): string | undefined
}

const identity = z.object({ id: z.string() })
const gatewayPlace = z.object({
  url: z.string(),
  session_start_limit: z.object({ remaining: z.number(), reset_after: z.number() }).optional(),
})
const sent = z.object({ id: z.string() })

/** Discord notifies about these unless disabled. */
const NO_PINGS = { parse: [] }
/** Discord would fetch links for previews (discord.com/developers/docs/resources/message#message-object-message-flags). */
const SUPPRESS_EMBEDS = 4

/** A bot that is connected. */
export class Connection {
  readonly #deps: DiscordDeps
  readonly #link: GatewayConnection
  readonly #api: DiscordApi
  readonly #signal: AbortSignal
  readonly #threads: Threads
  #me = ''
  #applicationId: string | undefined
  #session: Session | undefined
  #isLost = false

  /** Aborting `signal` ends it. */
  constructor(deps: DiscordDeps, link: GatewayConnection, signal: AbortSignal) {
    this.#deps = deps
    this.#link = link
    this.#signal = signal
    const { net, clock, config } = deps
    const refusedToken = (reason: string) => this.#lost(reason, { final: true, code: 'discord_unauthorized' })
    const token = deps.token()
    if (token === undefined) throw deliveryRefused('DISCORD_UNAUTHORIZED', UNAUTHORIZED)
    this.#api = new DiscordApi({ net, clock, url: config.api_url, token, signal, refusedToken })
    this.#threads = new Threads(this.#api, config)
  }

  /** Resolves when events flow. */
  async open(): Promise<void> {
    const { config, clock, random, log } = this.#deps
    const me = await this.#api.ask({ method: 'GET', path: '/users/@me', what: 'say who the bot is' }, identity)
    this.#me = me.id
    const progress = new Progress(this.#link.cursor(me.id))
    this.#threads.restore(this.#link.cursor(`${me.id} threads`))
    const url = config.gateway_url || progress.session?.url || (await this.#gatewayUrl(progress))
    const reader = { me: me.id, places: new ChannelDirectory(this.#api, me.id) }
    const common = { clock, progress, signal: this.#signal }
    const intake = new Intake({ ...common, api: this.#api, log, link: this.#link, reader, threads: this.#threads })
    // What a session brings once more is behind it.
    if (progress.session && progress.isBehind) intake.catchUp()
    const opened = openSession({
      ...{ ...common, random, url, token: this.#deps.token() ?? '' },
      begun: () => intake.catchUp(),
      event: (event) => intake.take(event),
      alive: () => this.#link.alive(),
      lost: (reason, options) => this.#lost(reason, options),
    })
    this.#session = await opened.catch((error: unknown) => {
      progress.forgetAddress()
      throw error
    })
    this.#applicationId = progress.session?.application
  }

  /** Does nothing where the commands are not to be in the menu. */
  async showCommands(entries: readonly CommandMenuEntry[]): Promise<void> {
    if (this.#deps.config.slash_commands && this.#applicationId !== undefined)
      await registerCommands(this.#api, this.#applicationId, entries)
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    const { chatId, threadId, text, key, replyTo, buttons = [], files = [] } = message
    const target = await this.#resolveTarget(chatId, threadId)
    const json = {
      content: text,
      nonce: createNonce(target, key),
      enforce_nonce: true,
      allowed_mentions: NO_PINGS,
      flags: SUPPRESS_EMBEDS,
      ...(buttons.length > 0 && { components: createRows(buttons) }),
      // A message that was deleted in the meantime is still answered.
      ...(replyTo !== undefined &&
        replyTo !== threadId && { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
    }
    const path = `/channels/${target}/messages`
    return (await this.#sendVoice(path, message, json)) ?? this.#post(path, json, files)
  }

  /** Undefined where it has to be sent as a file. */
  async #sendVoice(path: string, message: OutboundMessage, json: object): Promise<SendReceipt | undefined> {
    const facts = await describeVoice(message)
    if (!facts) return undefined
    const { content: _, ...rest } = json as { readonly content: string }
    const files = (message.files ?? []).map(toVoiceFile)
    try {
      return await this.#post(path, { ...rest, flags: SUPPRESS_EMBEDS | IS_VOICE_MESSAGE }, files, facts)
    } catch (error) {
      if (!isOnlyVoiceRefused(error)) throw error
      this.#deps.log.info('Discord takes no voice message there; the speech is sent as a file', { error })
      return undefined
    }
  }

  async #post(path: string, json: object, files: readonly OutboundFile[], facts?: VoiceFacts): Promise<SendReceipt> {
    const request = { method: 'POST', path, what: 'take the message' } as const
    const body = files.length > 0 ? { ...(await this.#form(json, files, facts)), timeoutMs: 300_000 } : { json }
    return { messageId: (await this.#ask({ ...request, ...body })).id }
  }

  async edit({ chatId, threadId, messageId, text, buttons = [] }: OutboundMessageEdit): Promise<void> {
    const path = `/channels/${threadId ?? chatId}/messages/${messageId}`
    const json = {
      content: text,
      allowed_mentions: NO_PINGS,
      flags: SUPPRESS_EMBEDS,
      components: createRows(buttons),
    }
    await this.#ask({ method: 'PATCH', path, json, what: 'change the message' })
  }

  async typing(chatId: string, threadId?: string): Promise<void> {
    const path = `/channels/${await this.#resolveTarget(chatId, threadId)}/typing`
    await this.#api.tell({ method: 'POST', path, what: 'show that an answer is written' })
  }

  /** Reactions stand side by side, so the one before is taken away (.../resources/message, "Create Reaction"). */
  async react({ chatId, threadId, messageId, state, before }: MessageReaction): Promise<void> {
    // The message that begins a thread is in the channel.
    const target = threadId === undefined || threadId === messageId ? chatId : threadId
    const path = `/channels/${target}/messages/${messageId}/reactions`
    const of = (each: ReactionState) => `${path}/${encodeURIComponent(EMOJI[each])}/@me`
    const what = 'mark a message'
    if (state) await this.#api.tell({ method: 'PUT', path: of(state), what })
    if (before) await this.#api.tell({ method: 'DELETE', path: of(before), what })
  }

  /** The address needs no authentication: the token is not sent along. */
  async fetch({ ref, name }: InboundFile, options: { maxBytes: number; signal: AbortSignal }): Promise<Uint8Array> {
    const signal = AbortSignal.any([this.#signal, options.signal])
    const response = await this.#deps.net.request({ url: ref, signal, timeoutMs: 60_000, idleMs: 60_000 })
    if (response.status !== 200) {
      response.close()
      throw deliveryRefused('DISCORD_FAILED', `Discord does not give the file ${name}: HTTP ${response.status}.`)
    }
    return readWithLimit(response.body, { name, maxBytes: options.maxBytes })
  }

  /** "Get Channel Messages", those before the message, up to the bot's own. */
  async earlier(
    { chatId, threadId, messageId }: InboundMessage,
    { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly OverheardMessage[]> {
    const target = threadId === undefined || threadId === messageId ? chatId : threadId
    const path = `/channels/${target}/messages?before=${messageId}&limit=${limit}`
    const page = await this.#api.ask({ method: 'GET', path, what: 'list messages', signal }, z.array(z.unknown()))
    const found: OverheardMessage[] = []
    for (const each of page) {
      const said = parseMessage(each)
      if (said.author.id === this.#me) break
      if (!said.author.bot && said.content.trim()) found.push(toOverheard(said))
    }
    return found.reverse()
  }

  /** The thread of an answer is made when it is needed; where it cannot be, the channel takes the answer. */
  async #resolveTarget(chatId: string, threadId: string | undefined): Promise<string> {
    if (threadId === undefined) return chatId
    try {
      await this.#threads.make(chatId, threadId)
      return threadId
    } catch (cause) {
      if (classifyDeliveryError(cause).kind !== 'refused') throw cause
      throw deliveryThreadGone('DISCORD_FAILED', `No thread can be begun there: ${errorMessage(cause)}`, cause)
    }
  }

  async probe(): Promise<boolean> {
    if (!this.#session?.isOpen()) return false
    await this.#api.ask({ method: 'GET', path: '/users/@me', what: 'say who the bot is', timeoutMs: 10_000 }, identity)
    return true
  }

  #ask(request: ApiRequest): Promise<z.infer<typeof sent>> {
    return this.#api.ask(request, sent)
  }

  async #gatewayUrl({ session }: Progress): Promise<string> {
    const what = 'say where its gateway is'
    const said = await this.#api.ask({ method: 'GET', path: '/gateway/bot', what }, gatewayPlace)
    const limit = said.session_start_limit
    if (limit && limit.remaining <= 0 && !session) {
      const reason =
        'Discord allows no more sessions of this bot for now. Look for another program that uses its token.'
      throw deliveryBusy('DISCORD_GATEWAY', reason, { retryAfterMs: limit.reset_after })
    }
    return said.url
  }

  async #form(json: object, files: readonly OutboundFile[], facts?: VoiceFacts): Promise<Pick<ApiRequest, 'form'>> {
    const attachments = files.map(({ name }, id) => ({ id, filename: name, ...facts }))
    const fields = { payload_json: JSON.stringify({ ...json, attachments }) }
    const parts = files.map(async ({ name, mediaType, bytes }, at) => {
      return { field: `files[${at}]`, name, mediaType, bytes: await bytes() }
    })
    return { form: encodeMultipartForm(fields, await Promise.all(parts), this.#deps.random.hex(24)) }
  }

  #lost(reason: string, options?: { readonly final?: boolean; readonly code?: string }): void {
    if (this.#isLost || this.#signal.aborted) return
    this.#isLost = true
    this.#link.lost(reason, options)
  }
}

const EMOJI: Readonly<Record<ReactionState, string>> = { working: '👀', done: '✅', failed: '❌' }

/** At most 25 characters (.../resources/message, "Create Message"); the same for a message that is tried again. */
function createNonce(target: string, key: string): string {
  return createHash('sha256').update(`${target}\n${key}`).digest('base64url').slice(0, 24)
}
