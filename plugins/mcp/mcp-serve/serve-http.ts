/** Clients over streamable HTTP: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http */
import { type CliContext, Clock, logFault, type PluginContext, Random, SvcError } from 'svc/sdk'
import { Language, Plugins } from 'svc/sdk/host'
import { Http, type HttpRequest, type HttpResponse, type HttpRoute, jsonResponse } from 'svc/sdk/web'
import { type ConnectedClients, followSkills } from './clients.ts'
import type { Config } from './config.ts'
import { describeServer } from './describe.ts'
import { EventLog } from './event-log.ts'
import { accountKeys, checkKeys, findAccount, mainKey } from './keys.ts'
import { ServedOffer } from './offer.ts'
import { listOwnExports } from './own-exports.ts'
import type { Protocol } from './protocol.ts'

const MAX_BYTES = 16 * 2 ** 20
/** More clients than these, and the one used longest ago is closed. */
const MAX_CLIENTS = 64
const SWEEP_MS = 60_000
const METHODS = ['GET', 'POST', 'DELETE'] as const

/** Listens until svc is told to stop. Throws `MCP_SERVE_KEY`, `MCP_SERVE_CLIENT` and what `Http.mount` throws. */
export async function serveHttp(
  ctx: PluginContext<Config>,
  io: CliContext,
  { clients: connected, port }: { readonly clients: ConnectedClients; readonly port: unknown },
): Promise<number> {
  checkKeys(ctx)
  const [{ protocol }] = await Promise.all([import('./protocol.ts'), ctx.use(Plugins).bring(Language)])
  const { host, port: configured, origins, cwd = io.cwd } = ctx.config
  const offer = new ServedOffer(ctx, listOwnExports(ctx))
  const clients = new Clients({ ctx, protocol, offer, connected, cwd })
  followSkills(ctx, connected)
  const routes = METHODS.map(
    (method): HttpRoute => ({
      method,
      path: '/mcp',
      maxBytes: MAX_BYTES,
      handle: (request) => clients.handle(request),
    }),
  )
  const mounted = await ctx.use(Http).mount({
    name: 'mcp-serve',
    host,
    port: typeof port === 'string' ? readPort(port) : configured,
    prefix: '',
    lock: { kind: 'bearer', secret: () => mainKey(ctx), others: () => [...accountKeys(ctx).values()] },
    routes,
    ...(origins.length > 0 && { origins }),
  })
  io.out(`MCP clients connect to ${mounted.url}/mcp with the bearer token MCP_SERVE_KEY. Ctrl-C ends it.\n`)
  try {
    await new Promise<void>((resolve) => {
      if (io.signal.aborted) resolve()
      io.signal.addEventListener('abort', () => resolve())
    })
    return 0
  } finally {
    await clients.close()
    await mounted.close()
  }
}

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new SvcError('CLI_USAGE', `"${text}" is not a port: a number from 0 to 65535.`)
}

interface ClientsDeps {
  readonly ctx: PluginContext<Config>
  readonly protocol: Protocol
  readonly offer: ServedOffer
  readonly connected: ConnectedClients
  readonly cwd: string
}

interface Entry {
  readonly transport: InstanceType<Protocol['HttpTransport']>
  readonly events: EventLog
  readonly account: string | undefined
  /** Responses that are being written. */
  streams: number
  usedAt: number
}

/** Each client has a session of the protocol, by its id. */
class Clients {
  readonly #deps: ClientsDeps
  readonly #open = new Map<string, Entry>()
  #cancel = () => {}

  constructor(deps: ClientsDeps) {
    this.#deps = deps
    this.#sweepLater()
  }

  async handle(request: HttpRequest): Promise<HttpResponse> {
    const account = findAccount(this.#deps.ctx, request.headers['authorization'])
    const id = request.headers['mcp-session-id']
    const found = id === undefined ? undefined : this.#open.get(id)
    // An id alone opens nothing: the session of another key is not there.
    const known = found?.account === account ? found : undefined
    if (id !== undefined && !known) return refuse(404, 'The session is over. Initialize again.')
    if (id === undefined && request.method !== 'POST') return refuse(400, 'The header Mcp-Session-Id is missing.')
    if (known && id !== undefined) {
      // The one used last is the last to be closed.
      this.#open.delete(id)
      this.#open.set(id, known)
    }
    const entry = known ?? (await this.#connect(account))
    const { transport, events } = entry
    const last = request.method === 'GET' ? request.headers['last-event-id'] : undefined
    if (last !== undefined && !events.has(last)) return refuse(400, 'The event is not kept any more. Initialize again.')
    const response = await transport.handleRequest(toRequest(request))
    if (!known && transport.sessionId === undefined) await transport.close()
    return toResponse(response, this.#counted(entry, response.body, request.signal))
  }

  async close(): Promise<void> {
    this.#cancel()
    const left = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(left.map(({ transport }) => transport.close()))
    await this.#deps.offer.settled()
  }

  async #connect(account: string | undefined): Promise<Entry> {
    const { ctx, protocol, offer, connected, cwd } = this.#deps
    const id = ctx.use(Random).uuid()
    const events = new EventLog()
    const transport = new protocol.HttpTransport({
      sessionIdGenerator: () => id,
      eventStore: events,
      onsessioninitialized: () => void this.#open.set(id, entry),
      onsessionclosed: () => void this.#open.delete(id),
    })
    const entry: Entry = { transport, events, account, streams: 0, usedAt: ctx.use(Clock).monotonic() }
    const failed = (error: unknown) => ctx.log.debug('a message of an MCP client failed', { error })
    const own = account === undefined ? {} : { account }
    const client = protocol.createServer({ info: describeServer(ctx), offer, id, cwd, ...own, failed })
    connected.add(client)
    await client.server.connect(transport)
    for (const oldestId of this.#open.keys()) {
      if (this.#open.size < MAX_CLIENTS) break
      await this.#drop(oldestId)
    }
    return entry
  }

  async #drop(id: string): Promise<void> {
    const dropped = this.#open.get(id)
    this.#open.delete(id)
    await dropped?.transport.close()
  }

  /** A client that waits for a response, or listens, is in use. */
  #counted(entry: Entry, body: Response['body'], signal: AbortSignal): AsyncIterable<Uint8Array> | undefined {
    const clock = this.#deps.ctx.use(Clock)
    entry.usedAt = clock.monotonic()
    if (!body) return undefined
    return (async function* () {
      const reader = body.getReader()
      // A stream without events would not notice that its client has gone.
      const leave = () => void reader.cancel().catch(() => undefined)
      signal.addEventListener('abort', leave, { once: true })
      entry.streams++
      try {
        for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
      } finally {
        signal.removeEventListener('abort', leave)
        leave()
        entry.streams--
        entry.usedAt = clock.monotonic()
      }
    })()
  }

  #sweepLater(): void {
    const { ctx } = this.#deps
    this.#cancel = ctx.use(Clock).after(SWEEP_MS, () => void this.#sweep(), { background: true })
  }

  async #sweep(): Promise<void> {
    const { ctx } = this.#deps
    const before = ctx.use(Clock).monotonic() - ctx.config.idle_minutes * 60_000
    this.#sweepLater()
    for (const [id, { streams, usedAt }] of this.#open) {
      if (streams > 0 || usedAt > before) continue
      await this.#drop(id).catch((error: unknown) => logFault(ctx.log, 'an idle client could not be closed', error))
    }
  }
}

function refuse(status: number, message: string): HttpResponse {
  return jsonResponse({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }, status)
}

function toRequest({ method, url, headers, body, signal }: HttpRequest): Request {
  // The address only has to be one: Host and origin were checked.
  const address = new URL(url, 'http://localhost')
  return new Request(address, { method, headers, signal, ...(method === 'POST' && { body: Buffer.from(body) }) })
}

function toResponse({ status, headers }: Response, body: AsyncIterable<Uint8Array> | undefined): HttpResponse {
  return { status, headers: Object.fromEntries(headers), ...(body && { body }) }
}
