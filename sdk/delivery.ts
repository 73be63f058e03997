/** Why a message was not delivered, and what of that is certain. */

import { errorCode, errorMessage, SvcError } from './errors.ts'
import { backoff } from './kit/async/backoff.ts'
import { parseRetryAfter } from './model-wait.ts'
import type { Clock, NetResponse } from './ports.ts'

/**
 * `refused`: it was not sent and never will be; `busy`: it was not sent, and may be tried again; `unsure`: it may have been
 * sent.
 * @since 0.1
 */
export interface DeliveryFailure {
  readonly kind: 'refused' | 'busy' | 'unsure'
  /** Milliseconds to wait before the next request. */
  readonly retryAfterMs?: number
  /** `refused` only because of the thread or topic: the chat itself may take it. */
  readonly isThreadGone?: boolean
}

/** Registered, so that copies of the SDK in one process agree. */
const FAILURE = Symbol.for('svc/sdk:delivery-failure')

function failure(error: SvcError, what: DeliveryFailure): SvcError {
  return Object.defineProperty(error, FAILURE, { value: what })
}

/** The platform rejects it permanently: the chat does not exist, or the token is wrong. @since 0.2 */
export function deliveryRefused(code: string, message: string, cause?: unknown): SvcError {
  return failure(new SvcError(code, message, { status: 502, cause }), { kind: 'refused' })
}

/** The thread or topic is closed or deleted; the outbox sends the message to its chat instead. @since 0.2 */
export function deliveryThreadGone(code: string, message: string, cause?: unknown): SvcError {
  return failure(new SvcError(code, message, { status: 502, cause }), { kind: 'refused', isThreadGone: true })
}

/** The platform did not take it now. @since 0.2 */
export function deliveryBusy(
  code: string,
  message: string,
  options: { retryAfterMs?: number; cause?: unknown } = {},
): SvcError {
  const { retryAfterMs, cause } = options
  const what = { kind: 'busy', ...(retryAfterMs !== undefined && { retryAfterMs }) } as const
  return failure(new SvcError(code, message, { status: 503, cause }), what)
}

/** It is unknown whether the service accepted the message: the connection broke before the answer. @since 0.2 */
export function deliveryUncertain(code: string, message: string, cause?: unknown): SvcError {
  return failure(new SvcError(code, message, { status: 502, cause }), { kind: 'unsure' })
}

/**
 * Work before a message is sent, such as an upload, is not visible to users: a failure that would be `unsure` is
 * `busy`, and all of it is done again.
 * @since 0.2
 */
export async function beforeSending<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (classifyDeliveryError(error).kind !== 'unsure') throw error
    throw deliveryBusy(errorCode(error), errorMessage(error), { cause: error })
  }
}

/** The failure of a delivery. An error without this information is `unsure`. @since 0.2 */
export function classifyDeliveryError(error: unknown): DeliveryFailure {
  const known = error instanceof Error ? (error as { [FAILURE]?: DeliveryFailure })[FAILURE] : undefined
  if (known) return known
  // The request never left.
  return { kind: errorCode(error) === 'NET_UNREACHABLE' ? 'busy' : 'unsure' }
}

const TRIES = 5
const RETRY = { firstMs: 1000, maxMs: 60_000 }
const LONGEST_PAUSE_MS = 60_000

/**
 * Tries up to five times, with a backoff that doubles from 1 s or as long as the service asks, at most a minute. Rejects at once with
 * what is refused, at the end with the last failure, and with the reason of `signal` when that is aborted.
 * @since 0.2
 */
export async function retryWhileBusy<T>(
  ask: () => Promise<T>,
  { clock, signal }: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      signal.throwIfAborted()
      const { kind, retryAfterMs = backoff(RETRY, tries) } = classifyDeliveryError(error)
      if (kind === 'refused' || tries >= TRIES) throw error
      await clock.sleep(Math.min(retryAfterMs, LONGEST_PAUSE_MS), signal)
    }
  }
}

/** The response of an HTTP service, for `deliveryErrorFromResponse`. @since 0.2 */
export interface FailedResponse {
  readonly code: string
  /** Who refused, with a verb: `Telegram refused the message`. */
  readonly what: string
  readonly response: Pick<NetResponse, 'status' | 'headers'>
  /** Its error message, without secrets. */
  readonly reason?: string
  /** The wait that the service asks for outside of `Retry-After`. */
  readonly waitMs?: number
}

/**
 * The failure that an HTTP status means for something that was sent: 429 and 503 were not done (RFC 6585 and RFC 9110,
 * with `Retry-After` in seconds or as a date against the answer's own `Date`), other 4xx never will be, other 5xx are
 * unsure.
 * @since 0.2
 */
export function deliveryErrorFromResponse({ code, what, response, reason, waitMs }: FailedResponse): SvcError {
  const { status, headers } = response
  const message = `${what}: HTTP ${status}${reason ? `, ${reason.slice(0, 300)}` : ''}.`
  if (status === 429 || status === 503) {
    // A date is relative to the clock of the server that sent it.
    const after = waitMs ?? parseRetryAfter(headers, Date.parse(headers['date'] ?? ''))
    return deliveryBusy(code, message, after !== undefined && Number.isFinite(after) ? { retryAfterMs: after } : {})
  }
  return status >= 500 ? deliveryUncertain(code, message) : deliveryRefused(code, message)
}

/**
 * A failure of the network while something was sent, as `busy` when it cannot have arrived, else as `unsure`.
 * @since 0.2
 */
export function deliveryErrorFromNetwork(code: string, what: string, cause: unknown): SvcError {
  const message = `${what}: ${errorMessage(cause)}`
  return errorCode(cause) === 'NET_UNREACHABLE'
    ? deliveryBusy(code, message, { cause })
    : deliveryUncertain(code, message, cause)
}

/**
 * The whole content of an incoming file. `name` is used in errors. Throws `PLATFORM_FILE_LARGE` past `maxBytes`; 0 is no limit.
 * @since 0.2
 */
export async function readWithLimit(
  body: AsyncIterable<Uint8Array>,
  { name, maxBytes }: { readonly name: string; readonly maxBytes: number },
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (maxBytes > 0 && size > maxBytes) throw fileTooLargeError(name, maxBytes)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** A file over what is taken, before or while it is read. @since 0.2 */
export function fileTooLargeError(name: string, maxBytes: number): SvcError {
  return deliveryRefused('PLATFORM_FILE_LARGE', `${name} has more than ${maxBytes} bytes. It is not fetched.`)
}
