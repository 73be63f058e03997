/** WhatsApp through the Cloud API: Meta calls us with what people write, and is called with what they are answered. */
import { errorCode, errorMessage, type Random, type Secrets } from 'svc/sdk'
import {
  deliveryBusy,
  deliveryRefused,
  deliveryUncertain,
  type GatewayConnection,
  type InboundFile,
  type InboundMessage,
  type OutboundMessage,
  type Platform,
  type PlatformLimits,
  type PlatformSettings,
  type SendReceipt,
} from 'svc/sdk/platform'
import { type Account, GraphApi } from './api.ts'
import type { WhatsAppDeps } from './deps.ts'
import { markup } from './markup.ts'
import { type OpenWebhook, openWebhook } from './open-webhook.ts'
import {
  createButtonBodies,
  createFileBodies,
  createNumberedBody,
  createTextBody,
  createUploadForm,
  MAX_CAPTION,
  MAX_CHOICES,
  MAX_FILE_BYTES,
} from './outgoing.ts'
import { replyPrefix } from './prefix.ts'
import { createTemplateBody, isWindowClosed } from './template.ts'

/** developers.facebook.com/docs/whatsapp/cloud-api/messages/text-messages */
const MAX_CHARACTERS = 4096
/** Chats whose newest message is remembered, for typing. */
const MAX_CHATS = 1000

/** While it is connected. */
interface Line {
  readonly link: GatewayConnection
  readonly api: GraphApi
  readonly door: OpenWebhook
}

export class WhatsAppPlatform implements Platform {
  readonly name = 'whatsapp'
  readonly label = 'WhatsApp (Cloud API)'
  readonly access = {
    users: 'WHATSAPP_ALLOWED_USERS',
    everyone: 'WHATSAPP_ALLOW_ALL_USERS',
    home: 'WHATSAPP_HOME_CHANNEL',
  }
  readonly settings: PlatformSettings
  readonly #deps: WhatsAppDeps
  /** The newest message of people, and when it came. */
  readonly #newest: Map<string, { readonly messageId: string; readonly at: number }> = new Map()
  #line: Line | undefined

  constructor(deps: WhatsAppDeps) {
    this.#deps = deps
    this.settings = deps.settings
  }

  get limits(): PlatformLimits {
    return {
      maxTextLength: MAX_CHARACTERS - this.#prefix.length,
      idempotency: 'none',
      commits: true,
      markup,
      buttons: MAX_CHOICES,
      files: MAX_FILE_BYTES,
      voice: ['opus'],
      caption: MAX_CAPTION - this.#prefix.length,
      // One message in six seconds to one person, with up to 45 in advance; 80 a second in all
      // (developers.facebook.com/docs/whatsapp/cloud-api/overview, throughput and pair rate limits).
      rate: { chat: { count: 45, perMs: 270_000 }, all: { count: 80, perMs: 1000 } },
    }
  }

  missing(): string | undefined {
    const secrets = this.#secrets
    const names = [
      'WHATSAPP_CLOUD_PHONE_NUMBER_ID',
      'WHATSAPP_CLOUD_ACCESS_TOKEN',
      'WHATSAPP_CLOUD_APP_SECRET',
      'WHATSAPP_CLOUD_VERIFY_TOKEN',
    ].filter((name) => !secrets.get(name))
    return names.length > 0 ? `needs ${names.join(', ')}` : undefined
  }

  /** faq.whatsapp.com/5913398998672934; numbers there have no plus. */
  async contact(signal?: AbortSignal): Promise<string | undefined> {
    const digits = (await new GraphApi(this.#deps.net, this.#account()).number(signal)).replace(/\D/g, '')
    return digits ? `https://wa.me/${digits}` : undefined
  }

  account(): string | undefined {
    return this.#secrets.get('WHATSAPP_CLOUD_PHONE_NUMBER_ID')
  }

  async connect(link: GatewayConnection): Promise<void> {
    const missing = this.missing()
    if (missing)
      throw deliveryRefused('WHATSAPP_UNAUTHORIZED', `WhatsApp ${missing}. Set them with \`svc config set\`.`)
    const account = this.#account()
    const api = new GraphApi(this.#deps.net, account)
    await api.check()
    link.signal.throwIfAborted()
    const door = await openWebhook({
      parts: this.#deps,
      numberId: account.numberId,
      prefix: this.#prefix,
      link,
      taken: (message) => this.#note(message),
    })
    if (link.signal.aborted) await door.close()
    link.signal.throwIfAborted()
    this.#line = { link, api, door }
    link.signal.addEventListener('abort', () => void this.close(), { once: true })
    link.alive()
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    const { link } = this.#connected()
    checkNumber(message.chatId)
    const body = message.text === '' ? '' : `${this.#prefix}${message.text}`
    if (body.length > MAX_CHARACTERS)
      throw deliveryRefused(
        'WHATSAPP_TOO_LONG',
        `A WhatsApp message has at most ${MAX_CHARACTERS} characters with its header.`,
      )
    const messageId = await this.#watched(() => this.#sendInWindow(message, body))
    link.alive()
    return { messageId }
  }

  async typing(chatId: string): Promise<void> {
    const messageId = this.#newest.get(chatId)?.messageId
    const { api } = this.#connected()
    if (messageId !== undefined && !isGroup(chatId)) await this.#watched(() => api.read(messageId, { typing: true }))
  }

  async fetch(file: InboundFile, options: { maxBytes: number; signal: AbortSignal }): Promise<Uint8Array> {
    return this.#connected().api.media(file.ref, options)
  }

  async probe(): Promise<boolean> {
    const line = this.#line
    if (!line) return false
    try {
      await this.#watched(() => line.api.check())
      line.link.alive()
      return this.#line === line
    } catch {
      return false
    }
  }

  async close(): Promise<void> {
    const line = this.#line
    this.#line = undefined
    await line?.door.close()
  }

  get #secrets(): Secrets {
    return this.#deps.secrets()
  }

  get #prefix(): string {
    return replyPrefix(this.#deps.settings.reply_prefix, this.#secrets.get('WHATSAPP_REPLY_PREFIX'))
  }

  #account(): Account {
    const { base_url: baseUrl, api_version: version } = this.#deps.settings
    return {
      baseUrl,
      version: this.#secrets.get('WHATSAPP_CLOUD_API_VERSION') ?? version,
      numberId: this.#secrets.get('WHATSAPP_CLOUD_PHONE_NUMBER_ID') ?? '',
      token: this.#secrets.get('WHATSAPP_CLOUD_ACCESS_TOKEN') ?? '',
    }
  }

  #connected(): Line {
    if (this.#line) return this.#line
    throw deliveryBusy('WHATSAPP_NOT_CONNECTED', 'WhatsApp is not connected.')
  }

  /** With the template once the person may not be written to freely. */
  async #sendInWindow(message: OutboundMessage, body: string): Promise<string> {
    const { template_name: name, template_language: language } = this.#deps.settings
    const sendTemplate = () => {
      const { text, buttons, files = [] } = message
      const template = createTemplateBody(
        { name, language },
        { text, ...(buttons && { buttons }), hasFiles: files.length > 0 },
      )
      return this.#sendAll(message, [template])
    }
    const wroteAt = this.#newest.get(message.chatId)?.at
    if (name && isWindowClosed(wroteAt, this.#deps.clock().now())) return sendTemplate()
    try {
      return await this.#sendAll(message, await this.#written(message, body))
    } catch (error) {
      if (!name || errorCode(error) !== 'WHATSAPP_WINDOW') throw error
      return sendTemplate()
    }
  }

  async #written(
    { chatId, files: [file] = [], buttons = [] }: OutboundMessage,
    body: string,
  ): Promise<readonly object[]> {
    const { api } = this.#connected()
    if (file) {
      const bytes = await file.bytes()
      const random: Random = this.#deps.random()
      const id = await api.upload(createUploadForm(file, bytes, `svc-${random.hex(16)}`))
      return createFileBodies(id, file, bytes.length, body)
    }
    if (buttons.length === 0) return [createTextBody(body)]
    return isGroup(chatId) ? [createNumberedBody(body, buttons)] : createButtonBodies(body, buttons)
  }

  /** Once the first of two is out, it must not be sent again with the second. */
  async #sendAll({ chatId, replyTo, commit }: OutboundMessage, messages: readonly object[]): Promise<string> {
    const { api } = this.#connected()
    const context = replyTo === undefined ? {} : { context: { message_id: replyTo } }
    let id = ''
    for (const [at, message] of messages.entries()) {
      const whole = {
        recipient_type: isGroup(chatId) ? 'group' : 'individual',
        to: chatId,
        ...(at === 0 && context),
        ...message,
      }
      id = await api.send(whole, commit).catch((cause: unknown) => {
        if (at === 0) throw cause
        throw deliveryUncertain('WHATSAPP_HALF', `Only the first half was sent: ${errorMessage(cause)}`, cause)
      })
    }
    return id
  }

  /** A token that is not accepted any more ends the connection for good. */
  async #watched<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (errorCode(error) === 'WHATSAPP_UNAUTHORIZED')
        this.#line?.link.lost(errorMessage(error), { final: true, code: 'whatsapp_unauthorized' })
      throw error
    }
  }

  /** Typing is shown under a message, and so is that it was read. Neither matters enough to fail for. */
  #note({ chatId, messageId }: InboundMessage): void {
    this.#newest.delete(chatId)
    this.#newest.set(chatId, { messageId, at: this.#deps.clock().now() })
    const [oldest] = this.#newest.size > MAX_CHATS ? this.#newest.keys() : []
    if (oldest !== undefined) this.#newest.delete(oldest)
    const line = this.#line
    if (!line || !this.#deps.settings.read_receipts || isGroup(chatId)) return
    line.api
      .read(messageId)
      .catch((error: unknown) => this.#deps.log.debug('a message could not be shown as read', { error: String(error) }))
  }
}

function checkNumber(chatId: string): void {
  if (/^\+?\d{5,20}$/.test(chatId) || isGroup(chatId)) return
  throw deliveryRefused('WHATSAPP_NUMBER', `"${chatId}" is no WhatsApp number: digits with the country code.`)
}

/** Groups have ids of letters and digits, people have numbers. */
function isGroup(chatId: string): boolean {
  return /^(?=.*[A-Za-z])[\w=+/-]{20,200}$/.test(chatId)
}
