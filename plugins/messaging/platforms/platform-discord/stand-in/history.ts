/** Ids and the history of channels, as Discord keeps them (discord.com/developers/docs/reference, .../resources/message). */

/** The first second of 2015: ids count from there. */
const EPOCH_MS = 1_420_070_400_000
const MAX_PAGE_SIZE = 100

/** A message as an event tells it. */
export interface HistoryMessage {
  readonly id: string
  readonly channel_id: string
}

let count = 0

/** The id of something that happens now. */
export function snowflake(): string {
  return String((BigInt(Date.now() - EPOCH_MS) << 22n) + BigInt(++count))
}

export class DiscordHistory {
  readonly #messages: Map<string, HistoryMessage> = new Map()

  add(message: HistoryMessage): void {
    this.#messages.set(message.id, message)
  }

  has(channelId: string, id: string): boolean {
    return this.#messages.get(id)?.channel_id === channelId
  }

  /** "Get Channel Messages": those next to `after`, given newest first, without what only events say. */
  list(channelId: string, query: URLSearchParams): readonly object[] {
    const after = BigInt(query.get('after') ?? 0)
    const limit = Math.min(Number(query.get('limit') ?? 50), MAX_PAGE_SIZE)
    const before = query.get('before')
    const isWanted = (id: string) => BigInt(id) > after && (before === null || BigInt(id) < BigInt(before))
    const here = [...this.#messages.values()]
      .filter(({ id, channel_id }) => channel_id === channelId && isWanted(id))
      .sort((a, b) => (BigInt(a.id) > BigInt(b.id) ? 1 : -1))
    const shown = query.has('after') ? here.slice(0, limit) : here.slice(-limit)
    return shown.reverse().map((message) => ({ ...message, guild_id: undefined, member: undefined }))
  }
}
