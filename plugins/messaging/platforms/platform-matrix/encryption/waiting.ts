/** Messages whose key has not come yet. They are stored as they came, so that a restart does not lose them. */
import { tryParseJson } from 'svc/sdk'
import type { ReadCursor } from 'svc/sdk/platform'
import { z } from 'zod'
import { eventSchema, type RoomEvent } from '../events.ts'

/** How long a key may take. */
export const WAIT_MS = 600_000
/** The oldest is given up when more wait. */
export const MAX_WAITING = 200

const waiting = z.object({ roomId: z.string(), since: z.number(), event: eventSchema })
/** One of them. */
export type WaitingEvent = z.infer<typeof waiting>

export class WaitingEvents {
  readonly #cursor: ReadCursor
  #all: readonly WaitingEvent[]

  constructor(cursor: ReadCursor) {
    this.#cursor = cursor
    this.#all = z
      .array(waiting)
      .catch([])
      .parse(tryParseJson(cursor.get() ?? '')?.value)
  }

  get all(): readonly WaitingEvent[] {
    return this.#all
  }

  /** An event that waits already keeps its time. */
  add(roomId: string, event: RoomEvent, now: number): void {
    if (this.#all.some((each) => each.event.event_id === event.event_id)) return
    this.#set([...this.#all, { roomId, event, since: now }])
  }

  remove(done: WaitingEvent): void {
    this.#set(this.#all.filter((each) => each !== done))
  }

  /** Those that have waited too long, or are too many; they wait no longer. */
  takeExpired(now: number): readonly WaitingEvent[] {
    const excess = this.#all.length - MAX_WAITING
    const expired = this.#all.filter(({ since }, at) => at < excess || now - since >= WAIT_MS)
    if (expired.length > 0) this.#set(this.#all.filter((each) => !expired.includes(each)))
    return expired
  }

  #set(all: readonly WaitingEvent[]): void {
    this.#all = all
    this.#cursor.set(JSON.stringify(all))
  }
}
