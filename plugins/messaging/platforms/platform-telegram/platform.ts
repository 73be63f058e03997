/** A bot of Telegram: messages are asked for or brought to a webhook, and sent through the Bot API. */
import { type Clock, errorCode, errorMessage, type Logger, type Net, type Random, SvcError } from 'svc/sdk'
import type { CommandMenuEntry } from 'svc/sdk/host'
import {
  classifyDeliveryError,
  deliveryBusy,
  fileTooLargeError,
  type GatewayConnection,
  type InboundFile,
  type MessageReaction,
  type OutboundMessage,
  type OutboundMessageEdit,
  type Platform,
  type PlatformLimits,
  type PlatformSettings,
  readWithLimit,
  type SendReceipt,
} from 'svc/sdk/platform'
import type { Http } from 'svc/sdk/web'
import { type Account, TelegramApi, TOKEN } from './api.ts'
import { EditMemory } from './edits.ts'
import { readFailure, strange, unauthorized } from './failures.ts'
import { html } from './html.ts'
import { readLocalFile } from './local-files.ts'
import { createKeyboard, MAX_BYTES, MAX_CAPTION, MAX_TEXT, toChatParams } from './outgoing.ts'
import { createReaction } from './reactions.ts'
import { Reader } from './reader.ts'
import { Sender, type SendingStyle } from './sender.ts'
import type { Topics } from './topics.ts'
import { type Self, self, storedFile } from './updates.ts'
import { Webhook, type WebhookAddress } from './webhook.ts'

/** Bots may read 20 MB (https://core.telegram.org/bots/api#getfile). */
const MAX_READ_BYTES = 20_000_000

export interface TelegramDeps {
  readonly settings: PlatformSettings
  account(): Account
  /** Where a server with `--local` stores files. */
  readonly localFolder: string | undefined
  readonly editMinutes: number
  readonly style: SendingStyle
  topics(): Topics
  /** Its `url` is empty where Telegram is asked for messages. */
  door(): WebhookAddress
  http(): Http
  readonly net: Net
  readonly random: Pick<Random, 'hex'>
  readonly clock: Pick<Clock, 'sleep' | 'monotonic'>
  readonly log: Pick<Logger, 'warn'>
}

/** While it is connected. */
interface Open {
  readonly abort: AbortController
  readonly link: GatewayConnection
  readonly webhook?: Webhook
}

export class Telegram implements Platform {
  readonly name = 'telegram'
  readonly label = 'Telegram'
  /**
   * A message a second in a chat and 30 in all (https://core.telegram.org/bots/faq, "My bot is hitting limits"); in groups
   * 20 a minute, which Telegram enforces itself by telling how long to wait. The 30 are spread over the second, and a few
   * are left out: they do not arrive as regularly as they leave.
   */
  readonly limits: PlatformLimits = {
    maxTextLength: MAX_TEXT,
    measure: 'utf16',
    idempotency: 'none',
    commits: true,
    markup: html,
    rate: { chat: { count: 1, perMs: 1000 }, all: { count: 3, perMs: 120 } },
    editEveryMs: 1000,
    buttons: 24,
    notices: true,
    files: MAX_BYTES,
    voice: ['opus', 'mp3'],
    caption: MAX_CAPTION,
    // https://core.telegram.org/bots/api#sendmediagroup
    album: 10,
    albumKinds: [['image', 'video'], ['audio'], ['document']],
  }
  readonly access = {
    users: 'TELEGRAM_ALLOWED_USERS',
    chats: 'TELEGRAM_ALLOWED_CHATS',
    everyone: 'TELEGRAM_ALLOW_ALL_USERS',
    home: 'TELEGRAM_HOME_CHANNEL',
  }
  readonly settings: PlatformSettings
  readonly commandMenu: NonNullable<Platform['commandMenu']> = {
    // https://core.telegram.org/bots/api#botcommand
    limits: { count: 100, nameLength: 32, descriptionLength: 256, hyphens: false },
    show: (entries, signal) => this.#showMenu(entries, signal),
  }
  readonly #deps: TelegramDeps
  readonly #api: TelegramApi
  readonly #reader: Reader
  readonly #sender: Sender
  readonly #edits: EditMemory = new EditMemory()
  #open: Open | undefined

  constructor(deps: TelegramDeps) {
    this.settings = deps.settings
    this.#deps = deps
    this.#api = new TelegramApi(deps.net, deps.random, deps.account)
    this.#reader = new Reader(this.#api, deps.clock, deps.log)
    this.#sender = new Sender(this.#api, deps.style)
  }

  missing(): string | undefined {
    const { account, localFolder } = this.#deps
    if (localFolder !== undefined && /^https:\/\/api\.telegram\.org$/i.test(account().baseUrl))
      return 'local_mode is for a Bot API server of your own: set platforms.telegram.base_url to its address.'
    return account().token ? undefined : 'Set TELEGRAM_BOT_TOKEN to the token of a bot from @BotFather.'
  }

  /** core.telegram.org/api/links#public-username-links; one `getMe`, which changes nothing. */
  async contact(signal: AbortSignal = new AbortController().signal): Promise<string | undefined> {
    if (!TOKEN.test(this.#deps.account().token)) throw unauthorized()
    const { username } = await this.#self(signal)
    return username ? `https://t.me/${username}` : undefined
  }

  account(): string {
    return this.#deps.account().token
  }

  async connect(link: GatewayConnection): Promise<void> {
    await this.close()
    link.signal.throwIfAborted()
    if (!TOKEN.test(this.#deps.account().token)) throw unauthorized()
    const abort = new AbortController()
    link.signal.addEventListener('abort', () => abort.abort(), { signal: abort.signal })
    try {
      const me = await this.#self(abort.signal)
      if (this.#deps.door().url) this.#open = { abort, link, webhook: await this.#answer(me, link, abort.signal) }
      else {
        const first = await this.#reader.begin(me, abort.signal)
        this.#open = { abort, link }
        void this.#listen({ first, me, link, ...this.#intake(), signal: abort.signal })
      }
    } catch (error) {
      abort.abort()
      throw error
    }
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    return this.#delivering(() => this.#sender.send(message))
  }

  async edit({ chatId, messageId, text, buttons }: OutboundMessageEdit): Promise<void> {
    await this.#delivering(() => this.#sender.edit({ chatId, messageId, text, extra: createKeyboard(buttons) }))
  }

  async typing(chatId: string, threadId?: string): Promise<void> {
    const params = { ...toChatParams(chatId, threadId), action: 'typing' }
    await this.#delivering(() => this.#sender.deliver('sendChatAction', params))
  }

  async react(reaction: MessageReaction): Promise<void> {
    await this.#delivering(() => this.#sender.deliver('setMessageReaction', createReaction(reaction)))
  }

  async fetch(
    { ref, name }: InboundFile,
    { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    const answer = await this.#api.call('getFile', { file_id: ref }, { signal })
    if (answer.refusal && /too big/i.test(answer.refusal.description)) throw fileTooLargeError(name, MAX_READ_BYTES)
    const stored = answer.refusal ? undefined : storedFile.safeParse(answer.result).data
    if (!stored) throw new SvcError('TELEGRAM_FILE', `Telegram does not give ${name}: ${answer.refusal?.description}`)
    const { localFolder: folder } = this.#deps
    if (folder !== undefined) return readLocalFile(stored.file_path, { folder, name, maxBytes, signal })
    const response = await this.#api.download(stored.file_path, signal)
    if (response.status !== 200) {
      response.close()
      throw new SvcError('TELEGRAM_FILE', `Telegram does not give ${name}: HTTP ${response.status}.`)
    }
    return readWithLimit(response.body, { name, maxBytes })
  }

  async probe(): Promise<boolean> {
    const open = this.#open
    if (!open) return false
    try {
      await (open.webhook?.check() ?? this.#self(open.abort.signal))
      return this.#open === open
    } catch (error) {
      if (classifyDeliveryError(error).kind === 'refused' && this.#open === open) await this.#lose(error)
      return false
    }
  }

  async close(): Promise<void> {
    const open = this.#open
    this.#open = undefined
    open?.abort.abort()
    await open?.webhook?.close()
  }

  async #self(signal: AbortSignal): Promise<Self> {
    const answer = await this.#api.call('getMe', {}, { signal, timeoutMs: 10_000 }).catch((cause) => {
      throw deliveryBusy('TELEGRAM_UNREACHABLE', `Telegram cannot be asked: ${errorMessage(cause)}`, { cause })
    })
    if (answer.refusal) throw readFailure(answer.refusal)
    const { data } = self.safeParse(answer.result)
    if (!data) throw strange()
    return data
  }

  async #showMenu(entries: readonly CommandMenuEntry[], signal: AbortSignal): Promise<void> {
    const commands = entries
      .filter(({ name }) => /^[a-z0-9_]{1,32}$/.test(name))
      .map(({ name, description }) => ({ command: name, description: description || name }))
    const answer = await this.#api.call('setMyCommands', { commands }, { signal, timeoutMs: 10_000 })
    if (answer.refusal) throw readFailure(answer.refusal)
  }

  #intake(): { readonly topics: Topics; readonly edits: EditMemory; readonly editMinutes: number } {
    return { topics: this.#deps.topics(), edits: this.#edits, editMinutes: this.#deps.editMinutes }
  }

  #answer(me: Self, link: GatewayConnection, signal: AbortSignal): Promise<Webhook> {
    const { account, door, http, log } = this.#deps
    return Webhook.open({
      http: http(),
      door: door(),
      token: account().token,
      ...this.#intake(),
      api: this.#api,
      me,
      link,
      log,
      signal,
    })
  }

  async #listen(reading: Parameters<Reader['read']>[0]): Promise<void> {
    try {
      await this.#reader.read(reading)
    } catch (error) {
      if (!reading.signal.aborted) await this.#lose(error)
    }
  }

  async #delivering<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#open) throw deliveryBusy('TELEGRAM_CLOSED', 'Telegram is not connected. The message is sent once it is.')
    try {
      return await work()
    } catch (error) {
      if (errorCode(error) === 'TELEGRAM_UNAUTHORIZED') await this.#lose(error)
      throw error
    }
  }

  /** Said once for each connection; what was refused will be refused again. */
  async #lose(error: unknown): Promise<void> {
    const open = this.#open
    await this.close()
    const isFinal = classifyDeliveryError(error).kind === 'refused'
    open?.link.lost(errorMessage(error), isFinal ? { final: true, code: errorCode(error).toLowerCase() } : undefined)
  }
}
