/** Keeps the tools of servers on the point `Tools`: those of the lists that were read last, so that no server has to run for it. */
import { type PluginContext, type Registration, type Tool, type ToolSelection, Tools } from 'svc/sdk'
import type { Config } from './config.ts'
import { formatDefinition } from './definitions.ts'
import type { Server } from './server.ts'
import type { Servers } from './servers.ts'
import { type ServerTools, toTool } from './tools.ts'
import { utilityTools } from './utility-tools.ts'

interface Added {
  /** What the tool was made from; another definition makes another tool. */
  readonly source: string
  readonly registration: Registration
}

export class ToolRegistry {
  readonly #ctx: PluginContext<Config>
  readonly #servers: () => Servers
  readonly #added = new Map<string, Added>()
  #isFollowing = false

  constructor(ctx: PluginContext<Config>, servers: () => Servers) {
    this.#ctx = ctx
    this.#servers = servers
  }

  /** From now on. */
  follow(): void {
    if (this.#isFollowing) return
    this.#isFollowing = true
    this.#servers().onChange(() => this.sync())
    this.sync()
  }

  /** Without the tools of servers that belong to other sessions. */
  select({ offered, deferred }: ToolSelection, sessionId: string): ToolSelection | undefined {
    const hidden = this.#servers().attached.hiddenFrom(sessionId)
    if (hidden.size === 0) return undefined
    const tools = this.#ctx.all(Tools)
    const isShown = (name: string) => !hidden.has(tools.get(name)?.toolset ?? '')
    return { offered: offered.filter(isShown), deferred: deferred.filter(isShown) }
  }

  /** Adds and withdraws tools, so that those there are match the lists. The same tool stays the same object: its bytes stay, too. */
  sync(): void {
    const wanted = new Map<string, { readonly tool: Tool; readonly source: string }>()
    for (const server of this.#servers().all) {
      if (!server.settings.enabled) continue
      for (const each of this.#toolsOf(server)) if (!wanted.has(each.tool.name)) wanted.set(each.tool.name, each)
    }
    for (const [name, { source, registration }] of this.#added) {
      if (wanted.get(name)?.source === source) continue
      void registration()
      this.#added.delete(name)
    }
    for (const [name, { tool, source }] of wanted) {
      if (this.#added.has(name)) continue
      this.#added.set(name, { source, registration: this.#ctx.add(Tools, tool) })
    }
  }

  #toolsOf(server: Server): readonly { readonly tool: Tool; readonly source: string }[] {
    const { record } = server
    if (!record) return []
    const servers = this.#servers()
    const shared: ServerTools = {
      name: server.name,
      settings: server.settings,
      missing: () => explainMissing(server),
      admit: (turn) => servers.attached.admit(server.name, turn.sessionId),
      call: (tool, input, turn) => servers.callInTurn(server, tool, input, turn),
    }
    const own = record.tools
      .filter((tool) => servers.stateOf(server, tool, record) === 'offered')
      .map((tool) => ({ tool: toTool(shared, tool), source: formatDefinition(tool) }))
    const more = utilityTools(server, servers, shared, record)
      .filter(({ name }) => !this.isTaken(name))
      .map((tool) => ({ tool, source: tool.name }))
    return [...own, ...more]
  }

  /** Whether a tool of another plugin has the name. */
  isTaken(name: string): boolean {
    const owner = this.#ctx.all(Tools).owner(name)
    return owner !== undefined && owner !== this.#ctx.name
  }
}

/** A server that failed a moment ago is tried again by a call; one that needs a person is not. */
function explainMissing({ state, problem }: Server): string | undefined {
  return state === 'parked' || state === 'sign-in' ? (problem ?? 'the server is out of order') : undefined
}
