/** Opens connections to servers, with all that they need of svc. */
import type { Clock, Logger } from 'svc/sdk'
import type { McpSignIn } from 'svc/sdk/mcp'
import { fillIn } from './environment.ts'
import type { GroupGuard } from './group-guard.ts'
import type { ServerPeer } from './peer.ts'
import type { ServerRequests } from './requests.ts'
import type { Server } from './server.ts'
import type { TokenFiles } from './token-files.ts'
import type { Vetting } from './vetting.ts'

export interface OpenerDeps {
  readonly tokens: TokenFiles
  readonly log: Logger
  readonly guard: GroupGuard
  readonly vetting: Vetting
  clock(): Clock
  version(): string
  hex(bytes: number): string
  mask(text: string): string
  /** A resource of a server changed that was subscribed to. */
  updated(server: string, uri: string): void
}

export class Opener {
  readonly #deps: OpenerDeps

  constructor(deps: OpenerDeps) {
    this.#deps = deps
  }

  /** Throws what `McpServers.connect` names. */
  async open(server: Server, requests: ServerRequests, signal: AbortSignal): Promise<ServerPeer> {
    const { name, settings } = server
    const { log, guard, clock, version, mask, vetting } = this.#deps
    const getVariable = (variable: string) => server.getVariable(variable)
    await vetting.check(server, signal)
    const { openConnection, StoredAuth } = (await import('./protocol.ts')).protocol
    const usesAuth = settings.url !== undefined && settings.auth !== 'none'
    const hasTokens = usesAuth && (await this.#deps.tokens.read(name, this.#url(server))) !== undefined
    const isSignedIn = hasTokens || settings.auth === 'oauth'
    return openConnection(
      {
        ...{ name, settings, guard, getVariable, mask, clock: clock(), version: version() },
        ...(isSignedIn && { auth: new StoredAuth(this.#oauth(server)) }),
        garbage: (line) =>
          log.warn(`the MCP server ${name} writes to its output what is no message`, { line: mask(line) }),
        asked: {
          ...(settings.sampling.enabled && { sample: (request, limit) => requests.sample(request, limit) }),
          ...(settings.elicitation.enabled && { elicit: (question, limit) => requests.elicit(question, limit) }),
          ...(settings.roots && { roots: () => requests.roots }),
        },
        changed: (what) => {
          if (what !== 'resources') void server.refresh()
        },
        updated: (uri) => this.#deps.updated(name, uri),
        lost: (why) => server.lost(why),
      },
      signal,
    )
  }

  /** Throws `MCP_SIGN_IN`. */
  async login(server: Server, person: McpSignIn): Promise<void> {
    const { signIn } = (await import('./protocol.ts')).protocol
    await signIn(this.#oauth(server), person)
  }

  #url(server: Server): string {
    return fillIn(server.settings.url ?? '', (name) => server.getVariable(name))
  }

  #oauth(server: Server) {
    const { tokens, clock, hex } = this.#deps
    return { name: server.name, url: this.#url(server), settings: server.settings, tokens, clock: clock(), hex }
  }
}
