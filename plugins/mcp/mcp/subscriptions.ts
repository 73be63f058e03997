/**
 * Resources that conversations follow: https://modelcontextprotocol.io/specification/2025-06-18/server/resources#subscriptions
 * A change is told once, until the resource is read again: during a turn with the next result of a tool, otherwise with the next message.
 */
import { type Agent, defineSessionState, type Logger, type Session, SvcError } from 'svc/sdk'
import { oneLine } from 'svc/sdk/kit/views'
import type { ServerPeer } from './peer.ts'
import type { Server } from './server.ts'

const MAX_EACH = 50
const MAX_URI = 2000
const MAX_SHOWN = 300

interface Followed {
  readonly server: string
  readonly uri: string
}

/** What a session follows, so that it does so after a restart, too. */
const Following = defineSessionState<readonly Followed[]>('mcp:subscriptions', {
  undo: 'keeps',
  parse: (value) =>
    Array.isArray(value) && value.every(({ server, uri } = {}) => typeof server === 'string' && typeof uri === 'string')
      ? value
      : undefined,
})

export interface SubscriptionDeps {
  readonly log: Logger
  session(id: string): Session | undefined
  agent(): Agent | undefined
  /** How the model reads a resource of a server again. */
  toolName(server: string): string
}

/** What one session follows of one server. */
interface Watch {
  readonly uris: Set<string>
  /** Told, and not read since. */
  readonly told: Set<string>
}

export class Subscriptions {
  readonly #deps: SubscriptionDeps
  /** By the name of the server, then by the session. */
  readonly #watches = new Map<string, Map<string, Watch>>()
  /** Notes for the next message of a session. */
  readonly #waiting = new Map<string, Set<string>>()
  readonly #adopted = new Set<string>()

  constructor(deps: SubscriptionDeps) {
    this.#deps = deps
  }

  /** Whether a connection to the server is kept for its reports. */
  isAwaited(server: string): boolean {
    return this.#uris(server).size > 0
  }

  #uris(server: string): Set<string> {
    return new Set([...(this.#watches.get(server)?.values() ?? [])].flatMap(({ uris }) => [...uris]))
  }

  /** Throws `MCP_CALL` when the server refuses. */
  async follow(server: Server, uri: string, sessionId: string, signal: AbortSignal, timeoutMs: number): Promise<void> {
    const watch = this.#watch(server.name, sessionId)
    if (uri.length > MAX_URI) throw new SvcError('MCP_CALL', `An address has at most ${MAX_URI} characters.`)
    if (!watch.uris.has(uri) && watch.uris.size >= MAX_EACH)
      throw new SvcError('MCP_CALL', `A conversation follows at most ${MAX_EACH} resources of a server. End one first.`)
    await server.use(signal, (peer) => {
      if (!peer.has('subscriptions'))
        throw new SvcError('MCP_CALL', `The MCP server ${server.name} does not report changes of its resources.`)
      return peer.subscribe(uri, { signal, timeoutMs })
    })
    watch.uris.add(uri)
    watch.told.delete(uri)
    this.#store(sessionId)
  }

  /** False if it was not followed. The server is told when no other session follows it. */
  async leave(
    server: Server,
    uri: string,
    sessionId: string,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<boolean> {
    const watch = this.#watch(server.name, sessionId)
    if (!watch.uris.delete(uri)) return false
    watch.told.delete(uri)
    this.#store(sessionId)
    if (this.#uris(server.name).has(uri)) return true
    await server.peer?.unsubscribe(uri, { signal, timeoutMs })
    return true
  }

  #watch(server: string, sessionId: string): Watch {
    const sessions = this.#watches.get(server) ?? new Map<string, Watch>()
    this.#watches.set(server, sessions)
    const watch = sessions.get(sessionId) ?? { uris: new Set<string>(), told: new Set<string>() }
    sessions.set(sessionId, watch)
    return watch
  }

  #store(sessionId: string): void {
    const all = [...this.#watches].flatMap(([server, sessions]) =>
      [...(sessions.get(sessionId)?.uris ?? [])].map((uri) => ({ server, uri })),
    )
    this.#adopted.add(sessionId)
    this.#deps.session(sessionId)?.setState(Following, all.length > 0 ? all : undefined)
  }

  /** The session was continued in this process: what it followed before is followed again. Returns the servers it needs. */
  adopt(sessionId: string): readonly string[] {
    if (this.#adopted.has(sessionId)) return []
    this.#adopted.add(sessionId)
    const stored = this.#deps.session(sessionId)?.state(Following) ?? []
    for (const { server, uri } of stored) this.#watch(server, sessionId).uris.add(uri)
    return [...new Set(stored.map(({ server }) => server))]
  }

  /** A connection was opened, or opened again: the server knows nothing of the one before. */
  async resume(server: string, peer: ServerPeer, signal: AbortSignal, timeoutMs: number): Promise<void> {
    if (!peer.has('subscriptions')) return
    for (const uri of this.#uris(server)) {
      try {
        await peer.subscribe(uri, { signal, timeoutMs })
        // What changed while no one listened is not known.
        this.#tell(server, uri, 'may have changed: the connection was opened again')
      } catch (error) {
        this.#deps.log.warn(`a resource of the MCP server ${server} is no longer followed`, { uri, error })
        this.#tell(server, uri, 'is no longer followed: the server refused after a reconnect')
        this.#drop(server, uri)
      }
    }
  }

  #drop(server: string, uri: string): void {
    for (const [sessionId, watch] of this.#watches.get(server) ?? []) if (watch.uris.delete(uri)) this.#store(sessionId)
  }

  /** A server said that a resource changed, perhaps one below the one that is followed. */
  updated(server: string, uri: string): void {
    for (const each of this.#uris(server))
      if (uri === each || uri.startsWith(each.endsWith('/') ? each : `${each}/`)) this.#tell(server, each, 'changed')
  }

  #tell(server: string, uri: string, what: string): void {
    for (const [sessionId, { uris, told }] of this.#watches.get(server) ?? []) {
      if (!uris.has(uri) || told.has(uri)) continue
      told.add(uri)
      const shown = oneLine(uri).slice(0, MAX_SHOWN)
      const tool = this.#deps.toolName(server)
      const text = `[The resource ${shown} of the MCP server ${server} ${what}. ${tool} reads it.]`
      if (this.#deps.agent()?.steer(sessionId, text, { source: 'plugin' })) continue
      const waiting = this.#waiting.get(sessionId) ?? new Set()
      this.#waiting.set(sessionId, waiting.add(text))
    }
  }

  /** The model has the content of now: the next change is told. */
  wasRead(server: string, uri: string, sessionId: string): void {
    const watch = this.#watches.get(server)?.get(sessionId)
    for (const each of watch?.told ?? []) if (uri === each || uri.startsWith(each)) watch?.told.delete(each)
  }

  /** A message with what changed since the last one. */
  before(text: string, sessionId: string): string {
    const notes = this.#waiting.get(sessionId)
    this.#waiting.delete(sessionId)
    return notes ? `${[...notes].join('\n')}\n\n${text}` : text
  }

  /** Sessions that were removed. */
  forget(sessionIds: readonly string[]): void {
    for (const id of sessionIds) {
      this.#waiting.delete(id)
      this.#adopted.delete(id)
      for (const sessions of this.#watches.values()) sessions.delete(id)
    }
  }
}
