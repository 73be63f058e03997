/** The places in which the app is spoken to, with the newest message that was taken in each. */
import { tryParseJson } from 'svc/sdk'
import type { ReadCursor } from 'svc/sdk/platform'
import { z } from 'zod'

/** The maximum of channels, and of threads; the least recently active is dropped first. */
const MAX_SERVED = 40
const MAX_OPEN = 1000

const kept = z.array(z.tuple([z.string(), z.string(), z.string().nullable()]))

/** A channel, or a thread in one. */
export interface ServedChat {
  readonly channel: string
  readonly thread?: string | undefined
  /** Slack's word for what it is: `im`, `mpim`, `channel` or `group`. */
  readonly kind?: string | undefined
}

interface Known {
  kind: string | undefined
  newest: string
  /** Messages that came and were not taken yet. */
  readonly open: Set<string>
}

/** Read from the cursor of the account when a connection is made, and kept there. */
export class ServedChats {
  readonly #cursor: ReadCursor
  readonly #places: Map<string, Known>

  constructor(cursor: ReadCursor) {
    this.#cursor = cursor
    const known = kept.safeParse(tryParseJson(cursor.get() ?? '[]')?.value).data ?? []
    this.#places = new Map(
      known.map(([key, newest, kind]) => [key, { kind: kind ?? undefined, newest, open: new Set() }]),
    )
  }

  /** What was written behind `after` may be missing. */
  all(): readonly { readonly place: ServedChat; readonly after: string }[] {
    return [...this.#places].map(([key, { newest: after, kind }]) => {
      const [channel = '', thread] = key.split(':')
      return { place: { channel, thread, kind }, after }
    })
  }

  /** A message came; `isServed`: the app is spoken to there. Should it not be taken, and Slack give up, it is missing. */
  came(place: ServedChat, ts: string, isServed: boolean): void {
    const key = getThreadKey(place)
    const known = this.#places.get(key)
    // The oldest ones count.
    if (known && known.open.size < MAX_OPEN) known.open.add(ts)
    if (known || !isServed) return
    this.#makeRoom(place)
    this.#places.set(key, { kind: place.kind, newest: ts, open: new Set([ts]) })
    this.#save()
  }

  taken(place: ServedChat, ts: string): void {
    const key = getThreadKey(place)
    const known = this.#places.get(key)
    if (!known) return
    known.open.delete(ts)
    known.kind ??= place.kind
    if (isLater(ts, known.newest)) known.newest = ts
    this.#places.delete(key)
    this.#places.set(key, known)
    this.#save()
  }

  /** One that the app may not read any more. */
  drop(place: ServedChat): void {
    this.#places.delete(getThreadKey(place))
    this.#save()
  }

  #makeRoom({ thread }: ServedChat): void {
    const alike = [...this.#places.keys()].filter((key) => key.includes(':') === (thread !== undefined))
    if (alike.length >= MAX_SERVED && alike[0] !== undefined) this.#places.delete(alike[0])
  }

  #save(): void {
    const value = [...this.#places].map(([key, { newest, kind, open }]) => {
      const [first] = [...open].sort((a, b) => Number(a) - Number(b))
      return [key, first === undefined || isLater(first, newest) ? newest : justBefore(first), kind ?? null]
    })
    this.#cursor.set(JSON.stringify(value))
  }
}

/** Its name in a map. */
export function getThreadKey({ channel, thread }: ServedChat): string {
  return thread === undefined ? channel : `${channel}:${thread}`
}

/** Ids of messages are times: seconds with six places behind the point. */
export function isLater(one: string, other: string): boolean {
  return Number(one) > Number(other)
}

function justBefore(ts: string): string {
  return (Number(ts) - 0.000_001).toFixed(6)
}
