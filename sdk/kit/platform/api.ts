/** Requests to the API of a chat service, whose failures say what is certain of them. */
import {
  classifyDeliveryError,
  deliveryBusy,
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryRefused,
  deliveryUncertain,
  readWithLimit,
} from '../../delivery.ts'
import { errorMessage, SvcError } from '../../errors.ts'
import { tryParseJson } from '../../model-stream.ts'
import type { Net, NetResponse } from '../../ports.ts'
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
  /** `refused`: permanently; `busy`: it may be tried again; `logged-out`: the account is not accepted any more. */
  readonly kind?: 'refused' | 'busy' | 'logged-out'
  /** Milliseconds to wait, outside of `Retry-After`. */
  readonly waitMs?: number
}

/** @since 0.2 */
export interface PlatformApiOptions {
  /** The service, as people call it. */
  readonly label: string
  readonly baseUrl: string
  /** Sent with every request to `baseUrl`, and nowhere else. */
  readonly headers: () => Readonly<Record<string, string>>
  /** Default: 401 is `logged-out`, and the status decides the rest. */
  readonly refusal?: (answer: PlatformAnswer) => PlatformRefusal
  /** Called when the account is not accepted any more. */
  readonly onLogOut?: (error: SvcError) => void
  readonly net: () => Net
}

/** One request. @since 0.2 */
export interface PlatformCall<T> {
  /** Below `baseUrl`. */
  readonly path: string
  readonly json?: unknown
  readonly form?: URLSearchParams
  readonly headers?: Readonly<Record<string, string>>
  /** `OutboundMessage.commit`: the request is sent once, and not repeated on a new connection. */
  readonly commit?: (() => void) | undefined
  readonly signal?: AbortSignal
  /** Of the answer. One that does not fit is unsure: the request may have been done. */
  readonly answer: Schema<T>
  /** Statuses besides 2xx that are an answer, too. */
  readonly accept?: readonly number[]
}

const TIMEOUT_MS = 30_000

/** The API of a service. @since 0.2 */
export class PlatformApi {
  readonly #options: PlatformApiOptions

  constructor(options: PlatformApiOptions) {
    this.#options = options
  }

  /**
   * Asks, and reads the answer. Throws `PLATFORM_UNAUTHORIZED`, `PLATFORM_REFUSED` and `PLATFORM_UNREACHABLE`, each with what is certain
   * of it.
   */
  async ask<T>(call: PlatformCall<T>): Promise<T> {
    const { label } = this.#options
    const unreachable = (cause: unknown) => {
      throw deliveryErrorFromNetwork('PLATFORM_UNREACHABLE', `${label} could not be reached`, cause)
    }
    const response = await this.#request(call).catch(unreachable)
    const text = await response.text().catch(unreachable)
    const answer = { status: response.status, headers: response.headers, json: tryParseJson(text)?.value }
    const isOk = response.status >= 200 && response.status < 300
    if (!isOk && !call.accept?.includes(response.status)) throw this.#fail(answer, response)
    const read = await call.answer['~standard'].validate(answer.json)
    if (!read.issues) return read.value
    const strange = `${label} answered something strange; what was asked may have been done.`
    throw deliveryUncertain('PLATFORM_UNREACHABLE', strange)
  }

  /** The bytes at an address, which gets the credentials only if it is at one of `origins`. Throws `PLATFORM_MEDIA`. */
  async fetch(
    url: string,
    options: { readonly origins: readonly string[]; readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    const { label, headers, net } = this.#options
    const { origins, maxBytes, signal } = options
    if (!URL.canParse(url) || !origins.includes(new URL(url).origin))
      throw new SvcError('PLATFORM_MEDIA', `The file is not at ${origins.join(' or ')}. It is not fetched.`)
    const response = await net().request({ url, headers: headers(), signal, timeoutMs: TIMEOUT_MS })
    if (response.status === 200) return readWithLimit(response.body, { name: 'The file', maxBytes })
    response.close()
    throw new SvcError('PLATFORM_MEDIA', `${label} did not give the file: HTTP ${response.status}.`)
  }

  #request({ path, json, form, headers, commit, signal }: PlatformCall<unknown>): Promise<NetResponse> {
    const { baseUrl, headers: own, net } = this.#options
    const isPost = json !== undefined || form !== undefined
    return net().request({
      url: `${baseUrl.replace(/\/+$/, '')}${path}`,
      headers: {
        accept: 'application/json',
        ...own(),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      timeoutMs: TIMEOUT_MS,
      ...(isPost && { method: 'POST', once: true }),
      ...(json !== undefined && { json }),
      ...(form && { body: form.toString() }),
      ...(commit && { commit }),
      ...(signal && { signal }),
    })
  }

  #fail(answer: PlatformAnswer, response: NetResponse): SvcError {
    const { label, refusal, onLogOut } = this.#options
    const isUnauthorized = answer.status === 401
    const { kind, reason, waitMs } = refusal?.(answer) ?? { kind: isUnauthorized ? ('logged-out' as const) : undefined }
    const said = reason === undefined ? `HTTP ${answer.status}` : reason.slice(0, 300)
    if (kind === 'logged-out') {
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
      ...{ code: 'PLATFORM_REFUSED', what, response },
      ...(reason !== undefined && { reason }),
      ...(waitMs !== undefined && { waitMs }),
    })
  }
}

/** What a check of the account threw: final if the account is refused, else a reason to connect again later. */
export function toConnectError(label: string, error: unknown): unknown {
  if (classifyDeliveryError(error).kind === 'refused') return error
  const message = `${label} could not be asked whose account it is: ${errorMessage(error)}`
  return deliveryBusy('PLATFORM_UNREACHABLE', message, { cause: error })
}
