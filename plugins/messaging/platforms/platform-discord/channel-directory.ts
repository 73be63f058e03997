/** Channels and the bot's own roles, asked for when they are needed and remembered. */
import { setBounded } from 'svc/sdk/kit/state'
import { classifyDeliveryError, deliveryRefused } from 'svc/sdk/platform'
import { z } from 'zod'
import type { DiscordApi } from './api.ts'

/** Types of channels that are threads, and alone with the bot (discord.com/developers/docs/resources/channel, "Channel Types"). */
const THREADS = [10, 11, 12]
const DIRECT = 1
const MAX_REMEMBERED = 1000

export const channel = z.object({
  id: z.string(),
  type: z.number(),
  name: z.string().nullish(),
  parent_id: z.string().nullish(),
  guild_id: z.string().nullish(),
})
export type Channel = z.infer<typeof channel>
export const member = z.object({ nick: z.string().nullish(), roles: z.array(z.string()).default([]) })
type Member = z.infer<typeof member>

/** Where a message is. */
export interface MessageLocation {
  readonly chatId: string
  readonly threadId?: string
  readonly chatName?: string
}

/** In Discord a thread is a channel within another channel. */
export function toPlace({ id, type, name, parent_id }: Channel): MessageLocation {
  const chatName = name ? { chatName: name } : {}
  return THREADS.includes(type) && parent_id
    ? { chatId: parent_id, threadId: id, ...chatName }
    : { chatId: id, ...chatName }
}

/** Remembers the newest thousand of each. */
export class ChannelDirectory {
  readonly #api: DiscordApi
  readonly #me: string
  readonly #channels: Map<string, Channel | 'unknown'> = new Map()
  readonly #roles: Map<string, readonly string[]> = new Map()
  readonly #members: Map<string, Member | 'unknown'> = new Map()

  constructor(api: DiscordApi, me: string) {
    this.#api = api
    this.#me = me
  }

  /** Rejects when Discord cannot say it now: who guesses would mix up conversations. */
  async of(channelId: string): Promise<MessageLocation> {
    const known = await this.#channel(channelId)
    return known === 'unknown' ? { chatId: channelId } : toPlace(known)
  }

  /** The roles that the bot has in a guild. */
  async rolesIn(guildId: string): Promise<readonly string[]> {
    return getOrFetch(this.#roles, guildId, async () => {
      const me = await this.#member(guildId, this.#me)
      return me === 'unknown' ? [] : me.roles
    })
  }

  /** The guild of a channel; undefined for a direct message. Rejects where the bot may not look. */
  async findGuild(channelId: string): Promise<string | undefined> {
    const known = await this.#channel(channelId)
    if (known !== 'unknown' && known.type === DIRECT) return undefined
    if (known !== 'unknown' && known.guild_id) return known.guild_id
    throw deliveryRefused('DISCORD_FAILED', `Discord does not say in which server the channel ${channelId} is.`)
  }

  /** The member data of a person in a guild; undefined if Discord does not send it. */
  async memberIn(guildId: string, userId: string): Promise<Member | undefined> {
    const known = await getOrFetch(this.#members, `${guildId} ${userId}`, () => this.#member(guildId, userId))
    return known === 'unknown' ? undefined : known
  }

  #channel(id: string): Promise<Channel | 'unknown'> {
    const request = { method: 'GET', path: `/channels/${id}`, what: 'describe a channel', timeoutMs: 10_000 } as const
    return getOrFetch(this.#channels, id, () => orUnknown(this.#api.ask(request, channel)))
  }

  #member(guildId: string, userId: string): Promise<Member | 'unknown'> {
    const path = `/guilds/${guildId}/members/${userId}`
    const request = { method: 'GET', path, what: 'tell the roles of a member', timeoutMs: 10_000 } as const
    return orUnknown(this.#api.ask(request, member))
  }
}

async function getOrFetch<T>(known: Map<string, T>, key: string, ask: () => Promise<T>): Promise<T> {
  const found = known.get(key)
  if (found !== undefined) return found
  const fresh = await ask()
  setBounded(known, key, fresh, MAX_REMEMBERED)
  return fresh
}

async function orUnknown<T>(asked: Promise<T>): Promise<T | 'unknown'> {
  try {
    return await asked
  } catch (error) {
    if (classifyDeliveryError(error).kind !== 'refused') throw error
    return 'unknown'
  }
}
