/** Asks servers for their tools that were never asked before, and tells people of tools that are held back. */
import type { Clock, Logger, Translate } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import type { ServerRecord } from './definitions.ts'
import type { Servers } from './servers.ts'

/** How long the first message waits for servers that were never asked for their tools; the others are known. */
const FIRST_WAIT_MS = 1500

export interface DiscoveryDeps {
  readonly servers: () => Servers
  readonly clock: () => Clock
  readonly log: Logger
  readonly signal: AbortSignal
  readonly t: Translate
  say(sessionId: string, text: string): void
}

export class Discovery {
  readonly #deps: DiscoveryDeps
  readonly #told = new Set<string>()
  /** Lists that were looked at: they are the same in most turns, and long. */
  readonly #seen = new WeakSet<ServerRecord>()
  #running: Promise<unknown> | undefined

  constructor(deps: DiscoveryDeps) {
    this.#deps = deps
  }

  /** All of them at once. A server that fails is tried again when it is called, or by `/reload-mcp`. */
  begin(): void {
    const { servers, log, signal } = this.#deps
    const unknown = servers().all.filter(({ settings, record }) => settings.enabled && !record)
    if (unknown.length === 0) return
    const asked = unknown.map((server) =>
      server.connect(signal).catch((error: unknown) => {
        log.info(`the MCP server ${server.name} could not be asked for its tools`, { error })
      }),
    )
    this.wait(Promise.all(asked))
  }

  /** The next message waits for it, too. */
  wait(running: Promise<unknown>): void {
    this.#running = Promise.all([this.#running, running])
  }

  /** Before a message: waits for servers that are asked for the first time, but not for long, and not twice. */
  async before(sessionId: string): Promise<void> {
    const running = this.#running
    this.#running = undefined
    if (running) await waitAtMost(this.#deps.clock(), FIRST_WAIT_MS, running, { signal: this.#deps.signal })
    this.#tell(sessionId)
  }

  /** Once for each definition in this process. */
  #tell(sessionId: string): void {
    const { servers, say, t } = this.#deps
    for (const { name, record } of servers().all) {
      if (!record || this.#seen.has(record) || servers().attached.has(name)) continue
      this.#seen.add(record)
      const { tools = [] } = servers().get(name) ?? {}
      const held = tools.filter(({ change }) => change !== undefined && !this.#told.has(`${name} ${change.after}`))
      if (held.length === 0) continue
      for (const { change } of held) this.#told.add(`${name} ${change?.after}`)
      const names = held.map((tool) => `\`${tool.name.replace(/[^\w.-]/g, '_')}\``).join(', ')
      const values = { names, server: `\`${name}\``, command: `\`svc mcp tools ${name}\`` }
      say(
        sessionId,
        t(
          'The MCP server {server} describes tools in another way than you approved, so they are held back: {names}. See {command}.',
          values,
        ),
      )
    }
  }
}
