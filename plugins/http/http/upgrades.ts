/** The WebSockets of one app, and which requests become one. */
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type Clock, type Logger, SvcError } from 'svc/sdk'
import type { HttpSocketRoute } from 'svc/sdk/web'
import type { WebSocket } from 'ws'
import type { SeenRequest } from './request.ts'
import { OpenSocket } from './socket.ts'

const MAX_BYTES = 1_048_576

const asked: unique symbol = Symbol('upgrade')

/**
 * Node upgrades every request that asks for it, or none: it reads `upgrade` of the request once its headers are there. This
 * class of requests says yes only where `accepts` does. All others, such as those of clients that offer HTTP/2 with their
 * first request, are answered as if they had not asked.
 */
export function upgradableRequest(accepts: (request: IncomingMessage) => boolean): typeof IncomingMessage {
  return class extends IncomingMessage {
    [asked]: unknown

    get upgrade(): boolean {
      if (this[asked] !== true) return false
      // Node closes the connection then.
      return this.method === 'CONNECT' || (isWebSocket(this) && accepts(this))
    }

    set upgrade(value: unknown) {
      this[asked] = value
    }
  }
}

function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

/** A connection behind its headers. */
export interface Upgraded {
  readonly request: IncomingMessage
  readonly connection: Socket
  /** What came behind the headers. */
  readonly head: Buffer
}

export class Upgrades {
  readonly #log: Logger
  readonly #clock: () => Clock
  readonly #open: Set<OpenSocket> = new Set()

  constructor({ log, clock }: { readonly log: Logger; readonly clock: () => Clock }) {
    this.#log = log
    this.#clock = clock
  }

  /** Resolves when the connection is over. Throws `HTTP_BAD_REQUEST` when its handshake is malformed. */
  async serve(route: HttpSocketRoute, seen: SeenRequest, upgraded: Upgraded): Promise<void> {
    const maxBytes = route.maxBytes ?? MAX_BYTES
    const opened = await handshake(upgraded, maxBytes)
    if (!opened) return
    const socket = new OpenSocket(opened, seen, {
      clock: this.#clock(),
      maxBytes,
      isBinary: route.isBinary === true,
    })
    this.#open.add(socket)
    void socket.closed.then(() => seen.leave())
    try {
      await route.handle(socket)
      socket.end(seen.signal.aborted ? 'away' : 'done')
    } catch (error) {
      this.#log.error('a WebSocket failed', { path: route.path, error })
      socket.end('failed')
    } finally {
      await socket.closed
      this.#open.delete(socket)
    }
  }

  /** Cuts what is open. */
  cut(): void {
    for (const socket of this.#open) socket.cut()
  }
}

/** Undefined if the client has disconnected. The library is loaded for the first client. */
async function handshake({ request, connection, head }: Upgraded, maxPayload: number): Promise<WebSocket | undefined> {
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false, clientTracking: false })
  const result: { opened?: WebSocket; problem?: Error } = {}
  server.on('wsClientError', (problem) => {
    result.problem = problem
  })
  // It decides at once.
  server.handleUpgrade(request, connection, head, (opened) => {
    result.opened = opened
  })
  if (!result.problem) return result.opened
  const text = `The handshake of the WebSocket is malformed: ${result.problem.message}.`
  throw new SvcError('HTTP_BAD_REQUEST', text, { status: 400 })
}
