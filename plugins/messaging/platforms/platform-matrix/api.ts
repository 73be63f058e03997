/**
 * The client-server API of Matrix (spec.matrix.org/latest/client-server-api): requests with a token, and its standard
 * error, `{"errcode": "M_...", "error": "..."}`.
 */
import { type Net, type NetResponse, type Secrets, SvcError, tryParseJson } from 'svc/sdk'
import {
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryRefused,
  type FailedResponse,
} from 'svc/sdk/platform'

const TIMEOUT_MS = 30_000
const ERROR_BYTES = 65_536

/** One request; its path is below `/_matrix`. */
export interface MatrixRequest {
  readonly method?: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON, unless it is bytes. */
  readonly body?: unknown
  readonly mediaType?: string
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
  /** Done twice, it would leave something behind. */
  readonly once?: true
  /** Without a token: for the login itself. */
  readonly isOpen?: boolean
}

export interface ApiDeps {
  readonly homeserver: string
  readonly net: () => Net
  readonly secrets: () => Secrets
}

const errcodes = new WeakMap<SvcError, string>()
const authSessions = new WeakMap<SvcError, string>()

/** The `M_...` of a failed request. */
export function getErrcode(error: unknown): string | undefined {
  return error instanceof SvcError ? errcodes.get(error) : undefined
}

/** The session of a request that has to be made again with a password (user-interactive authentication). */
export function getAuthSession(error: unknown): string | undefined {
  return error instanceof SvcError ? authSessions.get(error) : undefined
}

export class MatrixApi {
  readonly #deps: ApiDeps
  #token = ''

  constructor(deps: ApiDeps) {
    this.#deps = deps
  }

  /** Undefined when it is not known yet. */
  get token(): string | undefined {
    return this.#token || undefined
  }

  set token(token: string | undefined) {
    this.#token = token ?? ''
    if (token) this.#deps.secrets().protect(token)
  }

  /** The answer, which is an object. Fails as deliveries do. */
  async ask(request: MatrixRequest): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.open(request)
    const text = await response.text().catch((cause) => {
      throw deliveryErrorFromNetwork('MATRIX_FAILED', `The homeserver broke off its answer to ${request.path}`, cause)
    })
    const value = tryParseJson(text)?.value
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
    const status = response.status
    throw new SvcError(
      'MATRIX_FAILED',
      `The homeserver answered ${request.path} with HTTP ${status} and something that is not JSON. Check its address.`,
      { status: 502 },
    )
  }

  /** The answer with its body unread; one that is not 2xx is a failure. */
  async open(request: MatrixRequest): Promise<NetResponse> {
    const { path, query, method = 'GET', signal, timeoutMs = TIMEOUT_MS, once } = request
    const parameters = query ? `?${new URLSearchParams(query)}` : ''
    const response = await this.#deps
      .net()
      .request({
        url: `${this.#deps.homeserver}/_matrix${path}${parameters}`,
        method,
        headers: this.#headers(request),
        timeoutMs,
        idleMs: timeoutMs,
        ...(signal && { signal }),
        ...(once && { once }),
        ...encodeBody(request.body),
      })
      .catch((cause) => {
        throw deliveryErrorFromNetwork('MATRIX_FAILED', 'The homeserver cannot be asked', cause)
      })
    if (response.status >= 200 && response.status < 300) return response
    throw await this.#failure(response)
  }

  #headers({ body, mediaType, isOpen }: MatrixRequest): Record<string, string> {
    return {
      ...(!isOpen && this.#token && { authorization: `Bearer ${this.#token}` }),
      ...(body !== undefined && { 'content-type': mediaType ?? 'application/json' }),
    }
  }

  async #failure(response: NetResponse): Promise<SvcError> {
    const text = await response.text(ERROR_BYTES).catch(() => '')
    const said = (tryParseJson(text)?.value ?? {}) as {
      errcode?: unknown
      error?: unknown
      retry_after_ms?: unknown
      session?: unknown
    }
    const errcode = typeof said.errcode === 'string' ? said.errcode : ''
    const words = typeof said.error === 'string' ? said.error : ''
    const reason = this.#deps.secrets().mask([errcode, words].filter(Boolean).join(': '))
    const error = toFailure(errcode, {
      code: 'MATRIX_FAILED',
      what: 'The homeserver refused',
      response,
      reason,
      ...(typeof said.retry_after_ms === 'number' && { waitMs: said.retry_after_ms }),
    })
    errcodes.set(error, errcode)
    if (response.status === 401 && typeof said.session === 'string') authSessions.set(error, said.session)
    return error
  }
}

/** Tokens that ended are known by their errcode, soft logouts too; a wrong password is `M_FORBIDDEN` of the login. */
function toFailure(errcode: string, answer: FailedResponse): SvcError {
  if (errcode === 'M_UNKNOWN_TOKEN' || errcode === 'M_MISSING_TOKEN') {
    const advice = 'Set MATRIX_ACCESS_TOKEN, or MATRIX_USER_ID and MATRIX_PASSWORD, to valid ones.'
    return deliveryRefused('MATRIX_UNAUTHORIZED', `The homeserver does not accept the access token any more. ${advice}`)
  }
  // Some servers limit with another status than 429.
  if (errcode === 'M_LIMIT_EXCEEDED')
    return deliveryErrorFromResponse({ ...answer, response: { ...answer.response, status: 429 } })
  return deliveryErrorFromResponse(answer)
}

function encodeBody(body: unknown): { body?: string | Uint8Array } {
  if (body === undefined) return {}
  return { body: body instanceof Uint8Array ? body : JSON.stringify(body) }
}

/** Whether the token or the account is no longer valid. */
export function isLoggedOut(error: unknown): boolean {
  return ['M_UNKNOWN_TOKEN', 'M_MISSING_TOKEN', 'M_USER_DEACTIVATED'].includes(getErrcode(error) ?? '')
}
