/** A client of the Bot API: https://core.telegram.org/bots/api#making-requests. */
import { type Net, type NetRequest, type NetResponse, type Random, tryParseJson } from 'svc/sdk'
import { encodeMultipartForm } from 'svc/sdk/media'
import { z } from 'zod'

/** Where the Bot API is, and whose token is used. */
export interface Account {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly token: string
}

/** What was not done, and why. */
export interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly description: string
  readonly retryAfterMs?: number
  /** The group has become another chat. */
  readonly migrateTo?: string
}

export type Answer = { readonly result: unknown; readonly refusal?: undefined } | { readonly refusal: Refusal }

/** A file of a call. */
export interface Upload {
  readonly field: string
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

export type Params = Readonly<Record<string, unknown>>

/** `<bot id>:<secret>`; nothing else may get into an address. */
export const TOKEN = /^\d+:[\w-]+$/

/** The status of a malformed answer: as with a server error, it is unknown what was done. */
export const STRANGE = 599

const ANSWER_MS = 30_000

const envelope = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: z.number().optional(),
  description: z.string().default(''),
  parameters: z.object({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() }).default({}),
})

/** Calls methods; what the network does is thrown as `Net` throws it. */
export class TelegramApi {
  readonly #net: Net
  readonly #random: Pick<Random, 'hex'>
  readonly #account: () => Account

  constructor(net: Net, random: Pick<Random, 'hex'>, account: () => Account) {
    this.#net = net
    this.#random = random
    this.#account = account
  }

  async call(method: string, params: Params = {}, options: Partial<NetRequest> = {}): Promise<Answer> {
    return this.#ask(method, { contentType: 'application/json', body: JSON.stringify(params) }, options)
  }

  async upload(
    method: string,
    params: Params,
    files: readonly Upload[],
    options: Partial<NetRequest> = {},
  ): Promise<Answer> {
    const fields = Object.entries(params).map(([name, value]) => {
      return [name, typeof value === 'string' ? value : JSON.stringify(value)]
    })
    const form = encodeMultipartForm(Object.fromEntries(fields), files, this.#random.hex(16))
    return this.#ask(method, form, { timeoutMs: 300_000, ...options })
  }

  /** A file by the path that `getFile` gave. */
  download(path: string, signal: AbortSignal): Promise<NetResponse> {
    const { baseUrl, token } = this.#account()
    const safe = path.split('/').map(encodeURIComponent).join('/')
    return this.#net.request({ url: `${baseUrl}/file/bot${token}/${safe}`, signal, timeoutMs: ANSWER_MS })
  }

  async #ask(
    method: string,
    { contentType, body }: { readonly contentType: string; readonly body: string | Uint8Array },
    options: Partial<NetRequest>,
  ): Promise<Answer> {
    const { baseUrl, token } = this.#account()
    const response = await this.#net.request({
      timeoutMs: ANSWER_MS,
      idleMs: ANSWER_MS,
      ...(/^send(?!ChatAction)/.test(method) && { once: true }),
      ...options,
      url: `${baseUrl}/bot${token}/${method}`,
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
    })
    return parseAnswer(response.status, response.headers, await response.text())
  }
}

function parseAnswer(status: number, headers: Refusal['headers'], text: string): Answer {
  // A body that is not JSON is a page of a proxy; the caller uses the status.
  const { data } = envelope.safeParse(tryParseJson(text)?.value)
  if (data?.ok) return { result: data.result }
  if (!data) return { refusal: { status: status < 400 ? STRANGE : status, headers, description: '' } }
  const { retry_after: seconds, migrate_to_chat_id: chat } = data.parameters
  return {
    refusal: {
      status: data.error_code ?? status,
      headers,
      description: data.description,
      ...(seconds !== undefined && { retryAfterMs: seconds * 1000 }),
      ...(chat !== undefined && { migrateTo: String(chat) }),
    },
  }
}
