/** Channels and the bot's own roles, asked for when they are needed and remembered. */
import { deliveryFailure } from 'svc/sdk'
import { z } from 'zod'
import type { DiscordApi } from './api.ts'

/** Channel types that are threads (discord.com/developers/docs/resources/channel, "Channel Types"). */
const THREADS = [10, 11, 12]
const MOST = 1000

export const channel = z.object({
  id: z.string(),
  type: z.number(),
  name: z.string().nullish(),
  parent_id: z.string().nullish(),
})
export type Channel = z.infer<typeof channel>
const member = z.object({ roles: z.array(z.string()) })

/** Where a message is. */
export interface Place {
  readonly chatId: string
  readonly threadId?: string
  readonly chatName?: string
}

/** A thread is a channel of its own there, within another one. */
export function placeOf({ id, type, name, parent_id }: Channel): Place {
  const chatName = name ? { chatName: name } : {}
  return THREADS.includes(type) && parent_id
    ? { chatId: parent_id, threadId: id, ...chatName }
    : { chatId: id, ...chatName }
}

/** Remembers the newest thousand of each. */
export class Places {
  readonly #api: DiscordApi
  readonly #me: string
  readonly #channels: Map<string, Place> = new Map()
  readonly #roles: Map<string, readonly string[]> = new Map()

  constructor(api: DiscordApi, me: string) {
    this.#api = api
    this.#me = me
  }

  /** Rejects when Discord cannot say it now: who guesses would mix up conversations. */
  async of(channelId: string): Promise<Place> {
    const path = `/channels/${channelId}`
    const ask = () =>
      this.#api.ask({ method: 'GET', path, what: 'describe a channel', timeoutMs: 10_000 }, channel).then(placeOf)
    return remembered(this.#channels, channelId, () => whenRefused(ask(), { chatId: channelId }))
  }

  /** The roles that the bot has in a guild. */
  async rolesIn(guildId: string): Promise<readonly string[]> {
    const path = `/guilds/${guildId}/members/${this.#me}`
    const ask = () =>
      this.#api.ask({ method: 'GET', path, what: 'tell the roles of the bot', timeoutMs: 10_000 }, member)
    return remembered(this.#roles, guildId, () =>
      whenRefused(
        ask().then(({ roles }) => roles),
        [],
      ),
    )
  }
}

async function remembered<T>(known: Map<string, T>, key: string, ask: () => Promise<T>): Promise<T> {
  const found = known.get(key)
  if (found !== undefined) return found
  const fresh = await ask()
  const [oldest] = known.keys()
  if (known.size >= MOST && oldest !== undefined) known.delete(oldest)
  known.set(key, fresh)
  return fresh
}

/** What holds where the bot may not look. */
async function whenRefused<T>(asked: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (deliveryFailure(error).kind !== 'refused') throw error
    return otherwise
  }
}
