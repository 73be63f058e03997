/** A lean HTTP client on `node:http`: on Node 20 the global `fetch` costs 90 ms and 40 MiB at its first use. */
import dns from 'node:dns'
import type { IncomingMessage } from 'node:http'
import http from 'node:http'
import net from 'node:net'
import { SvcError } from '../sdk/errors.ts'
import { encodeJsonBody, readJsonBody } from '../sdk/kit/net/json.ts'
import type { Clock, Net, NetRequest, NetResponse } from '../sdk/ports.ts'

type Https = typeof import('node:https')
type Secure = { https: Https; agent: import('node:https').Agent }

/** Keeps connections open between requests, as many as a busy gateway has calls under way, and one TLS context per process. */
export class HttpClient implements Net {
  #clock: Clock
  #plain: http.Agent = new http.Agent({ keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo' })
  #secure: Secure | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async request(given: NetRequest): Promise<NetResponse> {
    const request = encodeJsonBody(given)
    const url = parse(request.url)
    const secure = url.protocol === 'https:' ? await this.#tls() : undefined
    try {
      return await this.#send(url, request, secure)
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error
      return this.#send(url, request, secure)
    }
  }

  async #send(url: URL, request: NetRequest, secure: Secure | undefined): Promise<NetResponse> {
    request.signal?.throwIfAborted()
    const { promise, resolve, reject } = withResolvers<IncomingMessage>()
    const open = secure?.https.request ?? http.request
    const agent = secure?.agent ?? this.#plain
    const options = {
      method: request.method ?? 'GET',
      agent: request.once ? false : agent,
      headers: toHeaders(request),
    }
    const outgoing = open(
      url,
      request.allowAddress ? { ...options, ...createGuardedLookup(url, request.allowAddress) } : options,
    )
    const connection = watchConnection(outgoing, secure ? 'secureConnect' : 'connect')
    let incoming: IncomingMessage | undefined
    const stop = (reason: unknown) => {
      reject(reason)
      // Once there is an answer the socket is its, and only the answer listens to errors.
      if (incoming) incoming.destroy()
      else outgoing.destroy(reason instanceof Error ? reason : new Error('aborted'))
    }
    const abort = () => stop(request.signal?.reason)
    request.signal?.addEventListener('abort', abort, { once: true })
    const timeoutMs = request.timeoutMs ?? 900_000
    const cancel = this.#clock.after(timeoutMs, () =>
      stop(new SvcError('NET_TIMEOUT', `${url.origin} did not answer within ${Math.round(timeoutMs / 1000)} s.`)),
    )
    outgoing.on('response', resolve)
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // What was committed must not be asked twice.
      const stale = outgoing.reusedSocket && error.code === 'ECONNRESET' && connection.last !== 'sent'
      reject(stale ? new StaleConnection() : toNetError(url, error, connection))
    })
    if (request.commit) sendCommitted(outgoing, request.body, connection, request.commit).catch(stop)
    else outgoing.end(request.body)
    try {
      incoming = await promise
      incoming.once('close', () => request.signal?.removeEventListener('abort', abort))
      return response(incoming, url, request, this.#clock)
    } catch (error) {
      request.signal?.removeEventListener('abort', abort)
      throw error
    } finally {
      cancel()
    }
  }

  /** Ends every connection. */
  close(): void {
    this.#plain.destroy()
    this.#secure?.agent.destroy()
  }

  async #tls(): Promise<Secure> {
    if (!this.#secure) {
      const https = (await import('node:https')).default as unknown as Https
      this.#secure = { https, agent: new https.Agent({ keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo' }) }
    }
    return this.#secure
  }
}

/** The server closed a keep-alive connection before the request arrived: HTTP expects one retry. */
class StaleConnection extends Error {}

function parse(text: string): URL {
  try {
    const url = new URL(text)
    if (url.protocol === 'http:' || url.protocol === 'https:') return url
  } catch (cause) {
    throw new SvcError('NET_UNREACHABLE', `"${text}" is not an address. It must begin with http:// or https://.`, {
      cause,
    })
  }
  throw new SvcError('NET_UNREACHABLE', `"${text}" must begin with http:// or https://.`)
}

/**
 * Every address is asked about at the moment of connecting, so a name that resolves to another one the next time gains
 * nothing; a keep-alive connection was checked for another request, so each such request has its own.
 */
function createGuardedLookup(
  url: URL,
  allow: (address: string) => boolean,
): { agent: false; lookup: net.LookupFunction } {
  const check = (address: string) => {
    if (!allow(address)) throw new SvcError('NET_FORBIDDEN', `${url.origin} is at ${address}, which may not be asked.`)
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (net.isIP(host)) check(host)
  const lookup: net.LookupFunction = (name, options, done) =>
    dns.lookup(name, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '')
      try {
        for (const { address } of found) check(address)
      } catch (forbidden) {
        return done(forbidden as Error, '')
      }
      const [first] = found
      if (options.all || !first) done(null, found)
      else done(null, first.address, first.family)
    })
  return { agent: false, lookup }
}

function toHeaders(request: NetRequest): Record<string, string> {
  const headers: Record<string, string> = { ...request.headers }
  if (request.body !== undefined) headers['content-length'] = String(Buffer.byteLength(request.body))
  return headers
}

/** Whether the request may have reached a server. */
interface Connection {
  isMade: boolean
  readonly made: Promise<void>
  /** The last byte of a request with `commit`. */
  last?: 'held' | 'sent'
}

function watchConnection(outgoing: http.ClientRequest, event: 'connect' | 'secureConnect'): Connection {
  const { promise, resolve } = withResolvers<void>()
  const connection: Connection = { isMade: false, made: promise }
  const made = () => {
    connection.isMade = true
    resolve()
  }
  outgoing.once('socket', (socket) => {
    if (outgoing.reusedSocket) made()
    else socket.once(event, made)
  })
  return connection
}

/**
 * Sends all but the last byte, so that the server cannot act yet (RFC 9112 section 8: a message is complete when it has the
 * length that it was announced with); `commit`, then the last byte. Without a body the end of the header is what completes it.
 */
async function sendCommitted(
  outgoing: http.ClientRequest,
  body: string | Uint8Array | undefined,
  connection: Connection,
  commit: () => void,
): Promise<void> {
  connection.last = 'held'
  let isAnswered = false
  outgoing.once('response', (incoming: IncomingMessage) => {
    isAnswered = true
    // The rest of the request is never sent, so the connection cannot be used again.
    if (connection.last === 'held') incoming.once('end', () => outgoing.destroy())
  })
  const bytes = Buffer.from(body ?? '')
  const { promise: flushed, resolve } = withResolvers<void>()
  if (bytes.length > 1) outgoing.write(bytes.subarray(0, -1), (error) => error || resolve())
  else resolve()
  await Promise.all([connection.made, flushed])
  // A reset calls the callback of a write without an error.
  if (outgoing.destroyed || outgoing.socket?.destroyed || isAnswered) return
  commit()
  connection.last = 'sent'
  outgoing.end(bytes.subarray(-1))
}

function toNetError(url: URL, cause: Error, { isMade, last }: Connection): Error {
  if (cause instanceof SvcError || cause.name === 'AbortError') return cause
  if (isMade && last === 'held') {
    const message = `${url.origin} closed the connection before the request was complete.`
    return new SvcError('NET_UNREACHABLE', message, { cause, status: 502 })
  }
  if (isMade) {
    const isHttp = !(cause as { code?: string }).code?.startsWith('HPE_')
    const what = isHttp ? 'closed the connection before it answered' : 'does not answer in HTTP'
    return new SvcError('NET_CLOSED', `${url.origin} ${what}.`, { cause, status: 502 })
  }
  const { code } = cause as { code?: string }
  const why = code === 'ECONNREFUSED' ? 'nothing listens there' : (code ?? cause.message)
  return new SvcError('NET_UNREACHABLE', `${url.origin} cannot be reached: ${why}.`, { cause, status: 502 })
}

function response(incoming: IncomingMessage, url: URL, request: NetRequest, clock: Clock): NetResponse {
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
  const watch = new IdleWatch(incoming, url, request.idleMs ?? 180_000, clock)
  const body = chunks(incoming, url, request, watch)
  const answer: NetResponse = {
    status: incoming.statusCode ?? 0,
    headers,
    body,
    json: (schema) => readJsonBody(answer, url.origin, schema),
    close() {
      watch.stop()
      incoming.destroy()
    },
    async text(limit = 16 * 2 ** 20) {
      const parts: Uint8Array[] = []
      let size = 0
      for await (const chunk of body) {
        size += chunk.length
        if (size > limit) throw new SvcError('NET_TOO_LARGE', `The answer of ${url.origin} is over ${limit} bytes.`)
        parts.push(chunk)
      }
      return Buffer.concat(parts).toString('utf8')
    },
  }
  return answer
}

/** Ends a body that falls silent. One timer for all of it: a chunk only notes the time. */
class IdleWatch {
  #clock: Clock
  #last: number
  #cancel = () => {}

  constructor(incoming: IncomingMessage, url: URL, idleMs: number, clock: Clock) {
    this.#clock = clock
    this.#last = clock.monotonic()
    const look = () => {
      const left = idleMs - (clock.monotonic() - this.#last)
      if (left > 0) this.#cancel = clock.after(left, look)
      else
        incoming.destroy(new SvcError('NET_STALLED', `${url.origin} sent nothing for ${Math.round(idleMs / 1000)} s.`))
    }
    this.#cancel = clock.after(idleMs, look)
    incoming.once('close', () => this.stop())
  }

  heard(): void {
    this.#last = this.#clock.monotonic()
  }

  stop(): void {
    this.#cancel()
  }
}

async function* chunks(
  incoming: IncomingMessage,
  url: URL,
  request: NetRequest,
  watch: IdleWatch,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of incoming) {
      watch.heard()
      yield chunk as Uint8Array
    }
  } catch (cause) {
    if (request.signal?.aborted) throw request.signal.reason
    if (cause instanceof SvcError) throw cause
    throw new SvcError('NET_CLOSED', `${url.origin} closed the connection in the middle of its answer.`, { cause })
  } finally {
    watch.stop()
  }
  if (request.signal?.aborted) throw request.signal.reason
  if (!incoming.complete)
    throw new SvcError('NET_CLOSED', `${url.origin} closed the connection in the middle of its answer.`)
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (reason: unknown) => void } {
  let resolve: (value: T) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
