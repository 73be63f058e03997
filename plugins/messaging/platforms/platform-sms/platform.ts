/** Text messages by phone: Twilio calls us with what people send, and is called with what they are answered. */
import { errorCode, type Logger, type Net, type Secrets } from 'svc/sdk'
import {
  deliveryBusy,
  deliveryRefused,
  type GatewayConnection,
  type InboundFile,
  type OutboundMessage,
  type Platform,
  type PlatformSettings,
  type SendReceipt,
} from 'svc/sdk/platform'
import { isLoopbackHost } from 'svc/sdk/provider'
import {
  type Http,
  type HttpAuth,
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
  type MountedApp,
} from 'svc/sdk/web'
import { TwilioApi } from './api.ts'
import { readMessage } from './inbound.ts'
import { isSigned } from './signature.ts'

/** The own keys of the block. */
export interface SmsSettings extends PlatformSettings {
  readonly base_url: string
  readonly webhook_host: string
  readonly webhook_port: number
  readonly webhook_url: string
}

export interface SmsDeps {
  readonly settings: SmsSettings
  readonly log: Logger
  net(): Net
  http(): Http
  secrets(): Secrets
}

/** The longest text that the API takes (twilio.com/docs/messaging/api/message-resource, `Body`). */
const MAX_CHARACTERS = 1600
/** A form of a message is far smaller. */
const MAX_BYTES = 65_536
const PATH = '/webhooks/twilio'
const EMPTY: HttpResponse = {
  headers: { 'content-type': 'text/xml; charset=utf-8' },
  body: '<?xml version="1.0" encoding="UTF-8"?><Response></Response>',
}

/** While it is connected. */
interface Line {
  readonly link: GatewayConnection
  readonly api: TwilioApi
  readonly number: string
  readonly mounted: MountedApp
}

export class SmsPlatform implements Platform {
  readonly name = 'sms'
  readonly label = 'SMS (Twilio)'
  readonly hint = 'Answers are sent as SMS, and each segment costs money: write one short paragraph without decoration.'
  readonly limits = {
    maxTextLength: MAX_CHARACTERS,
    idempotency: 'none',
    commits: true,
    unattended: true,
    // One segment a second from a long code (twilio.com/docs/glossary/what-message-throughput); more waits at Twilio.
    rate: { all: { count: 1, perMs: 1000 } },
  } as const
  readonly access = {
    users: 'SMS_ALLOWED_USERS',
    everyone: 'SMS_ALLOW_ALL_USERS',
    home: 'SMS_HOME_CHANNEL',
  }
  readonly settings: SmsSettings
  readonly #deps: SmsDeps
  #line: Line | undefined

  constructor(deps: SmsDeps) {
    this.#deps = deps
    this.settings = deps.settings
  }

  missing(): string | undefined {
    const names = ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN'].filter((name) => !this.#deps.secrets().get(name))
    return names.length > 0 ? `needs ${names.join(' and ')}` : undefined
  }

  account(): string | undefined {
    const [sid, number] = ['TWILIO_ACCOUNT_SID', 'TWILIO_PHONE_NUMBER'].map((name) => this.#deps.secrets().get(name))
    return sid && number && `${sid} ${number}`
  }

  async connect(link: GatewayConnection): Promise<void> {
    const number = this.#number()
    const lock = this.#lock()
    const secrets = this.#deps.secrets()
    const account = {
      baseUrl: this.settings.base_url,
      sid: secrets.get('TWILIO_ACCOUNT_SID') ?? '',
      token: secrets.get('TWILIO_AUTH_TOKEN') ?? '',
    }
    const api = new TwilioApi(this.#deps.net, account)
    await api.check()
    link.signal.throwIfAborted()
    const mounted = await this.#listen(lock)
    if (link.signal.aborted) await mounted.close()
    link.signal.throwIfAborted()
    this.#line = { link, api, number, mounted }
    link.signal.addEventListener('abort', () => void this.close(), { once: true })
    link.alive()
  }

  async send({ chatId, text, commit }: OutboundMessage): Promise<SendReceipt> {
    const { api, number, link } = this.#connected()
    if (!/^\+?[1-9]\d{2,14}$/.test(chatId))
      throw deliveryRefused('SMS_NUMBER', `"${chatId}" is no number such as +15550100000.`)
    if (text.length > MAX_CHARACTERS)
      throw deliveryRefused(
        'SMS_TOO_LONG',
        `A text message has at most ${MAX_CHARACTERS} characters; this has ${text.length}.`,
      )
    try {
      const messageId = await api.send({ from: number, to: chatId, body: text }, commit)
      link.alive()
      return { messageId }
    } catch (error) {
      if (errorCode(error) === 'SMS_UNAUTHORIZED') this.#logOut(error)
      throw error
    }
  }

  async fetch(file: InboundFile, options: { maxBytes: number; signal: AbortSignal }): Promise<Uint8Array> {
    return this.#connected().api.media(file.ref, options)
  }

  async probe(): Promise<boolean> {
    const line = this.#line
    if (!line) return false
    return line.api.check().then(
      () => {
        line.link.alive()
        return true
      },
      (error: unknown) => {
        if (errorCode(error) === 'SMS_UNAUTHORIZED') this.#logOut(error)
        return false
      },
    )
  }

  async close(): Promise<void> {
    const line = this.#line
    this.#line = undefined
    await line?.mounted.close()
  }

  #connected(): Line {
    if (this.#line) return this.#line
    throw deliveryBusy('SMS_NOT_CONNECTED', 'Text messages are not connected.')
  }

  #logOut(error: unknown): void {
    const reason = error instanceof Error ? error.message : ''
    this.#line?.link.lost(reason, { final: true, code: 'sms_unauthorized' })
  }

  #number(): string {
    const number = this.#deps
      .secrets()
      .get('TWILIO_PHONE_NUMBER')
      ?.replace(/[\s().-]/g, '')
    if (number) return number
    throw deliveryRefused('SMS_MISSING_PHONE_NUMBER', 'Set TWILIO_PHONE_NUMBER to the number to send from.')
  }

  /** Who may post: Twilio, by its signature. Without one only programs of this machine, and only when that is asked for. */
  #lock(): HttpAuth {
    const secrets = this.#deps.secrets()
    if (/^(1|true|yes|on)$/i.test(secrets.get('SMS_INSECURE_NO_SIGNATURE') ?? '')) {
      if (!isLoopbackHost(this.#host()))
        throw deliveryRefused(
          'SMS_OPEN_DOOR',
          'SMS_INSECURE_NO_SIGNATURE is for this machine only. Set webhook_host to 127.0.0.1.',
        )
      this.#deps.log.warn(
        'text messages are accepted without a signature: any client that reaches this port can send messages',
      )
      return { kind: 'public' }
    }
    const url = secrets.get('SMS_WEBHOOK_URL') ?? this.settings.webhook_url
    if (!url) {
      const advice = 'Set platforms.sms.webhook_url to the address that is set at Twilio.'
      throw deliveryRefused('SMS_MISSING_WEBHOOK_URL', `Signatures are made over the public address. ${advice}`)
    }
    const check = ({ headers, body }: HttpRequest) =>
      isSigned(secrets.get('TWILIO_AUTH_TOKEN') ?? '', url, parseForm(body), headers['x-twilio-signature'])
    return { kind: 'signed', check, status: 403 }
  }

  #host(): string {
    return this.#deps.secrets().get('SMS_WEBHOOK_HOST') ?? this.settings.webhook_host
  }

  #listen(lock: HttpAuth): Promise<MountedApp> {
    const port = Number(this.#deps.secrets().get('SMS_WEBHOOK_PORT') ?? this.settings.webhook_port)
    const health = async () => ({ headers: { 'content-type': 'text/plain' }, body: 'ok' })
    return this.#deps.http().mount({
      name: this.name,
      host: this.#host(),
      port,
      prefix: '',
      lock,
      routes: [
        { method: 'POST', path: PATH, maxBytes: MAX_BYTES, handle: (request) => this.#take(request) },
        { method: 'GET', path: '/health', lock: { kind: 'public' }, handle: health },
      ],
    })
  }

  /** The webhook is acknowledged once the message is stored, never earlier. */
  async #take({ body }: HttpRequest): Promise<HttpResponse> {
    const line = this.#line
    if (!line) return jsonResponse({ error: 'Not connected.' }, 503)
    line.link.alive()
    const message = readMessage(parseForm(body), line.number)
    if (message === 'malformed') return jsonResponse({ error: 'This is no message.' }, 400)
    if (message === 'ignored') return EMPTY
    try {
      await line.link.receive(message)
      return EMPTY
    } catch (error) {
      this.#deps.log.warn('a text message could not be taken; Twilio is asked to send it again', {
        error: String(error),
      })
      return jsonResponse({ error: 'Not taken; send it again.' }, 503)
    }
  }
}

function parseForm(body: Uint8Array): URLSearchParams {
  return new URLSearchParams(Buffer.from(body).toString('utf8'))
}
