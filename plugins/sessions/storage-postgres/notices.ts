/** Notices over a connection of their own, which is made again when it was cut. */
import type { Registration } from 'svc/sdk'
import { backoff, toRegistration } from 'svc/sdk/kit/async'
import type { StoreNotice } from 'svc/sdk/store'
import type { Client } from './client.ts'
import type { ServerDeps } from './server.ts'

const WAITS = { firstMs: 50, maxMs: 2000 } as const

type Listener = (notice: StoreNotice | undefined) => void

export class PostgresNotices {
  readonly channel: string
  readonly #deps: ServerDeps
  readonly #listeners = new Set<Listener>()
  #client: Client | undefined
  #failures = 0
  #isClosed = false
  #isConnecting = false
  #cancel = () => {}

  constructor(deps: ServerDeps & { readonly channel: string }) {
    this.#deps = deps
    this.channel = deps.channel
  }

  listen(listener: Listener): Registration {
    this.#listeners.add(listener)
    // What was sent before the connection listens is not heard.
    if (this.#client === undefined) void this.#connect()
    else listener(undefined)
    return toRegistration(() => void this.#listeners.delete(listener))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    this.#listeners.clear()
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    if (this.#isConnecting || this.#isClosed) return
    this.#isConnecting = true
    let client: Client | undefined
    try {
      const { createClient } = await import('./client.ts')
      client = createClient(this.#deps)
      client.on('error', () => {})
      client.on('end', () => this.#lost(client))
      client.on('notification', ({ payload = '' }) => this.#hear(payload))
      await client.connect()
      await client.query(`listen "${this.channel}"`)
      this.#isConnecting = false
      if (this.#isClosed) return void (await client.end())
      this.#client = client
      this.#failures = 0
      this.#tell(undefined)
    } catch (error) {
      this.#isConnecting = false
      this.#deps.log.debug('notices of the database server cannot be heard', { error })
      await client?.end().catch(() => {})
      this.#again()
    }
  }

  #lost(client: Client | undefined): void {
    if (client === undefined || client !== this.#client) return
    this.#client = undefined
    this.#again()
  }

  #again(): void {
    if (this.#isClosed) return
    this.#failures++
    this.#cancel()
    this.#cancel = this.#deps.clock.after(backoff(WAITS, this.#failures), () => void this.#connect(), {
      background: true,
    })
  }

  #hear(payload: string): void {
    const [, owner, channel, notice] = /^(\S+) (\S+) ([\s\S]*)$/.exec(payload) ?? []
    if (owner !== undefined && channel !== undefined && notice !== undefined) this.#tell({ owner, channel, notice })
  }

  #tell(notice: StoreNotice | undefined): void {
    for (const listener of [...this.#listeners]) listener(notice)
  }
}
