/**
 * A model server for tests and benchmarks, on loopback. It speaks chat completions and responses after the public OpenAI
 * reference (platform.openai.com/docs/api-reference/chat, /chat-streaming and /responses-streaming,
 * /docs/guides/error-codes); what it says is scripted in model-replies.ts and responses-replies.ts, what kind of server it pretends to be in local-servers.ts. Only `node:` imports.
 * A body that the service would refuse is refused here (chat-complaint.ts).
 */
import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { chatComplaint } from './chat-complaint.ts'
import { page, type ServerKind } from './local-servers.ts'
import { type Fault, type FullReply, PreparedReply, type Reply } from './model-replies.ts'
import { responsesStream } from './responses-replies.ts'

const CHAT_PATH = '/v1/chat/completions'
const MODEL_PATHS: ReadonlySet<string> = new Set([CHAT_PATH, '/v1/responses'])

/** A request as it came in. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly raw: Buffer
  /** The body, parsed when it is looked at. */
  readonly body: Record<string, unknown>
}

/** What to start. */
export interface ModelServerOptions {
  /** In order; after the last, requests get status 500. Or a function of the request. */
  readonly replies?: readonly Reply[] | ((request: RecordedRequest, index: number) => Reply | Promise<Reply>)
  readonly kind?: ServerKind
  /** Ids of the models it lists (default one: `fake-model`). */
  readonly models?: readonly string[]
  /** Requests without this bearer key get status 401; questions the one in `refusal`. */
  readonly key?: string
  readonly refusal?: 403
  /** `false`: it does not know `/models`; `public`: it lists for everybody, also with a wrong key, as OpenRouter does. */
  readonly lists?: false | 'public'
  readonly state?: 'ready' | 'loading'
  /** Takes requests and never answers. */
  readonly silent?: boolean
  readonly port?: number
}

/** A running server. */
export interface ModelServer {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string
  /** The same with `/v1`. */
  readonly url: string
  readonly port: number
  /** Requests for an answer of a model, oldest first. */
  readonly requests: readonly RecordedRequest[]
  /** Paths of all other requests. */
  readonly visits: readonly string[]
  /** Connections that were ever made. */
  readonly connections: number
  /** Resolves at the first request that is not for a chat. */
  readonly visited: Promise<void>
  /** Resolves when an answer with the fault `stall` has fallen silent. */
  readonly stalled: Promise<void>
  /** Resolves when no client is connected. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** Starts a server on a free port. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = new FakeServer(options)
  await server.listen(options.port ?? 0)
  return server
}

class FakeServer implements ModelServer {
  readonly requests: RecordedRequest[] = []
  readonly visits: string[] = []
  readonly visited: Promise<void>
  readonly stalled: Promise<void>
  port = 0
  connections = 0
  #options: ModelServerOptions
  #script: readonly PreparedReply[]
  #server: http.Server
  #open: Set<Socket> = new Set()
  #timers: Set<NodeJS.Timeout> = new Set()
  #fallSilent: () => void = () => {}
  #visit: () => void = () => {}

  constructor(options: ModelServerOptions) {
    this.#options = options
    this.#script = typeof options.replies === 'object' ? options.replies.map((reply) => new PreparedReply(reply)) : []
    this.#server = http.createServer((request, response) => {
      // A client that went away is no fault of the server.
      this.#serve(request, response).catch(() => response.destroy())
    })
    this.#server.on('connection', (socket) => {
      this.connections += 1
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
    this.stalled = new Promise((resolve) => {
      this.#fallSilent = resolve
    })
    this.visited = new Promise((resolve) => {
      this.#visit = resolve
    })
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get url(): string {
    return `${this.origin}/v1`
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(port, '127.0.0.1', resolve)
    })
    this.port = (this.#server.address() as AddressInfo).port
  }

  async idle(): Promise<void> {
    // A reset is an end, too: `once` would reject with it.
    const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))
    await Promise.all([...this.#open].map(closed))
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#server.closeAllConnections()
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { key, kind = 'openai' } = this.#options
    const path = request.url ?? '/'
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const isLocked = key !== undefined && request.headers.authorization !== `Bearer ${key}`
    if (request.method === 'POST' && MODEL_PATHS.has(path.split('?')[0] ?? '') && kind !== 'other') {
      const recorded = record(request, path, Buffer.concat(parts))
      this.requests.push(recorded)
      if (isLocked)
        return sendError(response, {
          status: this.#options.refusal ?? 401,
          message: 'Incorrect API key provided: sk-***',
        })
      const wrong = path.startsWith(CHAT_PATH) ? chatComplaint(recorded.raw) : undefined
      if (wrong !== undefined)
        return sendError(response, { status: 400, message: wrong, type: 'invalid_request_error' })
      return this.#answer(recorded, response)
    }
    this.visits.push(path)
    this.#visit()
    if (this.#options.silent) return
    this.#tell(response, path, isLocked)
  }

  /** What is not a question to a model. */
  #tell(response: http.ServerResponse, path: string, isLocked: boolean): void {
    const { kind = 'openai', models = ['fake-model'], state = 'ready', lists } = this.#options
    if (lists === false) sendError(response, { status: 404, message: 'Not found' })
    else {
      const { status, headers, body } = page(kind, path, models, isLocked && lists !== 'public' ? 'locked' : state)
      response.writeHead(status, headers).end(body)
    }
  }

  async #answer(request: RecordedRequest, response: http.ServerResponse): Promise<void> {
    const prepared = await this.#next(request)
    if (!prepared) return sendError(response, { status: 500, message: 'The script of the fake server is over.' })
    const { delayMs, paceMs, fault } = prepared.reply
    if (delayMs !== undefined) await this.#wait(delayMs)
    if (typeof fault === 'object') return sendError(response, fault)
    if (fault === 'html') return send(response, 'text/html; charset=utf-8', '<!doctype html><title>Hello</title>')
    if (fault === 'wrong-json') return send(response, 'application/json', '{"hello":"world"}')
    // Looking for the text is cheaper than parsing a long conversation.
    if (!request.raw.includes('"stream":true')) return send(response, 'application/json', prepared.whole())
    const bytes = request.path.startsWith(CHAT_PATH)
      ? prepared.stream(request.raw.includes('"include_usage":true'))
      : Buffer.from(responsesStream(prepared.reply))
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
    return paceMs === undefined ? this.#write(response, bytes, fault) : this.#writeSlowly(response, bytes, paceMs)
  }

  /** One event after another, until the client has left. */
  async #writeSlowly(response: http.ServerResponse, bytes: Buffer, paceMs: number): Promise<void> {
    for (const event of bytes.toString().split(/(?<=\n\n)/)) {
      if (response.destroyed) return
      response.write(event)
      await this.#wait(paceMs)
    }
    response.end()
  }

  async #next(request: RecordedRequest): Promise<PreparedReply | undefined> {
    const { replies } = this.#options
    const index = this.requests.length - 1
    return typeof replies === 'function' ? new PreparedReply(await replies(request, index)) : this.#script[index]
  }

  async #write(response: http.ServerResponse, bytes: Buffer, fault: FullReply['fault']): Promise<void> {
    const half = bytes.subarray(0, bytes.length >> 1)
    switch (fault) {
      case 'cut':
        response.write(half, () => response.destroy())
        return
      case 'stall':
        response.write(half, () => this.#fallSilent())
        return
      case 'slow':
        for (const byte of bytes) {
          response.write(Buffer.of(byte))
          await new Promise((resolve) => setImmediate(resolve))
        }
        response.end()
        return
      default:
        response.end(bytes)
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        resolve()
      }, ms)
      this.#timers.add(timer)
    })
  }
}

function record(request: http.IncomingMessage, path: string, raw: Buffer): RecordedRequest {
  const { method = 'POST', headers } = request
  return {
    method,
    path,
    headers,
    raw,
    get body() {
      return JSON.parse(raw.toString('utf8')) as Record<string, unknown>
    },
  }
}

function send(response: http.ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'content-type': type }).end(body)
}

function sendError(response: http.ServerResponse, fault: Extract<Fault, object>): void {
  const { status, message = `Scripted error ${status}`, type = 'scripted_error', code = null, headers, body } = fault
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body ?? JSON.stringify({ error: { message, type, param: null, code } }))
}
