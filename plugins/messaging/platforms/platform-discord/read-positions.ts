/** How far a bot has read: the session that may be resumed, and the newest message of each channel it is spoken to in. */
import { tryParseJson } from 'svc/sdk'
import type { ReadCursor } from 'svc/sdk/platform'
import { z } from 'zod'

/** An event of the gateway; `seq` is its place in the session. */
export interface GatewayEvent {
  readonly type: string
  readonly data: unknown
  readonly seq: number
}

/** The most events that may wait. */
const MAX_WAITING = 1000
/** The maximum of known channels; the least recently active is dropped first. */
const MAX_CHANNELS = 200

const session = z.object({
  id: z.string(),
  /** Where it is resumed. */
  url: z.string().optional(),
  application: z.string().optional(),
})
export type KnownSession = z.infer<typeof session>
const kept = z.object({
  session: session.extend({ seq: z.number() }).optional(),
  isBehind: z.boolean().default(false),
  channels: z.array(z.tuple([z.string(), z.string()])).default([]),
})

/** Read from the cursor of the account when a connection is made, and kept there. */
export class Progress {
  readonly #cursor: ReadCursor
  readonly #channels: Map<string, string>
  /** Events that came and were not taken yet. */
  readonly #open: Set<number> = new Set()
  #session: KnownSession | undefined
  #last = 0
  #isBehind: boolean
  #saved = ''

  constructor(cursor: ReadCursor) {
    this.#cursor = cursor
    const { session: known, channels, isBehind } = kept.safeParse(tryParseJson(cursor.get() ?? '{}')?.value).data ?? {}
    this.#channels = new Map(channels)
    this.#isBehind = isBehind ?? false
    if (!known) return
    const { seq, ...rest } = known
    this.#session = rest
    this.#last = seq
  }

  get session(): KnownSession | undefined {
    return this.#session
  }

  /** Where the session is resumed: behind the last event before the first one that was not taken. */
  get resumeAt(): number {
    return this.#open.size > 0 ? Math.min(...this.#open) - 1 : this.#last
  }

  /** Messages are missing that no session brings. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  get isFull(): boolean {
    return this.#open.size >= MAX_WAITING
  }

  /** By channel the newest message that was taken. */
  get channels(): ReadonlyMap<string, string> {
    return this.#channels
  }

  /** A new session without earlier messages. */
  begin(fresh: KnownSession, seq: number): void {
    this.#open.clear()
    this.#session = fresh
    this.#last = seq
    this.#isBehind = this.#channels.size > 0
    this.save()
  }

  /** The session was removed. */
  forget(): void {
    this.#open.clear()
    this.#session = undefined
    this.save()
  }

  /** The session could not be resumed where Discord said; it may be elsewhere. */
  forgetAddress(): void {
    if (this.#session?.url === undefined) return
    const { url: _url, ...rest } = this.#session
    this.#session = rest
    this.save()
  }

  /** An event came that needs nothing more. */
  pass(seq: number): void {
    this.#last = Math.max(this.#last, seq)
  }

  /** An event came that has to be taken. */
  wait(seq: number): void {
    this.pass(seq)
    this.#open.add(seq)
  }

  taken(seq: number): void {
    this.#open.delete(seq)
  }

  /** The bot is spoken to in a channel. Messages older than this one are ignored. */
  know(channelId: string, messageId: string): void {
    if (this.#channels.has(channelId)) return
    const [oldest] = this.#channels.keys()
    if (this.#channels.size >= MAX_CHANNELS && oldest !== undefined) this.#channels.delete(oldest)
    this.#channels.set(channelId, String(BigInt(messageId) - 1n))
    this.save()
  }

  /** A message was taken. */
  mark(channelId: string, messageId: string): void {
    const newest = this.#channels.get(channelId)
    if (newest === undefined) return
    this.#channels.delete(channelId)
    this.#channels.set(channelId, isNewer(messageId, newest) ? messageId : newest)
  }

  /** A channel that the bot may not read any more. */
  drop(channelId: string): void {
    this.#channels.delete(channelId)
    this.save()
  }

  caughtUp(): void {
    this.#isBehind = false
    this.save()
  }

  save(): void {
    const known = this.#session && { ...this.#session, seq: this.resumeAt }
    const value = JSON.stringify({ session: known, isBehind: this.#isBehind, channels: [...this.#channels] })
    if (value !== this.#saved) this.#cursor.set(value)
    this.#saved = value
  }
}

/** Ids order by time (discord.com/developers/docs/reference, "Snowflakes"). */
export function isNewer(one: string, other: string): boolean {
  return BigInt(one) > BigInt(other)
}
