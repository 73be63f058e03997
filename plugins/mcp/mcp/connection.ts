/**
 * One open connection to a server: transport, handshake, requests in both directions. Imported when the first server is needed,
 * as the library of the protocol is large: https://modelcontextprotocol.io/specification
 */
import { homedir } from 'node:os'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { OAuthError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ErrorCode,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListRootsRequestSchema,
  ListToolsResultSchema,
  McpError,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { type Clock, errorMessage, SvcError } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import type { ServerSettings } from './config.ts'
import { fillIn, serverEnvironment } from './environment.ts'
import type { GroupGuard } from './group-guard.ts'
import { openHttpClient } from './http-client.ts'
import type {
  CallResult,
  CompletionRequest,
  ElicitAnswer,
  ElicitQuestion,
  Offer,
  SampleAnswer,
  SampleRequest,
  ServerPeer,
} from './peer.ts'
import { StdioTransport } from './stdio-transport.ts'
import { chooseTransport } from './transport.ts'

const MAX_BYTES = 32 * 1_048_576
const MAX_PAGES = 50
const MAX_ITEMS = 1000
const PING_MS = 10_000

export interface ConnectionDeps {
  readonly name: string
  readonly settings: ServerSettings
  readonly version: string
  readonly clock: Clock
  readonly guard: GroupGuard
  readonly auth?: OAuthClientProvider
  getVariable(name: string): string | undefined
  mask(text: string): string
  garbage(line: string): void
  /** What the server asks of svc. */
  readonly asked: {
    readonly sample?: (request: SampleRequest, signal: AbortSignal) => Promise<SampleAnswer>
    readonly elicit?: (question: ElicitQuestion, signal: AbortSignal) => Promise<ElicitAnswer>
    readonly roots?: () => readonly string[]
  }
  /** A list of the server changed. */
  changed(what: 'tools' | 'prompts' | 'resources'): void
  /** A resource that was subscribed to changed, or one below it. */
  updated(uri: string): void
  /** The connection ended without `close`. */
  lost(why: string): void
}

interface OpenTransport {
  readonly transport: Transport
  readonly pid: () => number | undefined
  /** What the server said beside the protocol, for errors. */
  readonly said: () => string
  /** Why the transport ended, if that is known. */
  readonly failure: () => Error | undefined
  readonly end: () => Promise<void>
}

/** Throws what `McpServers.connect` names. */
export async function openConnection(deps: ConnectionDeps, signal: AbortSignal): Promise<ServerPeer> {
  const kind = chooseTransport(deps.settings)
  if (kind === 'stdio') return handshake(deps, openStdio(deps), signal)
  try {
    return await handshake(deps, await openHttp(deps, kind), signal)
  } catch (error) {
    if (kind !== 'http' || deps.settings.transport !== undefined || !isOldServer(error)) throw error
    return handshake(deps, await openHttp(deps, 'sse'), signal)
  }
}

/** Servers with SSE alone refuse a POST to the address of their stream; see "Backwards Compatibility" of the transports. */
function isOldServer(error: unknown): boolean {
  const { cause } = (error ?? {}) as { readonly cause?: unknown }
  return cause instanceof StreamableHTTPError && cause.code !== undefined && [400, 404, 405].includes(cause.code)
}

function openStdio({ settings, clock, guard, garbage, getVariable }: ConnectionDeps): OpenTransport {
  const { command = '', args, env, cwd } = settings
  const transport = new StdioTransport({
    command: fillIn(command, getVariable),
    args: args.map((each) => fillIn(each, getVariable)),
    env: serverEnvironment(env, getVariable),
    cwd: cwd?.replace(/^~(?=\/|$)/, homedir()) ?? homedir(),
    maxBytes: MAX_BYTES,
    ...{ clock, guard, garbage },
  })
  return {
    transport,
    pid: () => transport.pid,
    said: () => transport.stderr,
    failure: () => transport.failure,
    end: () => transport.close(),
  }
}

async function openHttp(deps: ConnectionDeps, kind: 'http' | 'sse'): Promise<OpenTransport> {
  const { name, settings, getVariable, auth } = deps
  const client = await openHttpClient({ server: name, settings, maxBytes: MAX_BYTES })
  const headers = Object.fromEntries(
    Object.entries(settings.headers).map(([key, value]) => [key, fillIn(value, getVariable)]),
  )
  const url = new URL(fillIn(settings.url ?? '', getVariable))
  const options = { fetch: client.fetch, requestInit: { headers }, ...(auth && { authProvider: auth }) }
  const transport =
    kind === 'http' ? new StreamableHTTPClientTransport(url, options) : new SSEClientTransport(url, options)
  const end = async () => {
    // A server keeps a session until it is told that the client has gone.
    if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined)
      await withDeadline(
        deps.clock,
        PING_MS,
        () => transport.terminateSession(),
        () => new Error('late'),
      ).catch(() => undefined)
    await transport.close()
    await client.close()
  }
  return { transport: transport as Transport, pid: () => undefined, said: () => '', failure: () => undefined, end }
}

async function handshake(deps: ConnectionDeps, open: OpenTransport, signal: AbortSignal): Promise<ServerPeer> {
  const { asked, settings, version, clock } = deps
  const client = new Client(
    { name: 'svc', title: 'svc', version },
    {
      capabilities: {
        ...(asked.sample && { sampling: {} }),
        ...(asked.elicit && { elicitation: { form: { applyDefaults: true }, url: {} } }),
        ...(asked.roots && { roots: { listChanged: true } }),
      },
      // The schemas of a server are its own: what it sends is passed on as data, and none of them is compiled.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  )
  answerServer(client, deps)
  let isOpen = false
  client.onclose = () => {
    if (isOpen) deps.lost(describe(new SvcError('MCP_CALL', 'The connection ended.'), open, deps))
    isOpen = false
  }
  try {
    await withDeadline(
      clock,
      settings.connect_timeout * 1000,
      (limit) => client.connect(open.transport, { signal: limit, timeout: 2_147_483_647 }),
      () => new SvcError('MCP_CONNECT', `it did not answer within ${settings.connect_timeout} s`),
      { signal },
    )
  } catch (error) {
    await open.end().catch(() => undefined)
    if (signal.aborted) throw signal.reason
    throw connectError(error, open, deps)
  }
  isOpen = true
  const end = async () => {
    isOpen = false
    await open.end()
  }
  return new Peer(client, open, deps, end)
}

function connectError(error: unknown, open: OpenTransport, deps: ConnectionDeps): Error {
  const { name } = deps
  if (isUnauthorized(error)) {
    const message = `The MCP server ${name} wants you to sign in. Run: svc mcp login ${name}`
    return new SvcError('MCP_SIGN_IN', message, { cause: error })
  }
  if (error instanceof SvcError && error.code === 'MCP_FILE_NOT_FOUND') return error
  const message = `The MCP server ${name} could not be connected: ${describe(error, open, deps)}`
  return new SvcError('MCP_CONNECT', message, { cause: error })
}

function isUnauthorized(error: unknown): boolean {
  if (error instanceof StreamableHTTPError) return error.code === 401
  // A refresh that the authorisation server refuses.
  if (error instanceof UnauthorizedError || error instanceof OAuthError) return true
  return error instanceof SvcError && error.code === 'MCP_SIGN_IN'
}

/** What went wrong, with what the server said last. Secrets are masked. */
function describe(error: unknown, open: OpenTransport, { mask }: Pick<ConnectionDeps, 'mask'>): string {
  const reason = open.failure() ?? rootCause(error)
  const said = open.said()
  const text = errorMessage(reason).replace(/\.$/, '').slice(0, 500)
  return mask(`${text}.${said === '' ? '' : ` It said: ${said.slice(-1000)}`}`)
}

/** `fetch failed` says nothing; its cause does. */
function rootCause(error: unknown): unknown {
  const { cause, message } = (error ?? {}) as { readonly cause?: unknown; readonly message?: string }
  return cause !== undefined && message === 'fetch failed' ? cause : error
}

function answerServer(client: Client, { asked, changed, updated }: ConnectionDeps): void {
  const { sample, elicit, roots } = asked
  if (sample)
    client.setRequestHandler(CreateMessageRequestSchema, async ({ params }, { signal }) => {
      return refusing(() => sample(params as unknown as SampleRequest, signal)) as never
    })
  if (elicit)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => {
      return refusing(() => elicit(params as unknown as ElicitQuestion, signal)) as never
    })
  if (roots)
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots().map((folder) => ({
        uri: new URL(`file://${folder.split('/').map(encodeURIComponent).join('/')}`).href,
      })),
    }))
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed('tools'))
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => changed('prompts'))
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => changed('resources'))
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updated(params.uri))
}

/** A refusal of ours is an error of the protocol, which the server can tell from a defect. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new McpError(ErrorCode.InvalidRequest, errorMessage(error))
  }
}

/** The library leaves a listener on each signal that it is given: it gets one of this request only. */
async function withOwnSignal<T>(signal: AbortSignal | undefined, work: (own: AbortSignal) => Promise<T>): Promise<T> {
  const own = new AbortController()
  const stop = () => own.abort(signal?.reason)
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await work(own.signal)
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

class Peer implements ServerPeer {
  readonly #client: Client
  readonly #open: OpenTransport
  readonly #deps: ConnectionDeps
  readonly #end: () => Promise<void>

  constructor(client: Client, open: OpenTransport, deps: ConnectionDeps, end: () => Promise<void>) {
    this.#client = client
    this.#open = open
    this.#deps = deps
    this.#end = end
  }

  get pid(): number | undefined {
    return this.#open.pid()
  }

  get about(): { readonly name: string; readonly version: string; readonly instructions?: string } {
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {}
    const instructions = this.#client.getInstructions()
    return { name, version, ...(instructions !== undefined && { instructions }) }
  }

  has(what: 'tools' | 'prompts' | 'resources' | 'completions' | 'subscriptions'): boolean {
    if (what === 'subscriptions') return this.#client.getServerCapabilities()?.resources?.subscribe === true
    return this.#client.getServerCapabilities()?.[what] !== undefined
  }

  async offer(signal: AbortSignal): Promise<Offer> {
    const timeout = this.#deps.settings.connect_timeout * 1000
    const options = { signal, timeout }
    const [tools, prompts, resources] = await Promise.all([
      this.#list('tools', 'tools/list', ListToolsResultSchema, options),
      this.#list('prompts', 'prompts/list', ListPromptsResultSchema, options),
      this.#list('resources', 'resources/list', ListResourcesResultSchema, options),
    ])
    return { tools, prompts, resources } as unknown as Offer
  }

  async tools(signal: AbortSignal): Promise<Offer['tools']> {
    const timeout = this.#deps.settings.connect_timeout * 1000
    return (await this.#list('tools', 'tools/list', ListToolsResultSchema, {
      signal,
      timeout,
    })) as unknown as Offer['tools']
  }

  async prompts(signal: AbortSignal): Promise<Offer['prompts']> {
    const timeout = this.#deps.settings.connect_timeout * 1000
    const all = await this.#list('prompts', 'prompts/list', ListPromptsResultSchema, { signal, timeout })
    return all as unknown as Offer['prompts']
  }

  async complete(
    { prompt, argument, earlier }: CompletionRequest,
    { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
  ) {
    const ask = (own: AbortSignal) =>
      this.#client.complete(
        {
          ref: { type: 'ref/prompt', name: prompt },
          argument: { ...argument },
          context: { arguments: { ...earlier } },
        },
        { signal: own, timeout: timeoutMs },
      )
    return (await withOwnSignal(signal, ask)).completion.values
  }

  async #list(
    what: 'tools' | 'prompts' | 'resources',
    method: string,
    schema: typeof ListToolsResultSchema | typeof ListPromptsResultSchema | typeof ListResourcesResultSchema,
    options: RequestOptions,
  ): Promise<readonly unknown[]> {
    if (!this.has(what)) return []
    const all: unknown[] = []
    let cursor: string | undefined
    for (let page = 0; page < MAX_PAGES && all.length < MAX_ITEMS; page += 1) {
      const params = cursor === undefined ? {} : { cursor }
      const result = (await this.#request(method, params, schema, options)) as Record<string, unknown>
      all.push(...(result[what] as unknown[]))
      cursor = result['nextCursor'] as string | undefined
      if (cursor === undefined) break
    }
    return all.slice(0, MAX_ITEMS)
  }

  async call(tool: string, input: object, options: Parameters<ServerPeer['call']>[2]): Promise<CallResult> {
    const { progress, timeoutMs, signal } = options
    const result = await this.#request('tools/call', { name: tool, arguments: input }, CallToolResultSchema, {
      signal,
      timeout: timeoutMs,
      resetTimeoutOnProgress: true,
      ...(progress && {
        onprogress: ({ progress: done, total, message }) => {
          const share = total === undefined ? `${done}` : `${done} of ${total}`
          progress(message === undefined ? share : `${message} (${share})`)
        },
      }),
    })
    return result as unknown as CallResult
  }

  async read(uri: string, options: Parameters<ServerPeer['read']>[1]): Promise<CallResult> {
    const { signal, timeoutMs } = options
    const read = (own: AbortSignal) => this.#client.readResource({ uri }, { signal: own, timeout: timeoutMs })
    const result = await withOwnSignal(signal, read).catch((error: unknown) => this.#fail(error, signal))
    return { content: result.contents.map((resource) => ({ type: 'resource', resource })) } as unknown as CallResult
  }

  async subscribe(uri: string, { signal, timeoutMs }: Parameters<ServerPeer['read']>[1]): Promise<void> {
    const ask = (own: AbortSignal) => this.#client.subscribeResource({ uri }, { signal: own, timeout: timeoutMs })
    await withOwnSignal(signal, ask).catch((error: unknown) => this.#fail(error, signal))
  }

  async unsubscribe(uri: string, { signal, timeoutMs }: Parameters<ServerPeer['read']>[1]): Promise<void> {
    const ask = (own: AbortSignal) => this.#client.unsubscribeResource({ uri }, { signal: own, timeout: timeoutMs })
    await withOwnSignal(signal, ask).catch((error: unknown) => this.#fail(error, signal))
  }

  async prompt(name: string, input: Readonly<Record<string, string>>, options: Parameters<ServerPeer['read']>[1]) {
    const { signal, timeoutMs } = options
    const get = (own: AbortSignal) =>
      this.#client.getPrompt({ name, arguments: { ...input } }, { signal: own, timeout: timeoutMs })
    const result = await withOwnSignal(signal, get).catch((error: unknown) => this.#fail(error, signal))
    return result.messages as unknown as Awaited<ReturnType<ServerPeer['prompt']>>
  }

  async ping(signal: AbortSignal): Promise<void> {
    await withOwnSignal(signal, (own) => this.#client.ping({ signal: own, timeout: PING_MS }))
  }

  async rootsChanged(): Promise<void> {
    await this.#client.sendRootsListChanged()
  }

  close(): Promise<void> {
    return this.#end()
  }

  async #request(
    method: string,
    params: object,
    schema:
      | typeof CallToolResultSchema
      | typeof ListToolsResultSchema
      | typeof ListPromptsResultSchema
      | typeof ListResourcesResultSchema,
    options: RequestOptions,
  ): Promise<unknown> {
    try {
      return await withOwnSignal(options.signal, (signal) =>
        this.#client.request({ method, params } as never, schema as never, { ...options, signal }),
      )
    } catch (error) {
      return this.#fail(error, options.signal)
    }
  }

  #fail(error: unknown, signal: AbortSignal | undefined): never {
    if (signal?.aborted) throw signal.reason
    const failure = this.#open.failure()
    if (failure) throw failure
    const { name } = this.#deps
    if (isUnauthorized(error))
      throw new SvcError('MCP_SIGN_IN', `The MCP server ${name} wants you to sign in. Run: svc mcp login ${name}`, {
        cause: error,
      })
    throw new SvcError('MCP_CALL', `The MCP server ${name} failed: ${describe(error, this.#open, this.#deps)}`, {
      cause: error,
    })
  }
}
