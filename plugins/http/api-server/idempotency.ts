/**
 * Requests with an `Idempotency-Key` are worked on once, also when the client loses its connection or the server stops:
 * the same request gets the same reply. After draft-ietf-httpapi-idempotency-key-header.
 */
import { createHash } from 'node:crypto'
import { type Clock, errorCode, type Logger, SvcError } from 'svc/sdk'
import type { ScopeHold } from 'svc/sdk/store'
import type { HttpRequest, HttpResponse } from 'svc/sdk/web'
import { readScope } from './api.ts'
import { about } from './envelope.ts'
import { Recording } from './recording.ts'
import type { ApiStore, KeptReply } from './store.ts'

/** Answers a request; the signal says when no client waits for the answer any more. */
export type Handle = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>

const DAY_MS = 86_400_000
/** How often is looked whether another machine has ended its work. */
const HELD_MS = 100
/** Longer replies are sent, but not kept. */
const MAX_KEPT = 4 * 2 ** 20
const identifying = ['x-svc-session-id', 'x-svc-session-key']

export interface IdempotencyDeps {
  readonly store: ApiStore
  readonly clock: () => Clock
  readonly log: Logger
  readonly signal: AbortSignal
  /** Keeps other machines from this key; undefined where there are none. Throws `SCOPE_HELD`. */
  hold(key: string): Promise<ScopeHold> | undefined
}

export class Idempotency {
  readonly #ports: IdempotencyDeps
  /** Requests that this process works on. */
  readonly #atWork: Map<string, Promise<SharedReply>> = new Map()
  readonly #settling: Set<Promise<void>> = new Set()

  constructor(ports: IdempotencyDeps) {
    this.#ports = ports
  }

  /** The reply of the handler, or the one that it gave to the same request before. */
  async once(request: HttpRequest, handle: Handle): Promise<HttpResponse> {
    const key = readIdempotencyKey(request)
    if (key === undefined) return handle(request, request.signal)
    const hold = await this.#hold(key, request.signal)
    try {
      return await this.#first(key, request, handle)
    } finally {
      // Who works on it holds it for itself.
      await hold?.release()
    }
  }

  /** Waits while another machine works on the request with this key. */
  async #hold(key: string, signal: AbortSignal): Promise<ScopeHold | undefined> {
    for (;;) {
      try {
        return await this.#ports.hold(key)
      } catch (error) {
        if (errorCode(error) !== 'SCOPE_HELD') throw error
      }
      await this.#ports.clock().sleep(HELD_MS, signal)
    }
  }

  async #first(key: string, request: HttpRequest, handle: Handle): Promise<HttpResponse> {
    const { store, clock } = this.#ports
    const now = clock().now()
    const fingerprint = createFingerprint(request)
    const known = store.takeKey(key, fingerprint, { now, oldest: now - DAY_MS })
    if (known && known.fingerprint !== fingerprint)
      throw keyFailure('API_IDEMPOTENCY_KEY_REUSED', 422, 'came with another request before')
    if (known?.reply) return { ...known.reply, headers: { ...known.reply.headers, 'idempotent-replayed': 'true' } }
    const shared = this.#atWork.get(key)
    if (shared) return (await shared).reply()
    if (known)
      throw keyFailure(
        'API_IDEMPOTENCY_UNFINISHED',
        409,
        'came with a request that the server could not finish: it was stopped. Whether it took effect is unknown',
      )
    return this.#work(key, request, handle)
  }

  /** Resolves when nothing is at work any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#settling)
  }

  /** Continues when the client disconnects: it will retry and ask for the result. */
  async #work(key: string, request: HttpRequest, handle: Handle): Promise<HttpResponse> {
    const { store, signal, hold } = this.#ports
    const held = hold(key)
    const begun = held ? held.then(() => store.synced(key)) : undefined
    const work = begun ? begun.then(() => handle(request, signal)) : handle(request, signal)
    const recording = work.then((reply) => new SharedReply(reply))
    this.#atWork.set(key, recording)
    const settling = this.#settle(key, recording).finally(async () => (await held?.catch(() => undefined))?.release())
    this.#settling.add(settling)
    void settling.finally(() => this.#settling.delete(settling))
    return (await recording).reply()
  }

  async #settle(key: string, recording: Promise<SharedReply>): Promise<void> {
    let kept: KeptReply | undefined
    try {
      kept = await (await recording).whole()
    } catch {
      // The client gets the error as its reply; the key is free for another attempt.
    }
    try {
      // What was refused has done nothing, so it may be asked again.
      const isWork = kept && (kept.status < 400 || kept.status === 502) && kept.body.length <= MAX_KEPT
      // Whether a request that the end of the server interrupted was done is unknown: the key stays taken.
      if (!this.#ports.signal.aborted) this.#ports.store.settleKey(key, isWork ? kept : undefined)
    } catch (error) {
      this.#ports.log.error('the reply to an idempotent request could not be kept', { error: String(error) })
    } finally {
      this.#atWork.delete(key)
    }
  }
}

/** A reply that is made once and read by everybody who asks. */
class SharedReply {
  readonly #reply: HttpResponse
  readonly #recording: Recording

  constructor(reply: HttpResponse) {
    this.#reply = reply
    this.#recording = new Recording(isWhole(reply.body) ? [reply.body ?? ''] : reply.body)
  }

  reply(): HttpResponse {
    return isWhole(this.#reply.body) ? this.#reply : { ...this.#reply, body: this.#recording.follow() }
  }

  async whole(): Promise<KeptReply> {
    const { status = 200, headers = {} } = this.#reply
    return { status, headers, body: await this.#recording.whole() }
  }
}

function isWhole(body: HttpResponse['body']): body is string | Uint8Array | undefined {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array
}

/** Holders of different session keys may choose the same. */
function readIdempotencyKey(request: HttpRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  const scope = readScope(request)
  if (/^[\x21-\x7e]{1,256}$/.test(key)) return scope === '' ? key : `${scope}\n${key}`
  throw about(
    'idempotency-key',
    new SvcError('API_INVALID_IDEMPOTENCY_KEY', 'An idempotency key has 1 to 256 visible characters.', { status: 400 }),
  )
}

/** All that makes a request another one. */
function createFingerprint({ method, url, headers, body }: HttpRequest): string {
  const named = identifying.map((name) => headers[name] ?? '')
  return createHash('sha256')
    .update(JSON.stringify([method, url, ...named]))
    .update(body)
    .digest('base64')
}

function keyFailure(code: string, status: number, words: string): SvcError {
  return about(
    'idempotency-key',
    new SvcError(code, `This idempotency key ${words}. Send a new request with a new key.`, { status }),
  )
}
