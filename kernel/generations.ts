/** Which generation of each plugin serves, and when a replaced one may be closed. */
import { toRegistration } from '../sdk/kit/async/registration.ts'
import type { Dispose, Registration } from '../sdk/plugin.ts'
import type { Ground, Host } from './host.ts'
import type { Owner } from './owner.ts'
import { Lasting } from './plugin-lifetime.ts'

/** A replaced host, and the moment (a count of swaps) it was replaced. */
interface Retired {
  readonly host: Host
  readonly at: number
}

/**
 * Work pins the moment it began. A generation that was replaced is closed once no pin is as old as its replacement:
 * whatever began with it has ended. No call has to go through a proxy for that.
 */
export class Generations {
  #live: Map<string, Host> = new Map()
  #counts: Map<string, number> = new Map()
  #lasting: Map<string, Lasting> = new Map()
  #retired: Set<Retired> = new Set()
  #pins: Set<{ readonly at: number }> = new Set()
  #moment = 0
  #closing: Promise<void> = Promise.resolve()
  #changed: (owners: readonly Owner[]) => void

  /** `changed` is called with the owners that appeared or ended, right after it happened. */
  constructor(changed: (owners: readonly Owner[]) => void) {
    this.#changed = changed
  }

  /** The owner of a plugin's next generation. */
  next(name: string, batch: object): Owner {
    const generation = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, generation)
    return { name, generation, batch, state: 'pending' }
  }

  /** What outlives the generations of a plugin, as long as one of them has not ended. */
  lasting(name: string, ground: Ground): Lasting {
    const known = this.#lasting.get(name)
    if (known && !known.isOver) return known
    const fresh = new Lasting(name, ground)
    this.#lasting.set(name, fresh)
    return fresh
  }

  add(host: Host): void {
    this.#live.set(host.name, host)
    this.#changed([host.owner])
  }

  live(name: string): Host | undefined {
    return this.#live.get(name)
  }

  all(): readonly Host[] {
    return [...this.#live.values()]
  }

  /** Generations that were replaced and still have work to finish. */
  get draining(): number {
    return this.#retired.size
  }

  /** A plugin and all that require what it provides, in the order they were loaded. */
  withDependents(name: string): Host[] {
    const names = new Set([name])
    const services = new Set<string>()
    const hosts = this.all().filter((host) => {
      const { requires = [], provides = [] } = host.found.manifest
      if (!names.has(host.name) && !requires.some((service) => services.has(service))) return false
      for (const service of provides) services.add(service)
      return true
    })
    return hosts.some((host) => host.name === name) ? hosts : []
  }

  /** Replaces the old hosts by the fresh ones in one step, then closes the hosts that are not in use. */
  async swap(old: readonly Host[], fresh: readonly Host[]): Promise<void> {
    this.#moment++
    for (const host of old) {
      host.retire()
      this.#live.delete(host.name)
      this.#retired.add({ host, at: this.#moment })
    }
    for (const host of fresh) {
      host.owner.state = 'live'
      this.#live.set(host.name, host)
    }
    this.#changed([...old, ...fresh].map((host) => host.owner))
    await this.#closeDrained()
  }

  pin(): Registration {
    const pin = { at: this.#moment }
    this.#pins.add(pin)
    // The work that ends here does not wait for generations that close: they may be waiting for what it still has to say.
    return toRegistration(() => {
      if (this.#pins.delete(pin) && this.#retired.size) void this.#closeDrained()
    })
  }

  /** Keeps one generation alive: for the command that it is running. */
  hold(host: Host): Dispose {
    host.holds++
    return () => {
      host.holds--
      return this.#closeDrained()
    }
  }

  /** Closes all, the newest first, whatever still runs. */
  async closeAll(): Promise<void> {
    const hosts = [...[...this.#retired].map(({ host }) => host), ...this.#live.values()]
    this.#retired.clear()
    this.#live.clear()
    for (const host of hosts.reverse()) await host.close()
    await this.#closing
    this.#changed(hosts.map((host) => host.owner))
  }

  async #closeDrained(): Promise<void> {
    const oldest = Math.min(...[...this.#pins].map((pin) => pin.at), Number.POSITIVE_INFINITY)
    const over = [...this.#retired].filter(({ host, at }) => at <= oldest && host.holds === 0)
    for (const entry of over) this.#retired.delete(entry)
    const before = this.#closing
    this.#closing = (async () => {
      await before
      for (const { host } of over.reverse()) await host.close()
    })()
    await this.#closing
  }
}
