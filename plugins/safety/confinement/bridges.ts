/** What svc runs beside a confined program: the way to granted hosts, and ports of this machine that lead inside. */
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import { HostProxy } from './host-proxy.ts'
import type { ParsedNeed } from './needs.ts'

/** Open ways; nothing where no need asks for one. */
export interface Bridges {
  /** The folder of the sockets, on this machine. */
  readonly folder?: string
  readonly hosts: readonly string[]
  readonly ports: readonly number[]
  /** The port of the proxy, where it listens on this machine's loopback. */
  readonly proxyPort?: number
  close(): Promise<void>
}

/** `inside`: the program has its own loopback, so all bridges are sockets in a folder. Throws `CONFINEMENT_FAILED`. */
export async function openBridges(
  needs: readonly ParsedNeed[],
  { temporary, inside }: { readonly temporary: string; readonly inside: boolean },
): Promise<Bridges> {
  // Who shares the network needs no way into it.
  const isShared = needs.some(({ kind }) => kind === 'network')
  const hosts = isShared ? [] : needs.flatMap((need) => (need.kind === 'host' ? [need.host] : []))
  const ports = isShared || !inside ? [] : needs.flatMap((need) => (need.kind === 'port' ? [need.port] : []))
  if (hosts.length === 0 && ports.length === 0) return { hosts, ports, close: async () => undefined }
  const folder = await mkdtemp(join(temporary, 'net-'))
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    await Promise.all(closers.map((each) => each()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const opened = { folder, hosts, ports, close }
    for (const port of ports) closers.push(await openPort(port, join(folder, `port-${port}`)))
    if (hosts.length === 0) return opened
    const proxy = new HostProxy({ hosts })
    closers.push(() => proxy.close())
    const proxyPort = await proxy.listen(inside ? join(folder, 'proxy') : 0)
    return inside ? opened : { ...opened, proxyPort }
  } catch (error) {
    await close()
    throw new SvcError('CONFINEMENT_FAILED', `A way out of the sandbox could not be opened: ${errorMessage(error)}`, {
      cause: error,
    })
  }
}

/** Listens on this machine only. */
async function openPort(port: number, socketPath: string): Promise<() => Promise<void>> {
  const open = new Set<Socket>()
  const server: Server = createServer((socket) => {
    const inner = connect(socketPath)
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.once('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    socket.pipe(inner).pipe(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  server.unref()
  return async () => {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}
