/** Clients over streamable HTTP: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http */
import { type CliContext, type PluginContext, Random, Secrets, SvcError } from 'svc/sdk'
import { Language, Plugins } from 'svc/sdk/host'
import { explainWeakSecret } from 'svc/sdk/safety'
import { Http, type HttpRequest, type HttpResponse, type HttpRoute, jsonResponse } from 'svc/sdk/web'
import { type ConnectedClients, followSkills } from './clients.ts'
import type { Config } from './config.ts'
import { describeServer } from './describe.ts'
import { ServedOffer } from './offer.ts'
import { listOwnExports } from './own-exports.ts'
import type { Protocol } from './protocol.ts'

const KEY = 'MCP_SERVE_KEY'
const MAX_BYTES = 16 * 2 ** 20
/** More clients than these, and the one used longest ago is closed. */
const MAX_CLIENTS = 64
const METHODS = ['GET', 'POST', 'DELETE'] as const

/** Listens until svc is told to stop. Throws `MCP_SERVE_KEY` and what `Http.mount` throws. */
export async function serveHttp(
  ctx: PluginContext<Config>,
  io: CliContext,
  { clients: connected, port }: { readonly clients: ConnectedClients; readonly port: unknown },
): Promise<number> {
  const key = ctx.use(Secrets).get(KEY)
  const weakness = key === undefined ? 'is not set' : explainWeakSecret(key)
  if (weakness !== undefined)
    throw new SvcError(
      'MCP_SERVE_KEY',
      `${KEY} ${weakness}. Set 16 random characters or more: svc config set ${KEY} <key>`,
    )
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
    lock: { kind: 'bearer', secret: () => ctx.use(Secrets).get(KEY) },
    routes,
    ...(origins.length > 0 && { origins }),
  })
  io.out(`MCP clients connect to ${mounted.url}/mcp with the bearer token ${KEY}. Ctrl-C ends it.\n`)
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

/** Each client has a session of the protocol, by its id. */
class Clients {
  readonly #deps: ClientsDeps
  readonly #open = new Map<string, InstanceType<Protocol['HttpTransport']>>()

  constructor(deps: ClientsDeps) {
    this.#deps = deps
  }

  async handle(request: HttpRequest): Promise<HttpResponse> {
    const id = request.headers['mcp-session-id']
    const known = id === undefined ? undefined : this.#open.get(id)
    if (id !== undefined && !known) return refuse(404, 'The session is over. Initialize again.')
    if (id === undefined && request.method !== 'POST') return refuse(400, 'The header Mcp-Session-Id is missing.')
    if (known && id !== undefined) {
      // The one used last is the last to be closed.
      this.#open.delete(id)
      this.#open.set(id, known)
    }
    const transport = known ?? (await this.#connect())
    const response = await transport.handleRequest(toRequest(request))
    if (!known && transport.sessionId === undefined) await transport.close()
    return toResponse(response)
  }

  async close(): Promise<void> {
    const left = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(left.map((transport) => transport.close()))
    await this.#deps.offer.settled()
  }

  async #connect(): Promise<InstanceType<Protocol['HttpTransport']>> {
    const { ctx, protocol, offer, connected, cwd } = this.#deps
    const id = ctx.use(Random).uuid()
    const transport = new protocol.HttpTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => void this.#open.set(id, transport),
      onsessionclosed: () => void this.#open.delete(id),
    })
    const failed = (error: unknown) => ctx.log.debug('a message of an MCP client failed', { error })
    const client = protocol.createServer({ info: describeServer(ctx), offer, id, cwd, failed })
    connected.add(client)
    await client.server.connect(transport)
    for (const [oldestId, oldest] of this.#open) {
      if (this.#open.size < MAX_CLIENTS) break
      this.#open.delete(oldestId)
      await oldest.close()
    }
    return transport
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

function toResponse({ status, headers, body }: Response): HttpResponse {
  return {
    status,
    headers: Object.fromEntries(headers),
    ...(body && { body: body as unknown as AsyncIterable<Uint8Array> }),
  }
}
