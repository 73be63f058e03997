/** The side that answers: a socket on which each line is a request and gets one line back. */
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { type Clock, type Disposer, errorCode, errorMessage, type Logger, SvcError } from 'svc/sdk'
import { isAnswered } from './client.ts'
import { within } from './limit.ts'
import { lines, toLine } from './lines.ts'
import { addresses, isAlive, ownAddress, prepareFolder, removeStale, unavailable } from './place.ts'

const MAX_REQUEST = 64 * 1024
const MAX_CONNECTIONS = 16
/** Runtimes that may share one process. */
const MAX_ATTEMPTS = 50
/** How long a connection may be open without a whole request. */
const IDLE_MS = 10_000
/** How long a method may take; setting up and starting a plugin has limits of its own below this. */
const METHOD_MS = 120_000

/** What a process offers. */
export interface Offer {
  readonly home: string
  readonly command: string
  readonly methods: Readonly<Record<string, (params: unknown) => unknown>>
  readonly clock: Clock
  readonly log: Logger
}

/** Listens until the returned function is called. An answer under way is still given after that. */
export async function listen(offer: Offer): Promise<Disposer> {
  prepareFolder(offer.home)
  for (const address of addresses(offer.home)) if (!isAlive(address.pid)) removeStale(address, offer.clock.now())
  const talks = new Talks(offer)
  const server = createServer((socket) => talks.begin(socket))
  server.maxConnections = MAX_CONNECTIONS
  const path = await bind(server, offer.home)
  if (process.platform !== 'win32') chmodSync(path, 0o600)
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    const busy = await talks.end()
    if (!busy) await closed
  }
}

/** Takes the first free address. A socket file that nobody listens on does not count as taken. */
async function bind(server: Server, home: string): Promise<string> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const path = ownAddress(home, process.pid, attempt)
    if (await tryBind(server, path)) return path
    if (await isAnswered(path)) continue
    rmSync(path, { force: true })
    if (await tryBind(server, path)) return path
  }
  throw unavailable(`all ${MAX_ATTEMPTS} addresses of process ${process.pid} are taken.`)
}

function tryBind(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      server.off('error', failed)
      server.off('listening', listening)
    }
    const failed = (error: NodeJS.ErrnoException) => {
      settle()
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(unavailable(`${path} cannot be opened: ${errorMessage(error)}.`, error))
    }
    const listening = () => {
      settle()
      resolve(true)
    }
    server.once('error', failed)
    server.once('listening', listening)
    server.listen(path)
  })
}

/** The connections of one server. */
class Talks {
  #offer: Offer
  #waiting: Set<Socket> = new Set()
  #busy: Set<Socket> = new Set()
  #ended = false

  constructor(offer: Offer) {
    this.#offer = offer
  }

  begin(socket: Socket): void {
    this.#waiting.add(socket)
    // The loop in #talk meets the error as well and says so.
    socket.on('error', () => socket.destroy())
    void this.#talk(socket).finally(() => {
      this.#waiting.delete(socket)
      this.#busy.delete(socket)
      socket.destroy()
    })
  }

  /** Closes what waits for requests; says whether an answer is still under way. */
  async end(): Promise<boolean> {
    this.#ended = true
    await Promise.all([...this.#waiting].map((socket) => closing(socket)))
    return this.#busy.size > 0
  }

  async #talk(socket: Socket): Promise<void> {
    const { clock, log } = this.#offer
    const leave = () => void socket.destroy()
    let cancel = clock.after(IDLE_MS, leave, { background: true })
    try {
      for await (const line of lines(socket, MAX_REQUEST)) {
        cancel()
        this.#waiting.delete(socket)
        this.#busy.add(socket)
        await send(socket, await this.#answer(line))
        if (this.#ended) return
        this.#busy.delete(socket)
        this.#waiting.add(socket)
        cancel = clock.after(IDLE_MS, leave, { background: true })
      }
    } catch (error) {
      if (errorCode(error) === 'CONTROL_TOO_LARGE') await send(socket, this.#failed(undefined, error))
      else log.debug('a connection ended early', { error })
    } finally {
      cancel()
    }
  }

  async #answer(line: string): Promise<unknown> {
    const { command, methods, clock } = this.#offer
    let id: unknown
    try {
      const request = parse(line)
      id = request.id
      const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
      if (!method) throw new SvcError('CONTROL_METHOD_UNKNOWN', `This process has no method "${request.method}".`)
      const work = Promise.resolve(request.params).then(method)
      return { id, command, result: (await within(clock, METHOD_MS, request.method, work)) ?? {} }
    } catch (error) {
      return this.#failed(id, error)
    }
  }

  #failed(id: unknown, error: unknown): object {
    return { id, command: this.#offer.command, error: { code: errorCode(error), message: errorMessage(error) } }
  }
}

function parse(line: string): { id: unknown; method: string; params: unknown } {
  let request: { id?: unknown; method?: unknown; params?: unknown } | null
  try {
    request = JSON.parse(line)
  } catch (cause) {
    throw new SvcError('CONTROL_PARAMS', 'A request is one line of JSON: {"id", "method", "params"}.', { cause })
  }
  if (typeof request?.method !== 'string') throw new SvcError('CONTROL_PARAMS', 'A request needs a "method".')
  return { id: request.id, method: request.method, params: request.params }
}

/** Resolves once the bytes are handed over, or cannot be any more. */
function send(socket: Socket, message: unknown): Promise<void> {
  return new Promise((resolve) => void socket.write(toLine(message), () => resolve()))
}

function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve())
    socket.destroy()
  })
}
