/** Where Telegram calls with what people write: https://core.telegram.org/bots/api#setwebhook. */
import { createHmac } from 'node:crypto'
import { errorMessage } from 'svc/sdk'
import { isSameSecret } from 'svc/sdk/kit/net'
import { deliveryBusy, deliveryRefused } from 'svc/sdk/platform'
import { explainWeakSecret } from 'svc/sdk/safety'
import {
  type Http,
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
  type MountedApp,
  parseJsonBody,
} from 'svc/sdk/web'
import { z } from 'zod'
import type { Answer } from './api.ts'
import { readFailure, strange } from './failures.ts'
import { type Intake, takeUpdate } from './intake.ts'
import { UPDATES, update as updateShape } from './updates.ts'

/** The webhook address for Telegram, and the local address behind the proxy. */
export interface WebhookAddress {
  /** Public, and with the path that the proxy asks for, too. */
  readonly url: string
  /** Comes with every call; empty for one that is made from the token. */
  readonly secret: string
  readonly host: string
  readonly port: number
}

export interface WebhookDeps extends Intake {
  readonly http: Http
  readonly door: WebhookAddress
  readonly token: string
  /** Ends what is asked while it is opened and checked. */
  readonly signal: AbortSignal
}

/** Nothing in the path may be more than words to a router. */
const ADDRESS = /^https?:\/\/[^\s/?#]+(\/[\w./-]*)?$/i
const SECRET = /^[\w-]{1,256}$/
const ANSWER_MS = 10_000

const info = z.object({
  url: z.string(),
  last_error_date: z.number().default(0),
  last_error_message: z.string().default(''),
})

/** Listens, and has Telegram call there. */
export class Webhook {
  readonly #deps: WebhookDeps
  #mounted: MountedApp | undefined
  /** When a call of Telegram failed last, as far as that is known or was said. */
  #failedAt = Number.POSITIVE_INFINITY

  private constructor(deps: WebhookDeps) {
    this.#deps = deps
  }

  /** Resolves when Telegram calls here; what waited for a poll comes, too. */
  static async open(deps: WebhookDeps): Promise<Webhook> {
    const { url, secret } = deps.door
    if (!ADDRESS.test(url))
      throw deliveryRefused('TELEGRAM_WEBHOOK_URL', `"${url}" cannot be called. Set webhook_url to https://host/path.`)
    if (secret && !SECRET.test(secret))
      throw deliveryRefused(
        'TELEGRAM_WEBHOOK_URL',
        'TELEGRAM_WEBHOOK_SECRET has 1 to 256 letters, digits, _ and -. Correct it.',
      )
    const weakness = secret ? explainWeakSecret(secret) : undefined
    if (weakness !== undefined)
      throw deliveryRefused('TELEGRAM_WEBHOOK_URL', `TELEGRAM_WEBHOOK_SECRET ${weakness}. Correct it.`)
    const webhook = new Webhook(deps)
    try {
      await webhook.#listen(secret || createHmac('sha256', deps.token).update(url).digest('hex'))
      return webhook
    } catch (error) {
      await webhook.close()
      throw error
    }
  }

  /** Says what Telegram could not deliver. Throws when it cannot be asked, or calls another address now. */
  async check(): Promise<void> {
    const { door, log } = this.#deps
    const answer = await this.#ask('getWebhookInfo')
    if (answer.refusal) throw readFailure(answer.refusal)
    const { data } = info.safeParse(answer.result)
    if (!data) throw strange()
    if (!data.url || new URL(data.url).href !== new URL(door.url).href)
      throw deliveryRefused(
        'TELEGRAM_WEBHOOK',
        'Another program has changed where Telegram sends the messages of this bot. Stop it, then resume telegram.',
      )
    if (data.last_error_date > this.#failedAt)
      log.warn(`Telegram could not call ${door.url}: ${data.last_error_message}. It tries again.`)
    this.#failedAt = data.last_error_date
  }

  async close(): Promise<void> {
    await this.#mounted?.close()
  }

  /** With one call at a time messages keep their order. */
  async #listen(secret: string): Promise<void> {
    const { http, door, signal } = this.#deps
    const { url, host, port } = door
    this.#mounted = await http.mount({
      name: 'telegram',
      host,
      port,
      prefix: '',
      lock: {
        kind: 'signed',
        check: ({ headers }) => isSameSecret(headers['x-telegram-bot-api-secret-token'] ?? '', secret),
      },
      routes: [
        { method: 'POST', path: new URL(url).pathname, handle: (request) => this.#take(request) },
        {
          method: 'GET',
          path: '/health',
          lock: { kind: 'public' },
          handle: async () => jsonResponse({ status: 'ok' }),
        },
      ],
    })
    const body = {
      url,
      secret_token: secret,
      max_connections: 1,
      allowed_updates: UPDATES,
      drop_pending_updates: false,
    }
    const { refusal } = await this.#ask('setWebhook', body)
    if (refusal?.status === 400 && !/resolve host/i.test(refusal.description))
      throw deliveryRefused(
        'TELEGRAM_WEBHOOK_URL',
        `Telegram does not call ${url}: ${refusal.description}. Correct webhook_url.`,
      )
    if (refusal) throw readFailure(refusal)
    await this.check()
    signal.throwIfAborted()
  }

  /** The webhook is acknowledged once the update is stored; otherwise Telegram retries. */
  async #take({ body }: HttpRequest): Promise<HttpResponse> {
    const { link, log, signal } = this.#deps
    if (signal.aborted) return jsonResponse({ error: 'Closed.' }, 503)
    link.alive()
    const read = parseJsonBody(body)
    const { data } = updateShape.safeParse(read.kind === 'value' ? read.value : undefined)
    if (!data) return jsonResponse({ error: 'This is no update of Telegram.' }, 400)
    try {
      await takeUpdate(data, this.#deps)
      return {}
    } catch (error) {
      log.warn('a message could not be taken; Telegram is asked to bring it again', { error })
      return jsonResponse({ error: 'Not taken; call again.' }, 503)
    }
  }

  #ask(method: string, params: object = {}): Promise<Answer> {
    const { api, signal } = this.#deps
    return api.call(method, { ...params }, { signal, timeoutMs: ANSWER_MS }).catch((cause) => {
      throw deliveryBusy('TELEGRAM_UNREACHABLE', `Telegram cannot be asked: ${errorMessage(cause)}`, { cause })
    })
  }
}
