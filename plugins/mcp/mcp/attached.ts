/** Servers that a front end names for one session: nothing of them is written, and no other session has their tools. */
import { isDeepStrictEqual } from 'node:util'
import { type Registration, SvcError } from 'svc/sdk'
import { toRegistration } from 'svc/sdk/kit/async'
import type { McpAttachment } from 'svc/sdk/mcp'
import { checkSettings } from './check-settings.ts'
import { type ServerSettings, serverSettings } from './config.ts'
import { toToolset } from './names.ts'
import { identify, type Server } from './server.ts'

const MAX_NAME = 50
/** Of all sessions of a process. */
const MAX_SERVERS = 100

export interface AttachedDeps {
  /** All servers, those of config.yaml and those that were attached. */
  servers(): readonly Server[]
  make(name: string, settings: ServerSettings): Server
  /** The server is not used any more. */
  drop(server: Server): void
}

interface Use {
  readonly server: Server
  /** One for each attachment. */
  readonly sessions: string[]
}

export class Attached {
  readonly #deps: AttachedDeps
  /** By the names of servers. */
  readonly #uses = new Map<string, Use>()

  constructor(deps: AttachedDeps) {
    this.#deps = deps
  }

  has(name: string): boolean {
    return this.#uses.has(name)
  }

  /** Throws `MCP_SERVER_UNKNOWN` when the server belongs to other sessions. */
  admit(name: string, sessionId: string): void {
    if (this.#uses.get(name)?.sessions.includes(sessionId) !== false) return
    throw new SvcError('MCP_SERVER_UNKNOWN', `The MCP server ${name} belongs to another session.`)
  }

  /** Toolsets that the session does not have; empty for most. */
  hiddenFrom(sessionId: string): ReadonlySet<string> {
    const hidden = [...this.#uses].filter(([, { sessions }]) => !sessions.includes(sessionId))
    return new Set(hidden.map(([name]) => toToolset(name)))
  }

  /** Two sessions with the same server share it; one that config.yaml has is there already. */
  attach(
    sessionId: string,
    given: Readonly<Record<string, unknown>>,
  ): McpAttachment & { readonly servers: readonly Server[] } {
    const refused: { name: string; problems: readonly string[] }[] = []
    const used: Use[] = []
    for (const [wanted, written] of Object.entries(given)) {
      const name = wanted.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, MAX_NAME) || 'server'
      const problems = [...checkSettings(name, written)]
      if (this.#uses.size >= MAX_SERVERS) problems.push(`${MAX_SERVERS} servers of sessions are open.`)
      if (problems.length > 0) refused.push({ name: wanted, problems })
      else {
        const use = this.#use(name, serverSettings.parse(written))
        if (use) used.push(use)
      }
    }
    for (const { sessions } of used) sessions.push(sessionId)
    const registration: Registration = toRegistration(() => {
      for (const use of used) this.#leave(use, sessionId)
    })
    return { registration, refused, servers: used.map(({ server }) => server) }
  }

  #use(name: string, settings: ServerSettings): Use | undefined {
    const all = this.#deps.servers()
    const identity = identify(settings)
    if (all.some((each) => !this.has(each.name) && each.settings.enabled && each.identity === identity))
      return undefined
    const same = [...this.#uses.values()].find(({ server }) => isDeepStrictEqual(server.settings, settings))
    if (same) return same
    const taken = new Set(all.map((server) => server.name))
    let free = name
    for (let at = 2; taken.has(free); at++) free = `${name}-${at}`
    const use = { server: this.#deps.make(free, settings), sessions: [] }
    this.#uses.set(free, use)
    return use
  }

  #leave(use: Use, sessionId: string): void {
    const at = use.sessions.indexOf(sessionId)
    if (at >= 0) use.sessions.splice(at, 1)
    if (use.sessions.length > 0) return
    this.#uses.delete(use.server.name)
    this.#deps.drop(use.server)
  }
}
