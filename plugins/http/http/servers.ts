/** The service: opens servers for the first app on an address and closes them behind the last. */
import { type Dispose, logFault, SvcError } from 'svc/sdk'
import type { Plugins, ServiceCaller } from 'svc/sdk/host'
import { waitAtMost } from 'svc/sdk/kit/async'
import { isLoopbackHost } from 'svc/sdk/provider'
import type { Http, HttpApp, HttpAppInfo, MountedApp } from 'svc/sdk/web'
import { checkAppLocks } from './app-rules.ts'
import { Listener, type ListenerDeps } from './listener.ts'
import { type PathTaken, pathTaken } from './path-taken.ts'
import { type ServerLimits, SharedServer } from './shared-server.ts'

export interface ServersDeps extends ListenerDeps, ServerLimits {
  readonly report: Plugins['report']
}

/** How long an open reply may take to end once its app was withdrawn. */
const FAREWELL_MS = 1000

/**
 * All servers of the process by their address. They outlive a generation of this plugin: a port cannot be handed over
 * otherwise, and the next generation listens before the previous one stops.
 */
const listening = new Map<string, SharedServer>()
/** One change at a time. */
let turn: Promise<unknown> = Promise.resolve()

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = turn.then(work)
  turn = done.catch(() => {})
  return done
}

interface Mounted {
  readonly server: SharedServer
  readonly listener: Listener
  readonly close: Dispose
}

export class Servers implements Http {
  readonly #deps: ServersDeps
  readonly #mounted: Set<Mounted> = new Set()
  #isClosed = false

  constructor(deps: ServersDeps) {
    this.#deps = deps
  }

  async mount(given: HttpApp, caller?: ServiceCaller): Promise<MountedApp> {
    const app = { ...given, host: given.host === 'localhost' ? '127.0.0.1' : given.host }
    checkAppLocks(app)
    const { fastify } = await import('./fastify.ts')
    const listener = new Listener(app, fastify, this.#deps, caller)
    await listener.ready()
    const { server, taken } = await inTurn(() => this.#join(listener))
    for (const each of taken) this.#replace(each)
    let gone: Promise<void> | undefined
    const close = () => {
      gone ??= this.#withdraw(mounted)
      return gone
    }
    const mounted = { server, listener, close }
    this.#mounted.add(mounted)
    return { port: server.port, url: `${server.origin}${app.prefix}`, close, [Symbol.asyncDispose]: close }
  }

  apps(): readonly HttpAppInfo[] {
    return [...this.#mounted].map(({ server, listener: { app } }) => {
      const { port, bound, host } = server
      return { ...app, port, url: `${server.origin}${app.prefix}`, bound, isReachable: !isLoopbackHost(host) }
    })
  }

  /** Withdraws everything. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#mounted].map(({ close }) => close()))
  }

  /** A path of a built-in plugin is its own, whichever plugin starts first. */
  #replace(taken: PathTaken): void {
    const { message, code } = pathTaken(taken)
    const plugin = taken.other.caller?.plugin ?? 'unknown'
    this.#deps.report({ plugin, stage: 'start', code, message: `its app is not served any more: ${message}` })
    const replaced = [...this.#mounted].find(({ listener }) => listener === taken.other)
    if (!replaced) return
    Promise.resolve(replaced.close()).catch((error: unknown) =>
      logFault(this.#deps.log, 'an app could not be withdrawn', error, plugin),
    )
  }

  async #join(listener: Listener): Promise<{ readonly server: SharedServer; readonly taken: readonly PathTaken[] }> {
    const { host, port } = listener.app
    if (this.#isClosed) throw new SvcError('HTTP_ADDRESS', 'The server is being stopped. Start it again first.')
    const known = listening.get(`${host}:${port}`)
    if (known) return { server: known, taken: known.add(listener) }
    const server = new SharedServer(host, this.#deps)
    await server.listen(port)
    server.add(listener)
    listening.set(`${host}:${server.port}`, server)
    return { server, taken: [] }
  }

  async #withdraw(mounted: Mounted): Promise<void> {
    const { server, listener } = mounted
    this.#mounted.delete(mounted)
    server.remove(listener)
    await waitAtMost(this.#deps.clock(), FAREWELL_MS, listener.close())
    await listener.cut()
    await inTurn(async () => {
      if (!server.isEmpty || listening.get(`${server.host}:${server.port}`) !== server) return
      listening.delete(`${server.host}:${server.port}`)
      await server.close()
    })
  }
}
