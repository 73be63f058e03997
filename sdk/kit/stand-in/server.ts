/** A service over HTTP on loopback: what stand-ins for platforms are made of. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** A request with its body. @since 0.2 */
export interface ServiceRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
  /** The body as JSON; undefined if it is not JSON. */
  json(): unknown
  /** For answers that stay open. */
  readonly response: ServerResponse
}

/** What is answered. `cut` breaks the connection instead; `open`: the handler answers by itself. @since 0.2 */
export type ServiceAnswer =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  | 'cut'
  | 'open'

/** A listening service. @since 0.2 */
export class StandInServer {
  readonly #server: Server
  readonly #sockets: Set<Socket> = new Set()
  readonly url: string

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  /** `upgrade` is given requests for WebSockets. */
  static async open(
    handle: (request: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer>,
    upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
  ): Promise<StandInServer> {
    const server = createServer((request, response) => void answer(request, response, handle))
    if (upgrade) server.on('upgrade', upgrade)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const service = new StandInServer(server)
    server.on('connection', (socket) => {
      service.#sockets.add(socket)
      socket.on('close', () => service.#sockets.delete(socket)).on('error', () => socket.destroy())
    })
    return service
  }

  /** Breaks every connection; new ones are taken. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.cut()
    await new Promise<void>((done) => this.#server.close(() => done()))
  }
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  handle: (request: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer>,
): Promise<void> {
  const parts: Buffer[] = []
  try {
    for await (const part of incoming) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://service')
    const headers = incoming.headers as Record<string, string | undefined>
    const json = () => parsed(body)
    const request = {
      method: incoming.method ?? 'GET',
      path: pathname,
      query: searchParams,
      headers,
      body,
      json,
      response,
    }
    write(response, await handle(request))
  } catch {
    // The client is gone, or the stand-in failed: either way the only possible signal is a broken connection.
    response.destroy()
  }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

function write(response: ServerResponse, said: ServiceAnswer): void {
  if (said === 'open') return
  if (said === 'cut') return void response.destroy()
  const { status = 200, headers = {}, body } = said
  const isData = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
  const type = isData ? { 'content-type': 'application/json' } : {}
  response.writeHead(status, { ...type, ...headers })
  response.end(isData ? JSON.stringify(body) : body)
}
