/** A forward proxy for HTTP and HTTPS that connects to granted hosts only. */
import { lookup } from 'node:dns/promises'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { BlockList, connect, isIPv6, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { errorMessage } from 'svc/sdk'
import { NOT_GRANTED } from './missing-access.ts'

/** What it needs. */
export interface HostProxyOptions {
  /** In lower case; each includes its subdomains. */
  readonly hosts: readonly string[]
  /** The addresses of a name; left out: as this machine looks them up. */
  readonly addresses?: (host: string) => Promise<readonly string[]>
  /** Whether an address may be connected to; left out: public ones. */
  readonly permits?: (address: string) => boolean
}

const PORTS = [80, 443]

/** Listens at a path, or at a port of the loopback (0: any). */
export class HostProxy {
  readonly #options: HostProxyOptions
  readonly #server: Server
  readonly #open = new Set<Duplex>()

  constructor(options: HostProxyOptions) {
    this.#options = options
    this.#server = createServer((incoming, answer) => void this.#plain(incoming, answer))
    this.#server.on('connect', (incoming, socket: Duplex) => void this.#tunnel(incoming, socket))
    this.#server.on('connection', (socket) => this.#keep(socket))
  }

  /** Returns the port; 0 of a path. */
  listen(at: string | 0): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      const done = () => {
        const address = this.#server.address()
        resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
      }
      if (at === 0) this.#server.listen(0, '127.0.0.1', done)
      else this.#server.listen(at, done)
      this.#server.unref()
    })
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #keep(socket: Duplex): void {
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    socket.on('error', () => socket.destroy())
  }

  async #tunnel(incoming: IncomingMessage, socket: Duplex): Promise<void> {
    const [, name = '', port = ''] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(incoming.url ?? '') ?? []
    try {
      const there = await this.#connect(name, Number(port))
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      there.pipe(socket).pipe(there)
    } catch (error) {
      const text = errorMessage(error)
      socket.end(
        `HTTP/1.1 403 ${text.replace(/[^ -~]/g, '?')}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      )
    }
  }

  async #plain(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    try {
      const url = new URL(incoming.url ?? '')
      if (url.protocol !== 'http:') throw new Error('svc: only http: and https: addresses are reached')
      const there = await this.#connect(url.hostname, Number(url.port || 80))
      const headers = { ...incoming.headers, host: url.host, connection: 'close' }
      const onwards = request(
        { createConnection: () => there, method: incoming.method, path: `${url.pathname}${url.search}`, headers },
        (reply) => {
          answer.writeHead(reply.statusCode ?? 502, reply.headers)
          reply.pipe(answer)
        },
      )
      onwards.on('error', () => answer.destroy())
      incoming.pipe(onwards)
    } catch (error) {
      answer.writeHead(403, { 'content-type': 'text/plain' }).end(`${errorMessage(error)}\n`)
    }
  }

  /** The address that was checked is the one that is connected to, so a name cannot change in between. */
  async #connect(name: string, port: number): Promise<Socket> {
    const host = name.toLowerCase().replace(/\.$/, '')
    if (!this.#options.hosts.some((each) => host === each || host.endsWith(`.${each}`)))
      throw new Error(`${NOT_GRANTED}${host}`)
    const { permits = isPublic, addresses = resolveHost } = this.#options
    if (this.#options.permits === undefined && !PORTS.includes(port))
      throw new Error(`svc: only the ports ${PORTS.join(' and ')} of a granted host are reached`)
    const [address] = (await addresses(host)).filter(permits)
    if (address === undefined) throw new Error(`svc: ${host} has no public address`)
    const socket = connect({ host: address, port })
    this.#keep(socket)
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return socket
  }
}

async function resolveHost(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

const forbidden = new BlockList()
for (const [net, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
  ] as const),
  ...([
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ] as const),
] as const)
  forbidden.addSubnet(net, bits, 'ipv4')

/** Global unicast only, and there not the ranges that hold IPv4 addresses. */
function isPublic(address: string): boolean {
  if (!isIPv6(address)) return !forbidden.check(address, 'ipv4')
  return /^[23]/.test(address) && !/^(?:2002:|2001:0?:|2001::|2001:db8:|64:ff9b:)/i.test(address)
}
