/**
 * Slack's Web API (docs.slack.dev/apis/web-api): methods are called with forms, answers say `ok` or name their error. Rate
 * limits answer with HTTP 429 and `Retry-After` (.../apis/web-api/rate-limits).
 */
import { errorMessage, type Net, type NetResponse, tryParseJson } from 'svc/sdk'
import {
  deliveryBusy,
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryRefused,
  deliveryThreadGone,
  deliveryUncertain,
} from 'svc/sdk/platform'
import { parseRetryAfter } from 'svc/sdk/provider'
import { z } from 'zod'

/** How calls are made. */
export interface SlackAccount {
  readonly net: Net
  readonly url: string
  readonly signal: AbortSignal
  /** A token is not accepted any more. */
  refusedToken(reason: string): void
}

export type Arguments = Readonly<Record<string, string | number | boolean | object | undefined>>

const TIMEOUT_MS = 30_000
/** For what people wait for without knowing. */
const NAME_TIMEOUT_MS = 3000
/** Words for a token or an account that will not be good again (.../methods/auth.test). */
const TERMINAL = [
  'not_authed',
  'invalid_auth',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'not_allowed_token_type',
]
/** Nothing was done, and later it may be. */
const NOT_NOW = ['ratelimited', 'rate_limited', 'message_limit_exceeded', 'service_unavailable', 'team_added_to_org']
/** It is unknown whether it was done. */
const NOT_KNOWN = ['internal_error', 'fatal_error', 'request_timeout']

/** The app has not what it takes: a scope, a feature, a plan. */
const LACKING = [
  'missing_scope',
  'access_denied',
  'accesslimited',
  'no_permission',
  'unknown_method',
  'feature_not_enabled',
]

/** Only the thread takes nothing (docs.slack.dev/reference/methods/chat.postMessage, "Errors"). */
const NO_THREAD = ['cannot_reply_to_message', 'restricted_action_thread_locked', 'thread_locked', 'thread_not_found']

const verdict = z.object({ ok: z.boolean(), error: z.string().optional(), needed: z.string().optional() })

/** One way to the API, for a token. */
export class SlackApi {
  readonly #account: SlackAccount
  readonly #token: string
  readonly #variable: string

  /** `variable` is where the token comes from, for people. */
  constructor(account: SlackAccount, token: string, variable: string) {
    this.#account = account
    this.#token = token
    this.#variable = variable
  }

  /** The answer, checked; throws what `refused`, `busy` and `unsure` make. */
  async call<T>(method: string, form: Arguments, answer: z.ZodType<T>, options: CallOptions = {}): Promise<T> {
    const { commit, fine = [], lacking, signal } = options
    const response = await this.#request(`${this.#account.url.replace(/\/+$/, '')}/${method}`, {
      body: encodeForm(form),
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      ...(/^chat\.|^files\.complete/.test(method) && { once: true }),
      ...(commit && { commit }),
      ...(signal && { signal }),
      ...{ what: `Slack could not be asked for ${method}`, isApi: true },
      ...(method === 'users.info' && { timeoutMs: NAME_TIMEOUT_MS }),
    })
    if (response.status !== 200) throw await this.#httpFailure(method, response)
    const body = await readBody(method, response)
    const said = verdict.safeParse(body).data
    if (said?.ok === false && LACKING.includes(said.error ?? '')) lacking?.()
    if (said?.ok === false && !fine.includes(said.error ?? '')) throw this.#refusal(method, said, response)
    const result = answer.safeParse(body)
    if (result.success && said) return result.data
    throw deliveryUncertain('SLACK_FAILED', `Slack's answer to ${method} cannot be understood.`)
  }

  /** Puts the bytes of a file where Slack said. */
  async upload(url: string, bytes: Uint8Array): Promise<void> {
    const what = 'Slack could not be given the file'
    const response = await this.#request(url, { body: bytes, headers: {}, what, timeoutMs: 300_000 })
    response.close()
    if (response.status !== 200)
      throw deliveryErrorFromResponse({ code: 'SLACK_FAILED', what: 'Slack refused the file', response })
  }

  /** A file of a message. Its address is Slack's own; the token is sent along. */
  async file(url: string, signal: AbortSignal): Promise<NetResponse> {
    const either = AbortSignal.any([signal, this.#account.signal])
    const headers = { authorization: `Bearer ${this.#token}` }
    return this.#account.net.request({ url, headers, signal: either, timeoutMs: 60_000, idleMs: 60_000 })
  }

  async #request(url: string, options: PostOptions): Promise<NetResponse> {
    const { body, headers, what, isApi, timeoutMs = TIMEOUT_MS, once, commit, signal: end } = options
    const { net, signal: closed } = this.#account
    const signal = end ? AbortSignal.any([closed, end]) : closed
    try {
      return await net.request({
        ...{ url, method: 'POST', body, signal, timeoutMs, idleMs: TIMEOUT_MS },
        headers: { ...headers, ...(isApi && { authorization: `Bearer ${this.#token}` }) },
        ...(once && { once }),
        ...(commit && { commit }),
      })
    } catch (cause) {
      throw deliveryErrorFromNetwork('SLACK_FAILED', what, cause)
    }
  }

  async #httpFailure(method: string, response: NetResponse): Promise<Error> {
    const text = await response.text(100_000).catch(() => '')
    const said = verdict.safeParse(tryParseJson(text)?.value).data
    if (response.status !== 429 && said?.error) return this.#refusal(method, said, response)
    const reason = said?.error ?? ''
    return deliveryErrorFromResponse({
      code: 'SLACK_FAILED',
      what: `Slack refused ${method}`,
      response,
      ...(reason && { reason }),
    })
  }

  #refusal(method: string, said: z.infer<typeof verdict>, { headers }: NetResponse): Error {
    const error = said.error ?? 'no reason'
    if (TERMINAL.includes(error)) {
      const reason = unauthorized(error, this.#variable)
      this.#account.refusedToken(reason)
      return deliveryRefused('SLACK_UNAUTHORIZED', reason)
    }
    const message = `Slack refused ${method}: ${error}${said.needed ? `; the app needs the scope ${said.needed}` : ''}.`
    const wait = parseRetryAfter(headers, Number.NaN)
    const retry = wait !== undefined && Number.isFinite(wait) ? { retryAfterMs: wait } : {}
    if (NO_THREAD.includes(error)) return deliveryThreadGone('SLACK_FAILED', message)
    if (NOT_NOW.includes(error)) return deliveryBusy('SLACK_FAILED', message, retry)
    return NOT_KNOWN.includes(error)
      ? deliveryUncertain('SLACK_FAILED', message)
      : deliveryRefused('SLACK_FAILED', message)
  }
}

/** What a call brings along. */
export interface CallOptions {
  /** As in `OutboundMessage`. */
  readonly commit?: (() => void) | undefined
  /** Errors that are as good as success: it is so already. */
  readonly fine?: readonly string[]
  /** Called when the app may not do so at all: the call fails, and so would each later one. */
  readonly lacking?: () => void
  /** Ends it before the connection does. */
  readonly signal?: AbortSignal
}

interface PostOptions {
  readonly body: string | Uint8Array
  readonly headers: Readonly<Record<string, string>>
  readonly what: string
  readonly isApi?: boolean
  readonly timeoutMs?: number
  readonly once?: true
  readonly commit?: () => void
  readonly signal?: AbortSignal
}

/** What to do about a token that is not accepted. */
export function unauthorized(error: string, variable: string): string {
  return (
    `Slack does not accept ${variable} (${error}). Open https://api.slack.com/apps, choose the app, install it in the ` +
    `workspace again, and set the token that is shown: svc config set ${variable} <token>.`
  )
}

function encodeForm(form: Arguments): string {
  const given = Object.entries(form).filter(([, value]) => value !== undefined)
  const text = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
  return new URLSearchParams(given.map(([key, value]): [string, string] => [key, text(value)])).toString()
}

async function readBody(method: string, response: NetResponse): Promise<unknown> {
  try {
    return JSON.parse(await response.text())
  } catch (cause) {
    throw deliveryUncertain(
      'SLACK_FAILED',
      `Slack's answer to ${method} cannot be read: ${errorMessage(cause)}.`,
      cause,
    )
  }
}
