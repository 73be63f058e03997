/** The real clock, randomness and network. Tests and replays pass others. */
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Net, Random } from '../sdk/ports.ts'

/** What the outside world is to a run. */
export interface Ports {
  readonly clock: Clock
  readonly random: Random
  readonly net: Net
  /** The process environment. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Node fires a longer timer after 1 ms (`TimeoutOverflowWarning`), so it is made of several. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, options) {
    let timer: NodeJS.Timeout
    const wait = (left: number) => {
      const part = Math.min(left, LONGEST_TIMER_MS)
      timer = setTimeout(part < left ? () => wait(left - part) : callback, part)
      if (options?.background) timer.unref()
    }
    wait(ms)
    return () => clearTimeout(timer)
  },
  async sleep(ms, signal) {
    for (let left = ms; ; left -= LONGEST_TIMER_MS) {
      const part = Math.min(left, LONGEST_TIMER_MS)
      await pause(part, undefined, signal && { signal }).catch(() => Promise.reject(signal?.reason))
      if (left <= LONGEST_TIMER_MS) return
    }
  },
}

/** Asking the system for many bytes costs little more than asking for a few. */
let pool: Buffer = Buffer.alloc(0)

function bytes(count: number): Buffer {
  if (pool.length < count) pool = randomBytes(Math.max(count, 4096))
  const taken = pool.subarray(0, count)
  pool = pool.subarray(count)
  return taken
}

export const realRandom: Random = {
  next: () => bytes(6).readUIntBE(0, 6) / 2 ** 48,
  hex: (count) => bytes(count).toString('hex'),
  uuid: () => randomUUID(),
}

/** HTTP over keep-alive connections; its code is loaded at the first request. */
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
