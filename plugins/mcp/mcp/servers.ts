/** All servers of the configuration: contract `McpServers` of the SDK. */
import { setMaxListeners } from 'node:events'
import { logFault, type PluginContext, SvcError, type ToolContext, type ToolResult } from 'svc/sdk'
import type { ChangeReason, ConfigFile } from 'svc/sdk/host'
import { toRegistration } from 'svc/sdk/kit/async'
import type {
  McpAttachment,
  McpCallOptions,
  McpOffer,
  McpServer,
  McpServers,
  McpSignIn,
  McpTool,
  McpToolState,
} from 'svc/sdk/mcp'
import type { PluginState } from 'svc/sdk/storage'
import { Attached } from './attached.ts'
import { checkSettings } from './check-settings.ts'
import { type Config, type ServerSettings, serverSettings } from './config.ts'
import { formatPrompt, toToolResult } from './content.ts'
import { approveTools, findSuspicion, formatDefinition, type ServerRecord } from './definitions.ts'
import { toToolName } from './names.ts'
import type { CompletionRequest, OfferedTool, ServerPeer } from './peer.ts'
import type { ServerRequests } from './requests.ts'
import { Server } from './server.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { TokenFiles } from './token-files.ts'
import { chooseTransport } from './transport.ts'

const COMPLETION_MS = 1000

export interface ServersDeps {
  readonly ctx: Pick<PluginContext<Config>, 'config' | 'log' | 'signal'>
  readonly clock: () => ConstructorParameters<typeof Server>[2]['clock']
  readonly state: PluginState<Readonly<Record<string, ServerRecord>>>
  readonly tokens: TokenFiles
  /** Where files that servers send are kept. */
  readonly filesDir: string
  writer(): ConfigFile | undefined
  mask(text: string): string
  getVariable(name: string): string | undefined
  requests(server: Server): ServerRequests
  open(server: Server, signal: AbortSignal): Promise<ServerPeer>
  login(server: Server, signIn: McpSignIn): Promise<void>
  /** Whether a tool of another plugin has the name. */
  isTaken(toolName: string): boolean
  readonly subscriptions: Subscriptions
  /** Servers are asked for their tools, which a first message may wait for. */
  asked(running: Promise<unknown>): void
}

export class Servers implements McpServers {
  readonly #deps: ServersDeps
  readonly #servers: Map<string, Server>
  readonly #requests = new Map<string, ServerRequests>()
  readonly #listeners = new Set<(name: string) => void>()
  readonly attached: Attached
  /** Lists of servers that were attached. */
  readonly #passing = new Map<string, ServerRecord>()
  #records: Readonly<Record<string, ServerRecord>> | undefined

  constructor(deps: ServersDeps) {
    this.#deps = deps
    // All servers listen to it at once.
    setMaxListeners(0, deps.ctx.signal)
    const { config } = deps.ctx
    this.attached = new Attached({
      servers: () => this.all,
      make: (name, settings) => this.#makePassing(name, settings),
      drop: (server) => this.#drop(server),
    })
    this.#servers = new Map(
      Object.entries(config).map(([name, settings]) => [name, this.#make(name, settings)] as const),
    )
  }

  get subscriptions(): Subscriptions {
    return this.#deps.subscriptions
  }

  /** The session was continued in this process: servers whose resources it follows are connected, and nothing waits for them. */
  follow(sessionId: string): void {
    for (const name of this.subscriptions.adopt(sessionId)) {
      const server = this.#servers.get(name)
      server?.connect(this.#deps.ctx.signal).catch((error: unknown) => {
        this.#deps.ctx.log.info(`resources of the MCP server ${name} are not followed yet`, { error })
      })
    }
  }

  get all(): readonly Server[] {
    return [...this.#servers.values()]
  }

  #make(name: string, settings: ServerSettings): Server {
    const { ctx, clock, open } = this.#deps
    return new Server(name, settings, {
      clock: clock(),
      log: ctx.log,
      signal: ctx.signal,
      open,
      getVariable: (variable) => this.#deps.getVariable(variable),
      record: () => this.#read()[name],
      keep: async (merge) => {
        const before = this.#read()[name]
        const merged = merge(before)
        this.#reportHeld(name, merged)
        // Asked again and found the same: nothing is written at each start.
        if (before && JSON.stringify({ ...before, listedAt: 0 }) === JSON.stringify({ ...merged, listedAt: 0 })) return
        this.#records = await this.#deps.state.update((all) => ({ ...all, [name]: merge(all[name]) }))
      },
      changed: () => this.#tell(name),
      opened: (peer) => this.subscriptions.resume(name, peer, ctx.signal, settings.connect_timeout * 1000),
      isAwaited: () => this.subscriptions.isAwaited(name),
    })
  }

  /** Settings of a front end do not reach the secrets of svc, and leave nothing behind. */
  #makePassing(name: string, settings: ServerSettings): Server {
    const { ctx, clock, open } = this.#deps
    const server = new Server(name, settings, {
      ...{ clock: clock(), log: ctx.log, signal: ctx.signal, open },
      getVariable: () => undefined,
      record: () => this.#passing.get(name),
      keep: async (merge) => {
        const merged = merge(this.#passing.get(name))
        this.#reportHeld(name, merged)
        this.#passing.set(name, merged)
      },
      changed: () => this.#tell(name),
      opened: (peer) => this.subscriptions.resume(name, peer, ctx.signal, settings.connect_timeout * 1000),
      isAwaited: () => this.subscriptions.isAwaited(name),
    })
    this.#servers.set(name, server)
    return server
  }

  #drop(server: Server): void {
    const { name } = server
    this.#servers.delete(name)
    this.#passing.delete(name)
    this.#requests.delete(name)
    this.#tell(name)
    server.end().catch((error: unknown) => logFault(this.#deps.ctx.log, `the MCP server ${name} did not end`, error))
  }

  attach(sessionId: string, given: Readonly<Record<string, Readonly<Record<string, unknown>>>>): McpAttachment {
    const { servers, ...attachment } = this.attached.attach(sessionId, given)
    const asked = servers.map((server) =>
      server.connect(this.#deps.ctx.signal).catch((error: unknown) => {
        this.#deps.ctx.log.info(`the MCP server ${server.name} could not be asked for its tools`, { error })
      }),
    )
    this.#deps.asked(Promise.all(asked))
    return attachment
  }

  #read(): Readonly<Record<string, ServerRecord>> {
    this.#records ??= this.#deps.state.get()
    return this.#records
  }

  #reportHeld(name: string, record: ServerRecord): void {
    const held = record.tools.filter((tool) => record.approved[tool.name] !== formatDefinition(tool))
    if (held.length === 0) return
    const tools = held.map((tool) => tool.name)
    this.#deps.ctx.log.warn(`tools of the MCP server ${name} are held back until they are approved`, { tools })
  }

  #tell(name: string): void {
    for (const listener of this.#listeners) {
      try {
        listener(name)
      } catch (error) {
        this.#deps.ctx.log.error('a listener to MCP servers failed', { error })
      }
    }
  }

  find(name: string): Server {
    const server = this.#servers.get(name)
    if (server) return server
    const names = [...this.#servers.keys()].join(', ') || 'none'
    throw new SvcError('MCP_SERVER_UNKNOWN', `There is no MCP server "${name}". Those in config.yaml: ${names}.`)
  }

  requestsOf(server: Server): ServerRequests {
    const known = this.#requests.get(server.name)
    if (known) return known
    const made = this.#deps.requests(server)
    this.#requests.set(server.name, made)
    return made
  }

  list(): readonly McpServer[] {
    return this.all.map((server) => this.#describe(server))
  }

  get(name: string): McpServer | undefined {
    const server = this.#servers.get(name)
    return server && this.#describe(server)
  }

  #describe(server: Server): McpServer {
    const { name, settings, state, problem, pid, record } = server
    const target =
      settings.command === undefined ? (settings.url ?? '') : [settings.command, ...settings.args].join(' ')
    return {
      name,
      transport: chooseTransport(settings),
      target: this.#deps.mask(target),
      state,
      ...(problem !== undefined && { problem }),
      tools: (record?.tools ?? []).map((tool) => this.#describeTool(server, tool, record)),
      ...(record && { listedAt: record.listedAt }),
      ...(pid !== undefined && { pid }),
    }
  }

  #describeTool(server: Server, tool: OfferedTool, record: ServerRecord | undefined): McpTool {
    const approved = record?.approved[tool.name]
    const after = formatDefinition(tool)
    const state = this.stateOf(server, tool, record)
    const isHeld = state === 'changed' || state === 'suspicious'
    return {
      name: tool.name,
      toolName: toToolName(server.name, tool.name),
      ...(tool.title !== undefined && { title: tool.title }),
      description: tool.description ?? '',
      inputSchema: tool.inputSchema,
      annotations: (tool.annotations ?? {}) as McpTool['annotations'],
      state,
      ...(isHeld && { change: { before: approved ?? '', after } }),
    }
  }

  stateOf(server: Server, tool: OfferedTool, record: ServerRecord | undefined): McpToolState {
    const { include, exclude } = server.settings.tools
    const isMeant = include === undefined ? !exclude.includes(tool.name) : include.includes(tool.name)
    if (!isMeant) return 'excluded'
    const approved = record?.approved[tool.name]
    if (approved === undefined) return findSuspicion(tool) === undefined ? 'offered' : 'suspicious'
    if (approved !== formatDefinition(tool)) return 'changed'
    const { type } = tool.inputSchema
    if (type !== undefined && type !== 'object') return 'invalid'
    return this.#deps.isTaken(toToolName(server.name, tool.name)) ? 'taken' : 'offered'
  }

  async connect(name: string, signal: AbortSignal): Promise<McpServer> {
    const server = this.find(name)
    await server.connect(signal)
    return this.#describe(server)
  }

  disconnect(name: string): Promise<void> {
    return this.find(name).disconnect()
  }

  async probe(name: string, signal: AbortSignal): Promise<McpOffer> {
    const server = this.find(name)
    const wasConnected = server.state === 'connected'
    await server.connect(signal, { force: true })
    try {
      return await this.offerOf(server, signal)
    } finally {
      if (!wasConnected) await server.disconnect()
    }
  }

  /** All that a server offers, over its connection. */
  offerOf(server: Server, signal: AbortSignal): Promise<McpOffer> {
    return server.use(signal, async (peer) => {
      const { prompts, resources } = await peer.offer(signal)
      const { record } = server
      return {
        serverName: peer.about.name,
        serverVersion: peer.about.version,
        ...(peer.about.instructions !== undefined && { instructions: peer.about.instructions }),
        tools: (record?.tools ?? []).map((tool) => this.#describeTool(server, tool, record)),
        prompts: prompts.map(({ name: prompt, description = '', arguments: fields = [] }) => ({
          name: prompt,
          description,
          arguments: fields.map((field) => ({
            name: field.name,
            description: field.description ?? '',
            required: field.required === true,
          })),
        })),
        resources: resources.map(({ uri, name: resource, description = '', mimeType }) => ({
          ...{ uri, name: resource, description },
          ...(mimeType !== undefined && { mimeType }),
        })),
      }
    })
  }

  /** A call of the model: requests of the server meanwhile belong to its turn. */
  async callInTurn(server: Server, tool: string, input: object, turn: ToolContext): Promise<ToolResult> {
    this.attached.admit(server.name, turn.sessionId)
    if (server.settings.roots && this.requestsOf(server).addRoot(turn.cwd) && server.state === 'connected')
      await server.use(turn.signal, (peer) => peer.rootsChanged())
    const options = { signal: turn.signal, progress: (text: string) => turn.progress(text) }
    return this.requestsOf(server).during(turn, () => this.call(server.name, tool, input as never, options))
  }

  async call(
    name: string,
    tool: string,
    input: Readonly<Record<string, unknown>>,
    options: McpCallOptions,
  ): Promise<ToolResult> {
    const server = this.find(name)
    const result = await server.use(options.signal, (peer) => peer.call(tool, input, this.#bound(server, options)))
    return toToolResult(name, result, this.#deps.filesDir)
  }

  async read(name: string, uri: string, options: McpCallOptions): Promise<ToolResult> {
    const server = this.find(name)
    const result = await server.use(options.signal, (peer) => peer.read(uri, this.#bound(server, options)))
    return toToolResult(name, result, this.#deps.filesDir)
  }

  async prompt(
    name: string,
    prompt: string,
    input: Readonly<Record<string, string>>,
    options: McpCallOptions,
  ): Promise<string> {
    const server = this.find(name)
    const messages = await server.use(options.signal, (peer) =>
      peer.prompt(prompt, input, this.#bound(server, options)),
    )
    return formatPrompt(messages)
  }

  /** What a connected server proposes for an argument; nothing is started for it, and one that is slow proposes nothing. */
  async completePrompt(server: Server, request: CompletionRequest, signal: AbortSignal): Promise<readonly string[]> {
    const { peer } = server
    if (!peer?.has('completions')) return []
    try {
      return await peer.complete(request, { signal, timeoutMs: COMPLETION_MS })
    } catch (error) {
      this.#deps.ctx.log.debug(`the MCP server ${server.name} completed nothing`, { error })
      return []
    }
  }

  #bound(server: Server, { signal, timeoutMs, progress }: McpCallOptions) {
    return {
      signal,
      timeoutMs: timeoutMs ?? server.settings.timeout * 1000,
      ...(progress && { progress: (text: string) => progress(text) }),
    }
  }

  check(name: string, settings: Readonly<Record<string, unknown>>): readonly string[] {
    return checkSettings(name, settings)
  }

  async save(name: string, settings: Readonly<Record<string, unknown>>, by: ChangeReason): Promise<void> {
    const problems = checkSettings(name, settings)
    if (problems.length > 0)
      throw new SvcError('MCP_REFUSED', `The MCP server ${name} was not written. ${problems.join(' ')}`)
    await this.#writer().write([{ path: `mcp_servers.${name}`, value: settings }], by)
    // A process that follows the configuration reloads the plugin; a command continues with this one.
    await this.#servers.get(name)?.end()
    this.#requests.delete(name)
    this.#servers.set(name, this.#make(name, serverSettings.parse(settings)))
    this.#tell(name)
  }

  async remove(name: string, by: ChangeReason): Promise<void> {
    const server = this.find(name)
    await this.#writer().write([{ path: `mcp_servers.${name}`, value: undefined }], by)
    await server.end()
    this.#servers.delete(name)
    await this.#deps.tokens.remove(name)
    this.#records = await this.#deps.state.update(({ [name]: _, ...rest }) => rest)
    this.#tell(name)
  }

  #writer(): ConfigFile {
    const writer = this.#deps.writer()
    if (writer) return writer
    throw new SvcError('MCP_NO_WRITER', 'Nothing here can write config.yaml: the plugin config is switched off.')
  }

  async login(name: string, signIn: McpSignIn): Promise<void> {
    const server = this.find(name)
    await this.#deps.login(server, signIn)
    await server.disconnect()
    server.reset()
    this.#tell(name)
  }

  async logout(name: string): Promise<boolean> {
    const server = this.find(name)
    const had = await this.#deps.tokens.remove(name)
    await server.disconnect()
    return had
  }

  async approve(name: string, tools?: readonly string[]): Promise<readonly string[]> {
    this.find(name)
    let approved: readonly string[] = []
    this.#records = await this.#deps.state.update((all) => {
      const record = all[name]
      if (!record) return all
      const result = approveTools(record, tools)
      approved = result.approved
      return { ...all, [name]: result.record }
    })
    this.#tell(name)
    return approved
  }

  async reload(signal: AbortSignal): Promise<readonly McpServer[]> {
    const enabled = this.all.filter(({ settings }) => settings.enabled)
    await Promise.all(
      enabled.map(async (server) => {
        try {
          await server.disconnect()
          server.reset()
          await server.connect(signal)
        } catch (error) {
          // Its state says it.
          this.#deps.ctx.log.info(`the MCP server ${server.name} was not connected`, { error })
        }
      }),
    )
    signal.throwIfAborted()
    return this.list()
  }

  onChange(listener: (name: string) => void) {
    this.#listeners.add(listener)
    return toRegistration(() => void this.#listeners.delete(listener))
  }

  /** Called after another process wrote the stored records. */
  forgetRecords(): void {
    this.#records = undefined
    for (const { name } of this.all) this.#tell(name)
  }

  async end(): Promise<void> {
    await Promise.all(this.all.map((server) => server.end()))
  }
}
