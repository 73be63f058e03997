/**
 * What was written to a client over HTTP, for a connection that broke: the client names the last event that it has, and gets the rest of
 * that stream. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

const MAX_EVENTS = 1000
const MAX_BYTES = 2 * 2 ** 20

interface LoggedEvent {
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly bytes: number
}

/**
 * Of one client; the newest events are kept, in the form that the library of the protocol asks for. Without its look-up of streams
 * a client that is back takes over from its broken connection, also while this side does not know yet that it broke.
 */
export class EventLog {
  readonly #events = new Map<string, LoggedEvent>()
  #next = 1
  #bytes = 0

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${this.#next++}`
    const bytes = Buffer.byteLength(JSON.stringify(message))
    this.#events.set(id, { stream, message, bytes })
    this.#bytes += bytes
    for (const [oldId, old] of this.#events) {
      // The newest stays, however long it is.
      if ((this.#events.size <= MAX_EVENTS && this.#bytes <= MAX_BYTES) || oldId === id) break
      this.#events.delete(oldId)
      this.#bytes -= old.bytes
    }
    return id
  }

  /** False for an event that is not there any more: what the client missed is not known. */
  has(id: string): boolean {
    return this.#events.has(id)
  }

  async replayEventsAfter(
    lastId: string,
    { send }: { send(id: string, message: JSONRPCMessage): Promise<void> },
  ): Promise<string> {
    const stream = this.#events.get(lastId)?.stream ?? ''
    for (const [id, event] of [...this.#events])
      if (event.stream === stream && Number(id) > Number(lastId)) await send(id, event.message)
    return stream
  }
}
