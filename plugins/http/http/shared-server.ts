/** A Node server that several apps share. Each request is routed by its path. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { errorMessage, SvcError } from 'svc/sdk'
import { type HttpResponse, jsonResponse } from 'svc/sdk/web'
import { isBelow, takenPath } from './app-rules.ts'
import type { Failure } from './failures.ts'
import type { Listener } from './listener.ts'
import { isOlder, type PathTaken, pathTaken } from './path-taken.ts'
import { parserFailure, requestFailure, writeRefusal } from './refused-requests.ts'
import { upgradableRequest } from './upgrades.ts'

/** Limits of one server. */
export interface ServerLimits {
  readonly requestTimeoutMs: number
  readonly maxConnections: number
}

/**
 * Longer than clients keep an idle connection, so that the server does not close one on which a request is under way.
 */
const KEEP_ALIVE_MS = 65_000

export class SharedServer {
  readonly host: string
  port = 0
  /** The longest prefix first. */
  #listeners: readonly Listener[] = []
  readonly #server: Server

  constructor(host: string, { requestTimeoutMs, maxConnections }: ServerLimits) {
    this.host = host
    this.#server = createServer(
      {
        requestTimeout: requestTimeoutMs,
        headersTimeout: requestTimeoutMs,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: Math.min(1000, Math.ceil(requestTimeoutMs / 2)),
        IncomingMessage: upgradableRequest(({ url = '/' }) => this.#listenerAt(url)?.socketAt(url) !== undefined),
      },
      (request, response) => this.#dispatch(request, response),
    )
    this.#server.maxConnections = maxConnections
    this.#server.on('upgrade', (request, connection, head) => {
      const listener = this.#listenerAt(request.url ?? '/')
      const route = listener?.socketAt(request.url ?? '/')
      if (listener && route) void listener.upgrade(route, { request, connection: connection as Socket, head })
      else connection.destroy()
    })
    this.#server.on('clientError', (error, socket) => this.#refuse(error, socket as Socket))
  }

  /** Throws `HTTP_PORT_TAKEN` or `HTTP_ADDRESS`. */
  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => reject(this.#listenError(error, port)))
      this.#server.listen(port, this.host, resolve)
    })
    this.port = (this.#server.address() as AddressInfo).port
  }

  get isEmpty(): boolean {
    return this.#listeners.length === 0
  }

  /** What it listens on, in the words of `ss`. */
  get bound(): string {
    return `${this.host.includes(':') ? `[${this.host}]` : this.host}:${this.port}`
  }

  /** `http://host:port`, as a program of this machine reaches it. */
  get origin(): string {
    const host = this.host === '0.0.0.0' ? '127.0.0.1' : this.host === '::' ? '::1' : this.host
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.port}`
  }

  /**
   * Returns the apps that it replaces because they are of plugins that a user installed and it is not. The older generation
   * of the same app gives way, too. Throws `HTTP_PATH_TAKEN`.
   */
  add(listener: Listener): readonly PathTaken[] {
    const others = this.#listeners.filter((other) => !isOlder(other, listener))
    const taken = others.flatMap((other) => {
      const path = takenPath(listener.app, other.app)
      return path === undefined ? [] : [{ path, owner: listener, other }]
    })
    const refused = taken.find(({ other }) => !other.caller?.isForeign || listener.caller?.isForeign)
    if (refused) throw pathTaken(refused)
    const left = others.filter((other) => !taken.some((each) => each.other === other))
    this.#listeners = [...left, listener].sort((a, b) => b.app.prefix.length - a.app.prefix.length)
    return taken
  }

  remove(listener: Listener): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener)
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  #dispatch(request: IncomingMessage, response: ServerResponse): void {
    const listener = this.#listenerAt(request.url ?? '/')
    const failure = requestFailure(request)
    if (failure) {
      const { status, headers, body } = this.#told(failure, listener)
      const text = typeof body === 'string' ? body : ''
      const sized = { ...headers, connection: 'close', 'content-length': String(Buffer.byteLength(text)) }
      response.writeHead(status ?? failure.status, sized).end(text)
    } else if (listener) listener.handle(request, response)
    else {
      response.writeHead(404, { 'content-type': 'application/json; charset=utf-8' })
      response.end('{"error":"Nothing is served at this path. Check the address."}')
    }
  }

  #refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
    writeRefusal(socket, this.#told(parserFailure(error), undefined))
  }

  /** In the format of the app. If the app is unknown, in the format of one that has the whole server. */
  #told(failure: Failure, listener: Listener | undefined): HttpResponse {
    const whose = listener ?? this.#listeners.find(({ app }) => app.prefix === '')
    return whose?.told(failure) ?? jsonResponse({ error: failure.message }, failure.status)
  }

  /**
   * Several may share a prefix: then the one that has the path, or else one with a wildcard for it, or else the first, which answers
   * "not found".
   */
  #listenerAt(url: string): Listener | undefined {
    const end = url.indexOf('?')
    const path = end < 0 ? url : url.slice(0, end)
    const near = this.#listeners.filter(({ app }) => isBelow(path, app.prefix))
    if (near.length < 2) return near[0]
    return near.find((each) => each.serves(path)) ?? near.find((each) => each.catches(path)) ?? near[0]
  }

  #listenError(error: NodeJS.ErrnoException, port: number): SvcError {
    const place = `${this.host}:${port}`
    if (error.code === 'EADDRINUSE')
      return new SvcError(
        'HTTP_PORT_TAKEN',
        `Another program listens on ${place}. Stop it (\`ss -ltnp | grep ${port}\` shows it), or choose another port.`,
        { cause: error },
      )
    const advice = 'Check host and port; ports below 1024 need special rights.'
    return new SvcError('HTTP_ADDRESS', `${place} cannot be listened on: ${errorMessage(error)}. ${advice}`, {
      cause: error,
    })
  }
}
