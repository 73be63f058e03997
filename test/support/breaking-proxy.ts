/** A TCP proxy before a server on loopback that breaks connections in the ways of a network. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface BreakingProxy {
  readonly url: string
  readonly port: number
  /** Resets every connection. New ones pass. */
  cut(): void
  /** Every connection stays open, and nothing passes through it any more. New ones pass. */
  silence(): void
  /** From now on WebSockets are reset when they are asked for, and those that are open at once; requests pass. */
  refuseSockets(): void
  allowSockets(): void
  close(): void
}

interface Pair {
  readonly near: Socket
  readonly far: Socket
  isSilent: boolean
  isUpgraded: boolean
}

/** Passes everything on to a port of this machine, which may be closed at times. */
export async function breakingProxy(port: number): Promise<BreakingProxy> {
  const pairs = new Set<Pair>()
  let isRefusing = false
  const reset = (pair: Pair) => {
    pair.near.resetAndDestroy()
    pair.far.resetAndDestroy()
  }
  const server = createServer((near) => {
    const pair: Pair = { near, far: connect(port, '127.0.0.1'), isSilent: false, isUpgraded: false }
    const { far } = pair
    pairs.add(pair)
    for (const socket of [near, far]) socket.setNoDelay().on('error', () => socket.destroy())
    near.on('data', (piece) => {
      if (/\r\nupgrade: websocket\r\n/i.test(piece.toString('latin1'))) pair.isUpgraded = true
      if (pair.isUpgraded && isRefusing) reset(pair)
      else if (!pair.isSilent) far.write(piece)
    })
    far.on('data', (piece) => {
      if (!pair.isSilent) near.write(piece)
    })
    near.on('close', () => {
      pairs.delete(pair)
      if (!pair.isSilent) far.destroy()
    })
    far.on('close', () => {
      if (!pair.isSilent) near.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const own = (server.address() as AddressInfo).port
  return {
    port: own,
    url: `http://127.0.0.1:${own}`,
    cut: () => pairs.forEach(reset),
    silence() {
      for (const pair of pairs) pair.isSilent = true
    },
    refuseSockets() {
      isRefusing = true
      for (const pair of pairs) if (pair.isUpgraded) reset(pair)
    },
    allowSockets() {
      isRefusing = false
    },
    close() {
      pairs.forEach(reset)
      server.close()
    },
  }
}
