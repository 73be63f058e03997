/** The event queues of a stand-in (zulip.com/api/get-events): events stay until a later one is asked for. */
import type { ServerResponse } from 'node:http'

/** The server says that it is there when nothing happens for so long. */
const HEARTBEAT_MS = 45_000

export interface StandInEvent {
  readonly type: string
  readonly [name: string]: unknown
}

interface Queue {
  events: { readonly id: number; readonly event: StandInEvent }[]
  nextId: number
  wake: (() => void) | undefined
}

export class EventQueues {
  readonly #queues: Map<string, Queue> = new Map()
  #count = 0

  /** Whether a client waits for events. */
  get hasReader(): boolean {
    return [...this.#queues.values()].some(({ wake }) => wake !== undefined)
  }

  register(): string {
    const id = `queue-${++this.#count}`
    this.#queues.set(id, { events: [], nextId: 0, wake: undefined })
    return id
  }

  has(id: string): boolean {
    return this.#queues.has(id)
  }

  /** `create` is given the id of each queue. */
  push(create: (queueId: string) => StandInEvent): void {
    for (const [id, queue] of this.#queues) {
      queue.events.push({ id: queue.nextId++, event: create(id) })
      queue.wake?.()
    }
  }

  /** All queues are gone, as those that were not read for ten minutes. */
  drop(): void {
    const all = [...this.#queues.values()]
    this.#queues.clear()
    for (const { wake } of all) wake?.()
  }

  /** Waits until there is an event behind `last`. Undefined when the queue is gone. */
  async read(id: string, last: number, response: ServerResponse): Promise<readonly object[] | undefined> {
    const queue = this.#queues.get(id)
    if (!queue) return undefined
    queue.events = queue.events.filter((each) => each.id > last)
    if (queue.events.length === 0) await this.#wait(queue, response)
    if (!this.#queues.has(id)) return undefined
    if (queue.events.length === 0) return [{ type: 'heartbeat', id: queue.nextId++ }]
    return queue.events.map(({ id: eventId, event }) => ({ ...event, id: eventId }))
  }

  async #wait(queue: Queue, response: ServerResponse): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      queue.wake = resolve
      response.once('close', resolve)
      timer = setTimeout(resolve, HEARTBEAT_MS).unref()
    })
    clearTimeout(timer)
    queue.wake = undefined
  }
}
