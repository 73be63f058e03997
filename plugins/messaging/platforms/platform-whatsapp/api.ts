/** Meta's Graph API as far as WhatsApp needs it (developers.facebook.com/docs/whatsapp/cloud-api). */
import { errorCode, errorMessage, type Net, type NetResponse, SvcError, tryParseJson } from 'svc/sdk'
import {
  deliveryBusy,
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryRefused,
  deliveryUncertain,
  fileTooLargeError,
  readWithLimit,
} from 'svc/sdk/platform'
import { z } from 'zod'

/** Who asks, and where. */
export interface Account {
  readonly baseUrl: string
  readonly version: string
  readonly numberId: string
  readonly token: string
}

const sent = z.object({ messages: z.array(z.object({ id: z.string().min(1) })).min(1) })
const uploaded = z.object({ id: z.string().min(1) })
const shown = z.object({ display_phone_number: z.string() })
const stored = z.object({ url: z.string(), file_size: z.coerce.number().optional() })
const failed = z.object({
  error: z.object({
    code: z.number().optional(),
    message: z.string().optional(),
    error_data: z.object({ details: z.string().optional() }).optional(),
  }),
})

const TIMEOUT_MS = 30_000
/** developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes */
const EXPIRED = [190, 0]
const WINDOW = 131047
/** Limits of the app, the account, the number, of its ill fame, and of the pair of numbers. */
const LIMITED = [4, 80007, 130429, 131048, 131056]

export class GraphApi {
  readonly #net: () => Net
  readonly #account: Account

  constructor(net: () => Net, account: Account) {
    this.#net = net
    this.#account = account
  }

  /** Throws unless the token may use the number. */
  async check(): Promise<void> {
    const said = await this.#ask('id')
    if (uploaded.safeParse(said).data?.id !== this.#account.numberId)
      throw deliveryBusy(
        'WHATSAPP_UNREACHABLE',
        'What answers is not the Graph API. Check platforms.whatsapp.base_url.',
      )
  }

  /** What Meta says of the number. */
  async #ask(field: string, signal?: AbortSignal): Promise<unknown> {
    const response = await this.#get(`${this.#account.numberId}?fields=${field}`, signal).catch((cause: unknown) => {
      throw deliveryBusy('WHATSAPP_UNREACHABLE', `The Graph API could not be reached: ${errorMessage(cause)}`, {
        cause,
      })
    })
    const body = await response.text().catch(() => '')
    if (response.status !== 200) throw toFailure('Meta does not give the business number', response, body)
    return tryParseJson(body)?.value
  }

  /** The number as people dial it; empty if Meta does not say. */
  async number(signal?: AbortSignal): Promise<string> {
    const said = await this.#ask('display_phone_number', signal)
    return shown.safeParse(said).data?.display_phone_number ?? ''
  }

  /** The id of the message that became of it. */
  async send(message: object, commit?: () => void): Promise<string> {
    const form = { body: JSON.stringify({ messaging_product: 'whatsapp', ...message }), type: 'application/json' }
    const answer = await this.#post(`${this.#account.numberId}/messages`, form, commit)
    const id = sent.safeParse(answer).data?.messages[0]?.id
    if (id !== undefined) return id
    throw deliveryUncertain(
      'WHATSAPP_UNREACHABLE',
      'The Graph API answered something strange; the message may have been sent.',
    )
  }

  /** Says that a message was read; with `typing`, that an answer is being written, for 25 seconds at most. */
  async read(messageId: string, options: { readonly typing?: true } = {}): Promise<void> {
    const body = {
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: messageId,
      ...(options.typing && { typing_indicator: { type: 'text' } }),
    }
    await this.#post(`${this.#account.numberId}/messages`, { body: JSON.stringify(body), type: 'application/json' })
  }

  /** Uploads a form of several parts; the id of the file. Nothing was sent yet, whatever happens. */
  async upload(form: { readonly body: Uint8Array; readonly type: string }): Promise<string> {
    const answer = await this.#post(`${this.#account.numberId}/media`, form).catch((error: unknown) => {
      if (errorCode(error) !== 'WHATSAPP_UNREACHABLE') throw error
      throw deliveryBusy('WHATSAPP_UNREACHABLE', errorMessage(error), { cause: error })
    })
    const id = uploaded.safeParse(answer).data?.id
    if (id !== undefined) return id
    throw deliveryBusy('WHATSAPP_UNREACHABLE', 'The Graph API answered something strange to a file.')
  }

  /** A file in two steps: where it is, for five minutes, and what it is. */
  async media(id: string, { maxBytes, signal }: { maxBytes: number; signal: AbortSignal }): Promise<Uint8Array> {
    const { numberId } = this.#account
    const about = await this.#get(`${encodeURIComponent(id)}?phone_number_id=${numberId}`, signal)
    const place = stored.safeParse(tryParseJson(await about.text())?.value)
    if (about.status !== 200 || !place.success)
      throw new SvcError('WHATSAPP_MEDIA', `WhatsApp does not have this file any more: HTTP ${about.status}.`)
    const { url, file_size: size = 0 } = place.data
    if (maxBytes > 0 && size > maxBytes) throw fileTooLargeError('The file', maxBytes)
    if (!this.#mayHaveToken(url))
      throw new SvcError('WHATSAPP_MEDIA', 'The file is at an address that is not of Meta. It is not fetched.')
    const response = await this.#net().request({ url, headers: this.#headers, signal, timeoutMs: TIMEOUT_MS })
    if (response.status === 200) return readWithLimit(response.body, { name: 'The file', maxBytes })
    response.close()
    throw new SvcError('WHATSAPP_MEDIA', `WhatsApp did not give the file: HTTP ${response.status}.`)
  }

  /** Files are at other hosts of Meta, and want the token. */
  #mayHaveToken(url: string): boolean {
    if (!URL.canParse(url)) return false
    const { origin, protocol, hostname } = new URL(url)
    if (origin === new URL(this.#account.baseUrl).origin) return true
    return protocol === 'https:' && /(^|\.)(fbsbx\.com|facebook\.com|fbcdn\.net|whatsapp\.net)$/.test(hostname)
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#account.token}` }
  }

  #url(path: string): string {
    return `${this.#account.baseUrl.replace(/\/+$/, '')}/${this.#account.version}/${path}`
  }

  #get(path: string, signal?: AbortSignal): Promise<NetResponse> {
    const request = { url: this.#url(path), headers: this.#headers, timeoutMs: TIMEOUT_MS }
    return this.#net().request(signal ? { ...request, signal } : request)
  }

  async #post(
    path: string,
    { body, type }: { body: string | Uint8Array; type: string },
    commit?: () => void,
  ): Promise<unknown> {
    const lose = (cause: unknown) => {
      throw deliveryErrorFromNetwork('WHATSAPP_UNREACHABLE', 'The Graph API could not be reached', cause)
    }
    const headers = { ...this.#headers, 'content-type': type }
    const url = this.#url(path)
    const request = { url, method: 'POST', headers, body, timeoutMs: TIMEOUT_MS, once: true } as const
    const response = await this.#net()
      .request(commit ? { ...request, commit } : request)
      .catch(lose)
    const answer = await response.text().catch(lose)
    if (response.status >= 300) throw toFailure('WhatsApp did not take the message', response, answer)
    return tryParseJson(answer)?.value
  }
}

function toFailure(what: string, response: NetResponse, body: string): SvcError {
  const { code = -1, message, error_data } = failed.safeParse(tryParseJson(body)?.value).data?.error ?? {}
  if (response.status === 401 || EXPIRED.includes(code)) {
    const advice = 'Make one for a system user and set WHATSAPP_CLOUD_ACCESS_TOKEN to it.'
    return deliveryRefused('WHATSAPP_UNAUTHORIZED', `Meta does not accept the access token. ${advice}`)
  }
  if (code === WINDOW) {
    const rule = 'WhatsApp takes messages only within 24 hours after the person wrote'
    const advice = 'Wait until they write again, or set platforms.whatsapp.template_name to an approved template.'
    return deliveryRefused('WHATSAPP_WINDOW', `${rule}. ${advice}`)
  }
  const reason = [error_data?.details ?? message, code >= 0 && `error ${code}`].filter(Boolean).join(', ')
  const said = reason.replace(/\+?\d{9,15}/g, (number) => `…${number.slice(-4)}`)
  if (LIMITED.includes(code)) return limited(response, said)
  return deliveryErrorFromResponse({ code: 'WHATSAPP_REFUSED', what, response, ...(said && { reason: said }) })
}

/** Limits come with status 400 and without a time; the limit of a pair of numbers gives one message in six seconds. */
function limited({ headers }: NetResponse, reason: string): SvcError {
  const seconds = Number(headers['retry-after'])
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 6000
  return deliveryBusy('WHATSAPP_BUSY', `WhatsApp wants to be left alone for a while: ${reason}.`, { retryAfterMs })
}
