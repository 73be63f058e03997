/** Time, randomness, ids and network reach code through these services, so a run can be replayed and tested. */

import { defineService, type Service } from './declarations.ts'
import type { Schema, Unchecked } from './schema.ts'

/** Time. Real in production, virtual in tests. @since 0.1 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds since some fixed moment, never going back. */
  monotonic(): number
  /** Runs `callback` once after `ms`; the returned function cancels it. Does not keep the process alive when `background`. */
  after(ms: number, callback: () => void, options?: { background?: boolean }): () => void
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
export const Clock: Service<Clock> = defineService('clock', { free: true })

/** Randomness and ids. @since 0.1 */
export interface Random {
  /** A number from 0 (included) to 1 (excluded). */
  next(): number
  /** `bytes` random bytes as lower-case hexadecimal. */
  hex(bytes: number): string
  /** A version 4 UUID. */
  uuid(): string
}
export const Random: Service<Random> = defineService('random', { free: true })

/** One HTTP request. @since 0.1 */
export interface NetRequest {
  readonly url: string
  /** Default `GET`, with `json` `POST`. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** A body of JSON, with its `content-type` unless `headers` has one. Instead of `body`. */
  readonly json?: unknown
  readonly signal?: AbortSignal
  /** Milliseconds until the response's headers must be there (default 900,000). */
  readonly timeoutMs?: number
  /** Milliseconds without a byte after which a body counts as stalled (default 180,000). */
  readonly idleMs?: number
  /**
   * Doing it twice would do harm: it gets a new connection, so that it is never repeated because a
   * kept one had been closed meanwhile.
   */
  readonly once?: true
  /**
   * Called right before the last byte of the request leaves (without a body: the end of its header), when the connection is
   * made and everything before that byte was handed to the operating system. A server cannot act on an incomplete message
   * (RFC 9112, section 8), so what fails before the call fails with `NET_UNREACHABLE`. When it throws, the byte is not sent
   * and the request fails with that error. Not called when the server answers an incomplete request.
   */
  commit?(): void
  /** Asked with every address that would be connected to; false fails the request with `NET_FORBIDDEN`. */
  readonly allowAddress?: (address: string) => boolean
}

/** Its answer. The body must be read or `close`d. @since 0.1 */
export interface NetResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The bytes as they arrive. Rejects with `NET_STALLED` or `NET_CLOSED`. */
  readonly body: AsyncIterable<Uint8Array>
  /** The whole body as text, at most `limit` bytes (default 16 MiB). */
  text(limit?: number): Promise<string>
  /**
   * The whole body as JSON, checked against `schema` where one is given; at most 16 MiB. Rejects with `NET_JSON`, which
   * quotes the beginning of the body, if it is not JSON or does not fit the schema. The status is not looked at.
   */
  json<T = Unchecked>(schema?: Schema<T>): Promise<T>
  close(): void
}

/**
 * The way out: HTTP(S) with kept-alive connections. Fails with `NET_UNREACHABLE` (no connection was made, or it broke
 * before `commit`, so nothing was asked), `NET_CLOSED` (it may have been), `NET_TIMEOUT` or the signal's reason.
 * @since 0.1
 */
export interface Net {
  request(request: NetRequest): Promise<NetResponse>
}
export const Net: Service<Net> = defineService('net', { free: true })
