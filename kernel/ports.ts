/** The real clock, randomness and network. Tests and replays hand in others. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Clock, Net, Random } from '../sdk/ports.ts'

/** What the outside world is to a run. */
export interface Ports {
  readonly clock: Clock
  readonly random: Random
  readonly net: Net
  /** The process environment. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, options) {
    const timer = setTimeout(callback, ms)
    if (options?.background) timer.unref()
    return () => clearTimeout(timer)
  },
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const abort = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }, ms)
      signal?.addEventListener('abort', abort, { once: true })
    })
  },
}

export const realRandom: Random = {
  next: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
  hex: (bytes) => randomBytes(bytes).toString('hex'),
  uuid: () => randomUUID(),
}

/** HTTP over kept-alive connections; its code is loaded at the first request. */
export function realNet(clock: Clock): Net & { close(): void } {
  let client: Promise<Net & { close(): void }> | undefined
  return {
    request: async (request) => {
      client ??= import('./net.ts').then(({ HttpClient }) => new HttpClient(clock))
      return (await client).request(request)
    },
    close: () => void client?.then((open) => open.close()),
  }
}

/** Everything real but what is given. */
export function openPorts(env: Ports['env'], given: Partial<Ports> = {}): Ports & { close(): void } {
  const clock = given.clock ?? realClock
  const net = realNet(clock)
  return { clock, random: given.random ?? realRandom, net: given.net ?? net, env, close: () => net.close() }
}
