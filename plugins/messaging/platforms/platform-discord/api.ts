/**
 * Discord's REST API, version 10 (discord.com/developers/docs/reference): authorisation, errors and rate limits
 * (.../topics/rate-limits). A limit that is known is not tried: it is `busy` at once, for as long as Discord said.
 */
import { type Clock, errorMessage, type Net, type NetResponse, tryParseJson } from 'svc/sdk'
import {
  deliveryBusy,
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryRefused,
  deliveryThreadGone,
  deliveryUncertain,
} from 'svc/sdk/platform'
import { z } from 'zod'

/** How a request is made. */
export interface ApiAccount {
  readonly net: Net
  readonly clock: Clock
  readonly url: string
  readonly token: string
  readonly signal: AbortSignal
  /** The token is not accepted any more. */
  refusedToken(reason: string): void
}

/** A request; `body` is sent as JSON unless it is bytes. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly json?: unknown
  readonly form?: { readonly contentType: string; readonly body: Uint8Array }
  /** What is tried, for people: `send the message`. */
  readonly what: string
  /** Left out: 30 seconds. */
  readonly timeoutMs?: number
  /** Codes of errors that are as good as success: it is so already. */
  readonly fine?: readonly number[]
  readonly signal?: AbortSignal
}

const problem = z.object({ message: z.string(), code: z.number().optional(), errors: z.unknown().optional() })
const fieldMessages = z.array(z.object({ message: z.string() }))
const tooFast = z.object({ retry_after: z.number(), global: z.boolean().default(false) })

/**
 * A thread that was deleted (Unknown Channel), is archived for good, or is locked
 * (discord.com/developers/docs/topics/opcodes-and-status-codes, "JSON Error Codes").
 */
const GONE = [10003, 50083, 160005]

export const UNAUTHORIZED =
  'Discord does not accept the bot token. Make a new one at https://discord.com/developers/applications ' +
  '(Bot, Reset Token) and set it: svc config set DISCORD_BOT_TOKEN <token>.'

/** One bot's way to the API. */
export class DiscordApi {
  readonly #account: ApiAccount
  /** The end of each rate limit, by the monotonic clock; `*` is the global one. */
  readonly #closed: Map<string, number> = new Map()

  constructor(account: ApiAccount) {
    this.#account = account
  }

  /** The answer, checked; throws what `refused`, `busy` and `unsure` make. */
  async ask<T>(request: ApiRequest, answer: z.ZodType<T>): Promise<T> {
    const response = await this.#request(request)
    try {
      const body: unknown = JSON.parse((await response.text()) || 'null')
      return answer.parse(body)
    } catch (cause) {
      const message = `Discord's answer to the request to ${request.what} cannot be read: ${shortReason(cause)}`
      throw deliveryUncertain('DISCORD_FAILED', message, cause)
    }
  }

  /** For requests whose answer says nothing. */
  async tell(request: ApiRequest): Promise<void> {
    const response = await this.#request(request)
    response.close()
  }

  async #request(request: ApiRequest): Promise<NetResponse> {
    const place = getRateLimitKey(request)
    this.#leaveAlone(place)
    const response = await this.#fetch(request)
    this.#noteLimits(place, response)
    if (response.status < 300) return response
    const failure = await this.#failure(place, request, response)
    if (failure) throw failure
    return response
  }

  async #fetch({ method, path, json, form, what, timeoutMs = 30_000, signal: end }: ApiRequest): Promise<NetResponse> {
    const { net, url, token, signal } = this.#account
    const type = json === undefined ? form?.contentType : 'application/json'
    const body = json === undefined ? form?.body : JSON.stringify(json)
    try {
      return await net.request({
        url: `${url.replace(/\/+$/, '')}${path}`,
        method,
        headers: {
          authorization: `Bot ${token}`,
          // Discord blocks what does not name itself like this (reference, "User Agent").
          'user-agent': 'DiscordBot (https://svc.invalid, 0.1.0)',
          ...(type && { 'content-type': type }),
        },
        ...(body !== undefined && { body }),
        ...{ signal: end ? AbortSignal.any([signal, end]) : signal, timeoutMs, idleMs: 30_000 },
      })
    } catch (cause) {
      throw deliveryErrorFromNetwork('DISCORD_FAILED', `Discord could not be asked to ${what}`, cause)
    }
  }

  /** Throws `busy` while a limit holds. */
  #leaveAlone(place: string): void {
    const now = this.#account.clock.monotonic()
    const until = Math.max(this.#closed.get('*') ?? 0, this.#closed.get(place) ?? 0)
    if (until <= now) return void this.#closed.delete(place)
    const retryAfterMs = Math.ceil(until - now)
    throw deliveryBusy('DISCORD_FAILED', `Discord wants to be left alone for ${retryAfterMs} ms.`, { retryAfterMs })
  }

  #close(place: string, ms: number): void {
    if (!(ms > 0)) return
    const now = this.#account.clock.monotonic()
    if (this.#closed.size >= 500) for (const [each, until] of this.#closed) if (until <= now) this.#closed.delete(each)
    this.#closed.set(place, now + Math.min(ms, 3_600_000))
  }

  #noteLimits(place: string, { status, headers }: NetResponse): void {
    const left = headers['x-ratelimit-remaining']
    if (status !== 429 && left === '0') this.#close(place, Number(headers['x-ratelimit-reset-after']) * 1000)
  }

  /** Undefined for what is so already. */
  async #failure(place: string, { what, fine = [] }: ApiRequest, response: NetResponse): Promise<Error | undefined> {
    const said = await response.text(100_000).catch(() => '')
    if (response.status === 401) {
      this.#account.refusedToken(UNAUTHORIZED)
      return deliveryRefused('DISCORD_UNAUTHORIZED', UNAUTHORIZED)
    }
    const body = tryParseJson(said)?.value
    const limit = response.status === 429 ? tooFast.safeParse(body).data : undefined
    const waitMs = limit && Math.ceil(limit.retry_after * 1000)
    if (limit && waitMs !== undefined) this.#close(limit.global ? '*' : place, waitMs)
    const reason = findReason(body) ?? said.trim().slice(0, 200)
    const code = problem.safeParse(body).data?.code
    if (code !== undefined && fine.includes(code)) return undefined
    if (code !== undefined && GONE.includes(code))
      return deliveryThreadGone('DISCORD_FAILED', `Discord refused to ${what}: ${reason}.`)
    const error = deliveryErrorFromResponse({
      code: 'DISCORD_FAILED',
      what: `Discord refused to ${what}`,
      response,
      ...(reason && { reason }),
      ...(waitMs !== undefined && { waitMs }),
    })
    if (code !== undefined) problemCodes.set(error, code)
    return error
  }
}

const problemCodes = new WeakMap<Error, number>()

/** Discord's own number of what it refused (.../topics/opcodes-and-status-codes, "JSON Error Codes"). */
export function getProblemCode(error: unknown): number | undefined {
  return error instanceof Error ? problemCodes.get(error) : undefined
}

/** In the words of Discord. Of a form it names the fields apart from the message (reference, "Error Messages"). */
function findReason(body: unknown): string | undefined {
  const { data } = problem.safeParse(body)
  if (!data) return undefined
  const { message, code, errors } = data
  const fields = fieldErrors(errors, '').slice(0, MAX_FIELDS).join('; ')
  return `${message}${code ? ` (code ${code})` : ''}${fields && `: ${fields.slice(0, 300)}`}`
}

const MAX_FIELDS = 3

function fieldErrors(errors: unknown, path: string): readonly string[] {
  if (typeof errors !== 'object' || errors === null) return []
  return Object.entries(errors).flatMap(([name, value]) => {
    if (name !== '_errors') return fieldErrors(value, path ? `${path}.${name}` : name)
    const { data = [] } = fieldMessages.safeParse(value)
    return data.map(({ message }) => `${path}: ${message}`)
  })
}

/** Limits hold for a channel or a guild, whatever the message. */
function getRateLimitKey({ method, path }: ApiRequest): string {
  return `${method} ${path.replace(/\?.*$/, '').replace(/(\/messages)\/\d+/, '$1')}`
}

function shortReason(cause: unknown): string {
  return cause instanceof z.ZodError ? `${z.prettifyError(cause).slice(0, 200)}.` : `${errorMessage(cause)}.`
}
