/**
 * The HTTP interface of `signal-cli daemon --http` (man signal-cli-jsonrpc): JSON-RPC 2.0 at `/api/v1/rpc`, events at
 * `/api/v1/events`, a sign of life at `/api/v1/check`. Codes of errors: org.asamk.signal.jsonrpc.SignalJsonRpcCommandHandler.
 */
import { type Net, type NetResponse, type Random, type SvcError, tryParseJson } from 'svc/sdk'
import {
  deliveryBusy,
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryRefused,
  deliveryUncertain,
} from 'svc/sdk/platform'

const TIMEOUT_MS = 60_000
const CHECK_MS = 10_000
/** The daemon sends a comment every 15 seconds. */
const SILENT_MS = 60_000

const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602
const RATE_LIMIT = -5
/** Parse error, invalid request, no such method, wrong parameters, error of the user, untrusted key: nothing was done. */
const UNDONE = [-32700, -32600, METHOD_NOT_FOUND, INVALID_PARAMS, -1, -4]

/** `--http` and where it listens; what is asked in whose name. */
export interface Daemon {
  readonly url: string
  readonly account: string
}

interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export class SignalApi {
  readonly daemon: Daemon
  readonly #net: () => Net
  readonly #random: () => Random

  constructor(daemon: Daemon, { net, random }: { readonly net: () => Net; readonly random: () => Random }) {
    this.daemon = daemon
    this.#net = net
    this.#random = random
  }

  /** Whether the daemon runs. Throws when it cannot be asked. */
  async check(signal?: AbortSignal): Promise<void> {
    const response = await this.#request('/api/v1/check', { timeoutMs: CHECK_MS, ...(signal && { signal }) })
    response.close()
    if (response.status !== 200) throw this.#httpFailure(response)
  }

  /** The result of a method. `limit`: the most bytes of the answer. Fails as deliveries do. */
  async call(
    method: string,
    params: object,
    options: {
      readonly limit?: number
      readonly signal?: AbortSignal
      readonly commit?: () => void
      readonly timeoutMs?: number
    } = {},
  ): Promise<unknown> {
    const id = this.#random().uuid()
    const { account } = this.daemon
    const own = account === '' ? {} : { account }
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...own, ...params } })
    const response = await this.#request('/api/v1/rpc', { body, ...options })
    const text = await response.text(options.limit).catch((cause) => {
      throw this.#unasked(cause)
    })
    if (response.status !== 200) throw this.#httpFailure(response, text)
    const answer = tryParseJson(text)?.value as { result?: unknown; error?: RpcError } | undefined
    if (answer?.error) throw toFailure(answer.error)
    if (answer?.result !== undefined) return answer.result
    throw deliveryUncertain(
      'SIGNAL_FAILED',
      'The daemon of signal-cli answered something that is no JSON-RPC. Check its address.',
    )
  }

  /** The stream of events; after the one with `lastId` when the daemon still has it. */
  async events(lastId: string | undefined, signal: AbortSignal): Promise<NetResponse> {
    const path = `/api/v1/events?account=${encodeURIComponent(this.daemon.account)}`
    const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) }
    const response = await this.#request(path, { headers, signal, idleMs: SILENT_MS })
    if (response.status === 200) return response
    throw this.#httpFailure(response, await response.text().catch(() => ''))
  }

  #request(
    path: string,
    options: {
      readonly body?: string
      readonly headers?: Record<string, string>
      readonly timeoutMs?: number
      readonly idleMs?: number
      readonly signal?: AbortSignal
      readonly commit?: () => void
    },
  ): Promise<NetResponse> {
    const { body, headers, signal, commit, timeoutMs = TIMEOUT_MS, idleMs = TIMEOUT_MS } = options
    const request = {
      url: `${this.daemon.url}${path}`,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      timeoutMs,
      idleMs,
      ...(signal && { signal }),
      ...(commit && { commit }),
      ...(body !== undefined && { body, once: true as const }),
    }
    return this.#net()
      .request(request)
      .catch((cause) => {
        throw this.#unasked(cause)
      })
  }

  #unasked(cause: unknown): SvcError {
    return deliveryErrorFromNetwork(
      'SIGNAL_FAILED',
      `The daemon of signal-cli at ${this.daemon.url} cannot be asked`,
      cause,
    )
  }

  #httpFailure(response: NetResponse, reason = ''): SvcError {
    const plain = /^\s*</.test(reason) ? '' : reason
    return deliveryErrorFromResponse({
      code: 'SIGNAL_FAILED',
      what: 'The daemon of signal-cli refused',
      response,
      reason: plain,
    })
  }
}

/** The account itself is refused, not this request. */
const GONE = /not registered with signal|authorization ?failed|account does not exist|not linked|\b401\b/i

function toFailure({ code, message, data }: RpcError): SvcError {
  if (isOfAccount(code, message)) return unauthorized(message)
  if (code === RATE_LIMIT || /rate ?limit/i.test(message)) return limited(message, data)
  const what = `signal-cli refused: ${message}`
  if (UNDONE.includes(code)) return deliveryRefused('SIGNAL_FAILED', what)
  return deliveryUncertain('SIGNAL_FAILED', what)
}

function isOfAccount(code: number, message: string): boolean {
  if (code === INVALID_PARAMS) return /account/i.test(message)
  return code !== METHOD_NOT_FOUND && GONE.test(message)
}

/** The user has to link the account again. */
export function unauthorized(reason: string): SvcError {
  const advice = 'Link the account again with `signal-cli link`, restart the daemon, then run `svc gateway` again.'
  return deliveryRefused('SIGNAL_UNAUTHORIZED', `Signal does not accept the account: ${reason}. ${advice}`)
}

/** `data` may hold what became of each recipient, with the wait. */
export function limited(message: string, data: unknown): SvcError {
  const waits = JSON.stringify(data ?? {}).matchAll(/"retryAfterSeconds":(\d+)/g)
  const seconds = Math.max(0, ...[...waits].map(([, wait]) => Number(wait)))
  return deliveryBusy('SIGNAL_LIMITED', `Signal limits how fast the account may send: ${message}`, {
    ...(seconds > 0 && { retryAfterMs: seconds * 1000 }),
  })
}

/** A method that this daemon does not have. */
export function isUnknownMethod(error: unknown): boolean {
  return error instanceof Error && /method not (?:found|implemented)/i.test(error.message)
}
