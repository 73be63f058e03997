/** Where a topic was read up to, as the gateway keeps it. */
import { tryParseJson } from 'svc/sdk'
import type { ReadCursor } from 'svc/sdk/platform'
import { z } from 'zod'
import type { NtfyEvent } from './api.ts'

const place = z.object({ time: z.number(), ids: z.array(z.string()) })

/**
 * The time of the newest message that was taken, and the ids of those with that time: `since` takes a time or an id, and
 * with an id a message would be lost that was scheduled before it and delivered after it.
 */
export class TopicCursor {
  readonly #cursor: ReadCursor
  #at: z.infer<typeof place>

  /** What cannot be read counts as none: then the topic is read from now on, as if it were new. */
  constructor(cursor: ReadCursor) {
    this.#cursor = cursor
    this.#at = place.safeParse(tryParseJson(cursor.get() ?? '')?.value).data ?? { time: 0, ids: [] }
  }

  /** Undefined when the topic was never read. */
  get since(): number | undefined {
    return this.#at.time || undefined
  }

  /** A topic that is read for the first time is read from here. */
  begin({ time }: NtfyEvent): void {
    if (this.#at.time === 0) this.#keep({ time, ids: [] })
  }

  has({ id }: NtfyEvent): boolean {
    return this.#at.ids.includes(id)
  }

  advance({ id, time }: NtfyEvent): void {
    if (time >= this.#at.time) this.#keep({ time, ids: time === this.#at.time ? [...this.#at.ids, id] : [id] })
  }

  #keep(at: z.infer<typeof place>): void {
    this.#at = at
    this.#cursor.set(JSON.stringify(at))
  }
}
