/** The connections of all platforms: made, taken away and replaced as plugins bring platforms and withdraw them. */
import { type Logger, SvcError } from 'svc/sdk'
import type { Platform, PlatformStatus } from 'svc/sdk/platform'
import type { Connection } from './connection.ts'

export interface ConnectionsDeps {
  readonly log: Logger
  /** The platforms that there are now. */
  platforms(): readonly Platform[]
  make(platform: Platform): Connection
  /** A platform is there that had no connection before in this process. */
  added(platform: Platform): void
}

export class Connections {
  readonly #deps: ConnectionsDeps
  readonly #open: Map<string, Connection> = new Map()
  /** Platforms whose messages chats of this process have taken, or know of. */
  readonly #known: Set<string> = new Set()
  #isOpen = false
  #work: Promise<void> = Promise.resolve()

  constructor(deps: ConnectionsDeps) {
    this.#deps = deps
  }

  status(): readonly PlatformStatus[] {
    return [...this.#open.values()].map((connection) => connection.status())
  }

  /** Connects every platform. */
  async open(): Promise<void> {
    this.#isOpen = true
    const all = this.#deps.platforms().map((platform) => this.#make(platform))
    for (const { platform } of all) this.#known.add(platform.name)
    await Promise.all(all.map((connection) => connection.open()))
  }

  /**
   * Follows changes of the platforms. The connection of a platform that was removed, or that another generation of its
   * plugin has taken over, takes nothing any more when this returns; the next connection begins once it gave up its account.
   */
  follow(): void {
    if (!this.#isOpen) return
    const platforms = this.#deps.platforms()
    for (const [name, connection] of this.#open) {
      if (!platforms.includes(connection.platform)) this.#replace(name, connection)
    }
    const fresh = platforms.filter(({ name }) => !this.#open.has(name))
    for (const platform of fresh) this.#later(() => this.#add(platform, 'new'))
  }

  /** Throws `GATEWAY_PLATFORM`. */
  find(name: string): Connection {
    const found = this.#open.get(name)
    if (found) return found
    const names = [...this.#open.keys()].join(', ') || 'none'
    throw new SvcError('GATEWAY_PLATFORM', `There is no platform "${name}". Platforms: ${names}.`, { status: 404 })
  }

  async close(): Promise<void> {
    this.#isOpen = false
    await this.#work
    for (const connection of this.#open.values()) await connection.close()
    this.#open.clear()
  }

  #replace(name: string, old: Connection): void {
    const { state } = old.status()
    this.#open.delete(name)
    // It takes nothing from this moment on; its account is free when this ends.
    const closing = old.close()
    this.#later(async () => {
      await closing
      const platform = this.#deps.platforms().find((each) => each.name === name)
      if (platform && !this.#open.has(name)) await this.#add(platform, state === 'paused' ? 'paused' : 'replaced')
    })
  }

  async #add(platform: Platform, as: 'new' | 'replaced' | 'paused'): Promise<void> {
    if (!this.#isOpen || this.#open.has(platform.name) || !this.#deps.platforms().includes(platform)) return
    const connection = this.#make(platform)
    if (as === 'paused') return connection.pause()
    if (as === 'new' && !this.#known.has(platform.name)) this.#deps.added(platform)
    this.#known.add(platform.name)
    // The others do not wait until it is connected.
    void connection.open()
  }

  #make(platform: Platform): Connection {
    const connection = this.#deps.make(platform)
    this.#open.set(platform.name, connection)
    return connection
  }

  #later(work: () => void | Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      this.#deps.log.error('a change of the platforms could not be followed', { error })
    })
  }
}
