/** The connection of a platform that has one at a time. */
import { deliveryBusy, deliveryRefused } from '../../delivery.ts'
import type { GatewayConnection } from '../../platforms.ts'

/** @since 0.2 */
export class ConnectionSlot<Connection extends { close(): void }> {
  readonly #label: string
  #current: Connection | undefined

  /** `label` is the service, as people call it. */
  constructor(label: string) {
    this.#label = label
  }

  get current(): Connection | undefined {
    return this.#current
  }

  /** The current connection. Throws `PLATFORM_NOT_CONNECTED`: the message can be sent later. */
  require(): Connection {
    if (this.#current) return this.#current
    throw deliveryBusy('PLATFORM_NOT_CONNECTED', `${this.#label} is not connected.`)
  }

  /**
   * Ends the current connection and makes another one, which is closed when the signal of `link` aborts. Throws `PLATFORM_UNAUTHORIZED`
   * with what is `missing`, the reason of the signal, and what `make` throws.
   */
  async open(link: GatewayConnection, missing: string | undefined, make: () => Promise<Connection>): Promise<void> {
    this.close()
    link.signal.throwIfAborted()
    if (missing !== undefined)
      throw deliveryRefused('PLATFORM_UNAUTHORIZED', `${this.#label} is not configured: ${missing}`)
    const connection = await make()
    if (link.signal.aborted) connection.close()
    link.signal.throwIfAborted()
    this.#current = connection
    link.signal.addEventListener('abort', () => this.close(), { once: true })
  }

  close(): void {
    const connection = this.#current
    this.#current = undefined
    connection?.close()
  }
}
