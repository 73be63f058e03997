/** Requests to the API of a chat service, whose failures say what is certain of them. */
import {
  beforeSending,
  classifyDeliveryError,
  deliveryBusy,
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryRefused,
  deliveryUncertain,
  readWithLimit,
} from '../../delivery.ts'
import { errorMessage, SvcError } from '../../errors.ts'
import { encodeMultipartForm } from '../../media.ts'
import { tryParseJson } from '../../model-stream.ts'
import type { Clock, Net, NetResponse, Random } from '../../ports.ts'
import type { Schema } from '../../schema.ts'

/** An answer of a service, read. @since 0.2 */
export interface PlatformAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if the body is no JSON. */
  readonly json: unknown
}

/** What a refusal of the service means, where its status alone does not say it. @since 0.2 */
export interface PlatformRefusal {
  /** In the words of the service, without secrets. */
  readonly reason?: string
  /**
   * `refused`: permanently; `busy`: it may be tried again; `logged-out`: the account is not accepted any more; `expired`: only the token
   * is not, so the request is made once more with a new one. Without `token` that is `logged-out`.
   */
  readonly kind?: 'refused' | 'busy' | 'logged-out' | 'expired'
  /** Milliseconds to wait, outside of `Retry-After`. */
  readonly waitMs?: number
}

/** @since 0.2 */
export interface PlatformApiOptions {
  /** The service, as people call it. */
  readonly label: string
  readonly baseUrl: string
  /** Sent with every request to `baseUrl` or `PlatformCall.baseUrl`, and nowhere else. `token` is empty without `token`. */
  readonly headers?: (token: string) => Readonly<Record<string, string>>
  /** The same in the query of the address. */
  readonly query?: (token: string) => Readonly<Record<string, string>>
  /** Of a service that gives a token for a while: how it is asked for. It is used until it expires or is refused. */
  readonly token?: () => PlatformTokenCall | Promise<PlatformTokenCall>
  /** Of a service that refuses with a 2xx status: whether this answer is a refusal. */
  readonly isRefusal?: (answer: PlatformAnswer) => boolean
  /** Default: 401 is `logged-out`, or with `token` `expired`; the status decides the rest. */
  readonly refusal?: (answer: PlatformAnswer) => PlatformRefusal
  /** Called when the account is not accepted any more. */
  readonly onLogOut?: (error: SvcError) => void
  readonly net: () => Net
  /** Needed with `token`. */
  readonly clock?: () => Pick<Clock, 'now'>
  /** Needed for `PlatformCall.upload`. */
  readonly random?: () => Pick<Random, 'hex'>
}

/** A token that a service gives for a while. @since 0.2 */
export interface PlatformToken {
  readonly token: string
  /** In milliseconds, from the answer on. It is renewed a little earlier. */
  readonly lifetimeMs: number
}

/** How a token is asked for. @since 0.2 */
export interface PlatformTokenCall
  extends Pick<PlatformCall<PlatformToken>, 'path' | 'json' | 'form' | 'headers' | 'answer'> {
  /** Where it is asked for; left out: the `baseUrl` of the API. */
  readonly baseUrl?: string
}

/** A form with files, `multipart/form-data`. @since 0.2 */
export interface PlatformUpload {
  readonly fields?: Readonly<Record<string, string>>
  readonly files: Parameters<typeof encodeMultipartForm>[1]
}

/** One request. @since 0.2 */
export interface PlatformCall<T> {
  /** Below `baseUrl`. */
  readonly path: string
  /** Another address of the same service. It gets the credentials, too: check where it leads before. */
  readonly baseUrl?: string
  /** Default `GET`, with a body `POST`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly json?: unknown
  readonly form?: URLSearchParams
  readonly upload?: PlatformUpload
  readonly headers?: Readonly<Record<string, string>>
  /** `OutboundMessage.commit`: the request is sent once, and not repeated on a new connection. */
  readonly commit?: (() => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the answer begins (default 30,000), for services that wait with it until something happens. */
  readonly timeoutMs?: number
  /** Of the answer. One that does not fit is unsure: the request may have been done. */
  readonly answer: Schema<T>
  /** Statuses besides 2xx that are an answer, too. */
  readonly accept?: readonly number[]
}

/** A file that is fetched. @since 0.2 */
export interface PlatformFetch {
  /** As in `URL.origin`. */
  readonly origins: readonly string[]
  readonly maxBytes: number
  readonly signal: AbortSignal
  readonly redirects?: number
  /** The address needs no credentials, and gets none. */
  readonly isPublic?: true
}

const TIMEOUT_MS = 30_000
/** A token is not used in the last minute of its life, on which both clocks may disagree. */
const EARLIER_MS = 60_000

interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}

/** The API of a service. @since 0.2 */
export class PlatformApi {
  readonly #options: PlatformApiOptions
  #token: Promise<{ readonly token: string; readonly until: number }> | undefined
  /** The value of the newest token. */
  #known = ''

  constructor(options: PlatformApiOptions) {
    this.#options = options
  }

  /**
   * Asks, and reads the answer. Throws `PLATFORM_UNAUTHORIZED`, `PLATFORM_REFUSED` and `PLATFORM_UNREACHABLE`, each with what is certain
   * of it.
   */
  async ask<T>(call: PlatformCall<T>): Promise<T> {
    const { token } = this.#options
    const baseUrl = call.baseUrl ?? this.#options.baseUrl
    const first = await this.#getToken()
    const answered = await this.#exchange(baseUrl, call, this.#credentials(first))
    if (!answered.refusal) return this.#read(call, answered.answer)
    if (answered.refusal.kind !== 'expired' || !token) throw this.#fail(answered.answer, answered.refusal)
    this.#forget(first)
    const again = await this.#exchange(baseUrl, call, this.#credentials(await this.#getToken()))
    if (again.refusal) throw this.#fail(again.answer, again.refusal)
    return this.#read(call, again.answer)
  }

  /**
   * Asks for a token unless there is one that lives: the proof of an account at a service that has no request for it. Throws as `ask`
   * does.
   */
  async signIn(): Promise<void> {
    await this.#getToken()
  }

  /**
   * The bytes at an address, which gets the credentials only if it is at one of `origins`. Up to `redirects` (default 0) are followed, and
   * get no credentials elsewhere. Throws `PLATFORM_MEDIA`.
   */
  async fetch(url: string, { origins, maxBytes, signal, redirects = 0, isPublic }: PlatformFetch): Promise<Uint8Array> {
    const { label, net } = this.#options
    const isOwn = (address: string) => URL.canParse(address) && origins.includes(new URL(address).origin)
    if (!isOwn(url))
      throw new SvcError('PLATFORM_MEDIA', `The file is not at ${origins.join(' or ')}. It is not fetched.`)
    const own = isPublic ? { headers: {}, query: {} } : this.#credentials(await this.#getToken())
    for (let at = url, left = redirects; ; left--) {
      const { headers, query } = isOwn(at) ? own : { headers: {}, query: {} }
      const response = await net().request({ url: withQuery(at, query), headers, signal, timeoutMs: TIMEOUT_MS })
      if (response.status === 200) return readWithLimit(response.body, { name: 'The file', maxBytes })
      response.close()
      const next = response.status >= 300 && response.status < 400 ? response.headers['location'] : undefined
      if (next === undefined || left <= 0 || !URL.canParse(next, at))
        throw new SvcError('PLATFORM_MEDIA', `${label} did not give the file: HTTP ${response.status}.`)
      at = new URL(next, at).href
    }
  }

  /** The token that is used now, for a connection that is no request; empty without `token`. Throws as `ask` does. */
  token(): Promise<string> {
    return this.#getToken()
  }

  #credentials(token: string): Credentials {
    const { headers, query } = this.#options
    return { headers: headers?.(token) ?? {}, query: query?.(token) ?? {} }
  }

  /** Calls at the same time wait for one token. */
  async #getToken(): Promise<string> {
    const { token, clock } = this.#options
    if (!token) return ''
    const now = () => clock?.().now() ?? 0
    const ask = () => {
      this.#token ??= this.#askToken(token, now).catch((error: unknown) => {
        this.#token = undefined
        throw error
      })
      return this.#token
    }
    const current = await ask()
    if (now() < current.until) return current.token
    this.#forget(current.token)
    return (await ask()).token
  }

  /** Unless a newer one was asked for meanwhile. */
  #forget(token: string): void {
    if (this.#known !== token) return
    this.#known = ''
    this.#token = undefined
  }

  async #askToken(
    create: NonNullable<PlatformApiOptions['token']>,
    now: () => number,
  ): Promise<{ token: string; until: number }> {
    const call = await create()
    const asked = this.#exchange(call.baseUrl ?? this.#options.baseUrl, call, { headers: {}, query: {} })
    // Without a token nothing was done yet.
    const { answer, refusal } = await beforeSending(asked)
    if (refusal) throw this.#fail(answer, refusal)
    const { token, lifetimeMs } = await beforeSending(this.#read(call, answer))
    this.#known = token
    return { token, until: now() + Math.max(lifetimeMs - EARLIER_MS, lifetimeMs / 2) }
  }

  async #exchange(
    baseUrl: string,
    call: Omit<PlatformCall<unknown>, 'answer'>,
    credentials: Credentials,
  ): Promise<{ readonly answer: PlatformAnswer; readonly refusal?: PlatformRefusal }> {
    const { label, isRefusal, refusal, token } = this.#options
    const unreachable = (cause: unknown) => {
      call.signal?.throwIfAborted()
      throw deliveryErrorFromNetwork('PLATFORM_UNREACHABLE', `${label} could not be reached`, cause)
    }
    const response = await this.#request(baseUrl, call, credentials).catch(unreachable)
    const text = await response.text().catch(unreachable)
    const { status, headers } = response
    const answer = { status, headers, json: tryParseJson(text)?.value }
    const isOk = (status >= 200 && status < 300) || call.accept?.includes(status)
    if (isOk && !isRefusal?.(answer)) return { answer }
    const kind = token ? 'expired' : 'logged-out'
    return { answer, refusal: { ...(status === 401 && { kind }), ...refusal?.(answer) } }
  }

  async #read<T>({ answer: schema }: { readonly answer: Schema<T> }, { json }: PlatformAnswer): Promise<T> {
    const read = await schema['~standard'].validate(json)
    if (!read.issues) return read.value
    const strange = `${this.#options.label} answered something strange; what was asked may have been done.`
    throw deliveryUncertain('PLATFORM_UNREACHABLE', strange)
  }

  #request(
    baseUrl: string,
    call: Omit<PlatformCall<unknown>, 'answer'>,
    credentials: Credentials,
  ): Promise<NetResponse> {
    const { path, json, headers, commit, signal, timeoutMs = TIMEOUT_MS } = call
    const encoded = this.#encode(call)
    const { method = encoded || json !== undefined ? 'POST' : 'GET' } = call
    return this.#options.net().request({
      url: withQuery(`${baseUrl.replace(/\/+$/, '')}${path}`, credentials.query),
      headers: {
        accept: 'application/json',
        ...credentials.headers,
        ...(encoded && { 'content-type': encoded.contentType }),
        ...headers,
      },
      ...{ method, timeoutMs },
      ...(method !== 'GET' && { once: true }),
      ...(json !== undefined && { json }),
      ...(encoded && { body: encoded.body }),
      ...(commit && { commit }),
      ...(signal && { signal }),
    })
  }

  #encode({ form, upload }: Pick<PlatformCall<unknown>, 'form' | 'upload'>) {
    if (upload) return encodeMultipartForm(upload.fields ?? {}, upload.files, this.#options.random?.().hex(24) ?? '')
    return form && { contentType: 'application/x-www-form-urlencoded', body: form.toString() }
  }

  #fail(answer: PlatformAnswer, { kind, reason, waitMs }: PlatformRefusal): SvcError {
    const { label, onLogOut } = this.#options
    const said = reason === undefined ? `HTTP ${answer.status}` : reason.slice(0, 300)
    if (kind === 'logged-out' || kind === 'expired') {
      const error = deliveryRefused('PLATFORM_UNAUTHORIZED', `${label} does not accept the account: ${said}.`)
      onLogOut?.(error)
      return error
    }
    const what = `${label} did not take it`
    if (kind === 'refused') return deliveryRefused('PLATFORM_REFUSED', `${what}: ${said}.`)
    if (kind === 'busy')
      return deliveryBusy('PLATFORM_REFUSED', `${what}: ${said}.`, {
        ...(waitMs !== undefined && { retryAfterMs: waitMs }),
      })
    return deliveryErrorFromResponse({
      ...{ code: 'PLATFORM_REFUSED', what, response: answer },
      ...(reason !== undefined && { reason }),
      ...(waitMs !== undefined && { waitMs }),
    })
  }
}

function withQuery(url: string, query: Readonly<Record<string, string>>): string {
  const names = Object.entries(query)
  if (names.length === 0) return url
  const address = new URL(url)
  for (const [name, value] of names) address.searchParams.set(name, value)
  return address.href
}

/** What a check of the account threw: final if the account is refused, else a reason to connect again later. */
export function toConnectError(label: string, error: unknown): unknown {
  if (classifyDeliveryError(error).kind === 'refused') return error
  const message = `${label} could not be asked whose account it is: ${errorMessage(error)}`
  return deliveryBusy('PLATFORM_UNREACHABLE', message, { cause: error })
}
