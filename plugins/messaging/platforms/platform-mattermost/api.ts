/**
 * Mattermost's REST API, version 4 (developers.mattermost.com/api-documentation): errors are JSON with `id` and `message`;
 * over the rate limit it answers 429 with the seconds until more is allowed.
 */
import { errorMessage, type Net, type NetResponse, tryParseJson } from 'svc/sdk'
import {
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryRefused,
  deliveryUncertain,
} from 'svc/sdk/platform'
import { z } from 'zod'

/** How requests are made. */
export interface MattermostAccount {
  readonly net: Net
  /** Of the server, without the path of the API. */
  readonly url: string
  readonly token: string
  readonly signal: AbortSignal
  /** The token is not accepted any more. */
  refusedToken(reason: string): void
}

/** A request. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly json?: unknown
  readonly form?: { readonly contentType: string; readonly body: Uint8Array }
  /** What is tried, for people: `take the message`. */
  readonly what: string
  readonly timeoutMs?: number
  /** As in `OutboundMessage`. */
  readonly commit?: (() => void) | undefined
}

const TIMEOUT_MS = 30_000

export const UNAUTHORIZED =
  'Mattermost does not accept the token. Make a new one on the server (Integrations, Bot Accounts, or a personal access ' +
  'token) and set it: svc config set MATTERMOST_TOKEN <token>.'

const problem = z.object({ id: z.string().default(''), message: z.string() })

export class MattermostApi {
  readonly #account: MattermostAccount

  constructor(account: MattermostAccount) {
    this.#account = account
  }

  /** The answer, checked; throws what `refused`, `busy` and `unsure` make. */
  async ask<T>(request: ApiRequest, answer: z.ZodType<T>): Promise<T> {
    const response = await this.#request(request)
    if (response.status >= 300) throw await this.#failure(request, response)
    try {
      return answer.parse(JSON.parse(await response.text()))
    } catch (cause) {
      const reason = cause instanceof z.ZodError ? z.prettifyError(cause).slice(0, 200) : errorMessage(cause)
      throw deliveryUncertain(
        'MATTERMOST_FAILED',
        `Mattermost's answer to the request to ${request.what} cannot be read: ${reason}.`,
      )
    }
  }

  /** A file, to be read by the caller. */
  async file(id: string, signal: AbortSignal): Promise<NetResponse> {
    const request = { method: 'GET', path: `/files/${encodeURIComponent(id)}`, what: 'give a file' } as const
    const response = await this.#request(request, signal)
    if (response.status !== 200) throw await this.#failure(request, response)
    return response
  }

  async #request(request: ApiRequest, signal?: AbortSignal) {
    const { method, path, json, form, what, timeoutMs = TIMEOUT_MS, commit } = request
    const { net, url, token } = this.#account
    const body = json === undefined ? form?.body : JSON.stringify(json)
    const type = json === undefined ? form?.contentType : 'application/json'
    try {
      return await net.request({
        ...{ url: `${url}/api/v4${path}`, method, timeoutMs, idleMs: TIMEOUT_MS },
        headers: { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }) },
        ...(body !== undefined && { body }),
        signal: signal ? AbortSignal.any([signal, this.#account.signal]) : this.#account.signal,
        ...(method === 'POST' && { once: true as const }),
        ...(commit && { commit }),
      })
    } catch (cause) {
      throw deliveryErrorFromNetwork('MATTERMOST_FAILED', `Mattermost could not be asked to ${what}`, cause)
    }
  }

  async #failure({ what }: ApiRequest, response: NetResponse): Promise<Error> {
    const said = await response.text(100_000).catch(() => '')
    if (response.status === 401) {
      this.#account.refusedToken(UNAUTHORIZED)
      return deliveryRefused('MATTERMOST_UNAUTHORIZED', UNAUTHORIZED)
    }
    const told = problem.safeParse(tryParseJson(said)?.value).data
    const reason = told ? `${told.message}${told.id ? ` (${told.id})` : ''}` : said.trim().slice(0, 200)
    const seconds = Number(response.headers['x-ratelimit-reset'])
    const isWait = response.status === 429 && seconds > 0 && seconds <= 3600
    return deliveryErrorFromResponse({
      ...{ code: 'MATTERMOST_FAILED', what: `Mattermost refused to ${what}`, response },
      ...(reason && { reason }),
      ...(isWait && { waitMs: Math.ceil(seconds * 1000) }),
    })
  }
}
