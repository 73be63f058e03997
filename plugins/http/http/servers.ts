/** The service: opens servers for the first app on an address and closes them behind the last. */
import {
  type Disposer,
  type Http,
  type HttpApp,
  isLoopbackHost,
  type ListeningApp,
  type MountedApp,
  SvcError,
} from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { checkDoors } from './doors.ts'
import { Listener, type ListenerPorts } from './listener.ts'
import { type ServerLimits, SharedServer } from './shared-server.ts'

/** What serving needs of the outside. */
export interface ServersPorts extends ListenerPorts, ServerLimits {}

/** How long an open reply may take to end once its app was withdrawn. */
const FAREWELL_MS = 1000

/**
 * All servers of the process by their address. They outlive a generation of this plugin: a port cannot be handed over
 * otherwise, and the next generation listens before the last one goes.
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
  readonly close: Disposer
}

export class Servers implements Http {
  readonly #ports: ServersPorts
  readonly #mounted: Set<Mounted> = new Set()
  #isClosed = false

  constructor(ports: ServersPorts) {
    this.#ports = ports
  }

  async mount(given: HttpApp): Promise<MountedApp> {
    const app = { ...given, host: given.host === 'localhost' ? '127.0.0.1' : given.host }
    checkDoors(app)
    const { fastify } = await import('./fastify.ts')
    const listener = new Listener(app, fastify, this.#ports)
    await listener.ready()
    const server = await inTurn(() => this.#join(listener))
    let gone: Promise<void> | undefined
    const close = () => {
      gone ??= this.#withdraw(mounted)
      return gone
    }
    const mounted = { server, listener, close }
    this.#mounted.add(mounted)
    return { port: server.port, url: `${server.origin}${app.prefix}`, close }
  }

  apps(): readonly ListeningApp[] {
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

  async #join(listener: Listener): Promise<SharedServer> {
    const { host, port } = listener.app
    if (this.#isClosed) throw new SvcError('HTTP_ADDRESS', 'The server is being stopped. Start it again first.')
    const known = listening.get(`${host}:${port}`)
    if (known) {
      known.add(listener)
      return known
    }
    const server = new SharedServer(host, this.#ports)
    await server.listen(port)
    server.add(listener)
    listening.set(`${host}:${server.port}`, server)
    return server
  }

  async #withdraw(mounted: Mounted): Promise<void> {
    const { server, listener } = mounted
    this.#mounted.delete(mounted)
    server.remove(listener)
    await waitAtMost(this.#ports.clock(), FAREWELL_MS, listener.close())
    await listener.cut()
    await inTurn(async () => {
      if (!server.isEmpty || listening.get(`${server.host}:${server.port}`) !== server) return
      listening.delete(`${server.host}:${server.port}`)
      await server.close()
    })
  }
}
