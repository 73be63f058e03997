/** The libraries that services publish, over the network of svc: they take a `fetch` of the caller's. */
import { SvcError } from './errors.ts'
import type { Schema } from './schema.ts'
import { type ApiClient, fetchBytes, fetchJson } from './web.ts'

/** Limits of a call, and the form of its answer. @since 0.2 */
export interface FetchOptions {
  /** Milliseconds until the answer begins, and without a byte of it. */
  readonly timeoutMs: number
  readonly idleMs: number
  /** Of an answer. */
  readonly maxBytes: number
  /** Of an answer in JSON, checked before the library reads it; left out: the answer is bytes. */
  readonly schema?: Schema<unknown>
}

/** Says about the machine what no service has to know. */
const IDENTIFYING = /^(x-stainless-|user-agent$)/i

/**
 * A `fetch` for one service. An answer without success rejects with the code and the sentence of `fetchBytes`, which a
 * library wraps: `toApiError` takes it out again. No redirect is followed and nothing is tried twice.
 * @since 0.2
 */
export function createFetch(service: ApiClient, options: FetchOptions): typeof fetch {
  const { timeoutMs, idleMs, maxBytes, schema } = options
  return async (input, init = {}) => {
    const { method = 'GET', headers: given, body: content, signal } = init
    const headers = new Headers(given)
    for (const name of [...headers.keys()]) if (IDENTIFYING.test(name)) headers.delete(name)
    const { body, form } = await encoded(content)
    if (form !== undefined) headers.set('content-type', form)
    const request = {
      url: String(input instanceof Request ? input.url : input),
      method: method.toUpperCase(),
      headers: Object.fromEntries(headers),
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
      timeoutMs,
      idleMs,
    }
    if (schema) return Response.json(await fetchJson(service, request, schema, maxBytes))
    const type = 'application/octet-stream'
    return new Response(new Uint8Array(await fetchBytes(service, request, maxBytes)), {
      headers: { 'content-type': type },
    })
  }
}

/**
 * What a library threw, as callers of a `ApiClient` expect it: the reason of the signal, the error of `createFetch`, or a
 * sentence about an answer that the library could not read.
 * @since 0.2
 */
export function toApiError(error: unknown, { who, code, mask }: ApiClient, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  for (let inner = error; inner instanceof Error; inner = inner.cause)
    if (inner instanceof SvcError && inner.code === code) return inner
  const said = mask(error instanceof Error ? error.message : String(error)).slice(0, 300)
  return new SvcError(code, `${who} answered what cannot be read: ${said}`, { status: 502, cause: error })
}

/** Forms get their boundary here. */
async function encoded(
  content: RequestInit['body'],
): Promise<{ readonly body?: string | Uint8Array; readonly form?: string }> {
  if (content === undefined || content === null) return {}
  if (typeof content === 'string') return { body: content }
  const whole = new Response(content)
  const form = whole.headers.get('content-type') ?? undefined
  return { body: new Uint8Array(await whole.arrayBuffer()), ...(form === undefined ? {} : { form }) }
}
