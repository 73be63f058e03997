/** The side that answers: a socket on which each line is a request and gets one line back. */
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { type Clock, type Dispose, errorCode, errorMessage, type Logger, SvcError } from 'svc/sdk'
import type { ControlMethod } from 'svc/sdk/host'
import { isPidInUse } from 'svc/sdk/kit/process'
import type { AgentProcesses } from 'svc/sdk/shell'
import { isAnswered } from './client.ts'
import { lines, toLine } from './lines.ts'
import {
  createChallenge,
  findHolder,
  isProvable,
  refuseAgent,
  removeChallenge,
  removeStaleChallenges,
} from './peer-proof.ts'
import { addresses, ownAddress, prepareFolder, removeStale, socketFolder, unavailable } from './socket-paths.ts'
import { withTimeout } from './time-limit.ts'

const MAX_REQUEST = 64 * 1024
const MAX_CONNECTIONS = 16
/** Runtimes that may share one process. */
const MAX_ATTEMPTS = 50
/** How long a connection may be open without a whole request. */
const IDLE_MS = 10_000
/** How long a method may take; setting up and starting a plugin have lower limits. */
const METHOD_MS = 120_000

/** What a process offers. */
export interface Offer {
  readonly home: string
  readonly command: string
  /** Looked at for each request. */
  readonly methods: () => Readonly<Record<string, ControlMethod>>
  readonly clock: Clock
  readonly leash: AgentProcesses
  readonly log: Logger
}

/** Listens until the returned function is called. An answer under way is still given after that. */
export async function listen(offer: Offer): Promise<Dispose> {
  prepareFolder(offer.home)
  for (const address of addresses(offer.home)) if (!isPidInUse(address.pid)) removeStale(address, offer.clock.now())
  if (isProvable()) removeStaleChallenges(socketFolder(offer.home), offer.clock.now())
  const connections = new Connections(offer)
  const server = createServer((socket) => connections.begin(socket))
  server.maxConnections = MAX_CONNECTIONS
  const path = await bind(server, offer.home)
  if (process.platform !== 'win32') chmodSync(path, 0o600)
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    const busy = await connections.end()
    if (!busy) await closed
  }
}

/** Takes the first free address. A socket file without a listener does not count as taken. */
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
class Connections {
  #offer: Offer
  #waiting: Set<Socket> = new Set()
  #busy: Set<Socket> = new Set()
  #ended = false

  constructor(offer: Offer) {
    this.#offer = offer
  }

  begin(socket: Socket): void {
    this.#waiting.add(socket)
    // The loop in #serve meets the error as well and says so.
    socket.on('error', () => socket.destroy())
    void this.#serve(socket).finally(() => {
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

  async #serve(socket: Socket): Promise<void> {
    const { log } = this.#offer
    const feed = lines(socket, MAX_REQUEST)
    try {
      for (;;) {
        const next = await this.#next(socket, feed)
        if (next === undefined) return
        this.#waiting.delete(socket)
        this.#busy.add(socket)
        await send(socket, await this.#answer(next, socket, feed))
        if (this.#ended) return
        this.#busy.delete(socket)
        this.#waiting.add(socket)
      }
    } catch (error) {
      if (errorCode(error) === 'CONTROL_TOO_LARGE') await send(socket, this.#failed(undefined, error))
      else log.debug('a connection ended early', { error })
    }
  }

  /** The next line; undefined when the other side has left, or is silent for too long. */
  async #next(socket: Socket, feed: AsyncGenerator<string>): Promise<string | undefined> {
    const cancel = this.#offer.clock.after(IDLE_MS, () => void socket.destroy(), { background: true })
    try {
      const { done, value } = await feed.next()
      return done ? undefined : value
    } finally {
      cancel()
    }
  }

  async #answer(line: string, socket: Socket, feed: AsyncGenerator<string>): Promise<unknown> {
    const { command, methods, clock } = this.#offer
    let id: unknown
    try {
      const request = parse(line)
      id = request.id
      const all = methods()
      const method = Object.hasOwn(all, request.method) ? all[request.method] : undefined
      if (!method) throw new SvcError('CONTROL_METHOD_UNKNOWN', `This process has no method "${request.method}".`)
      const isOpen = typeof method !== 'function' && method.read === true
      if (!isOpen) await this.#admit(line, request, socket, feed)
      const run = typeof method === 'function' ? method : method.run
      const work = Promise.resolve(request.params).then(run)
      return { id, command, result: (await withTimeout(clock, METHOD_MS, request.method, work)) ?? {} }
    } catch (error) {
      return this.#failed(id, error)
    }
  }

  /** The one place where it is found out who asks for a change. Throws unless it is a person's process. */
  async #admit(
    line: string,
    { id, pid, method }: Request,
    socket: Socket,
    feed: AsyncGenerator<string>,
  ): Promise<void> {
    const { home, leash } = this.#offer
    if (!isProvable()) {
      if (!pid) throw new SvcError('CONTROL_UNPROVEN', `"${method}" needs the "pid" of the process that asks.`)
      return refuseAgent(leash, pid, method)
    }
    const folder = socketFolder(home)
    const challenge = createChallenge(folder)
    try {
      await send(socket, { id, prove: challenge })
      // What the line says does not matter: what it means is in the file.
      await this.#next(socket, feed)
      refuseAgent(leash, findHolder(folder, challenge, line), method)
    } finally {
      removeChallenge(folder, challenge)
    }
  }

  #failed(id: unknown, error: unknown): object {
    return { id, command: this.#offer.command, error: { code: errorCode(error), message: errorMessage(error) } }
  }
}

interface Request {
  readonly id: unknown
  readonly method: string
  readonly params: unknown
  /** As the other side says. */
  readonly pid?: number
}

function parse(line: string): Request {
  let request: { id?: unknown; method?: unknown; params?: unknown; pid?: unknown } | null
  try {
    request = JSON.parse(line)
  } catch (cause) {
    throw new SvcError('CONTROL_PARAMS', 'A request is one line of JSON: {"id", "method", "params"}.', { cause })
  }
  const { id, method, params, pid } = request ?? {}
  if (typeof method !== 'string') throw new SvcError('CONTROL_PARAMS', 'A request needs a "method".')
  const claimed = Number.isSafeInteger(pid) && Number(pid) > 0
  return { id, method, params, ...(claimed && { pid: Number(pid) }) }
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
