/**
 * What was written while there was no session, out of the history of the channels in which the bot is spoken to
 * (discord.com/developers/docs/resources/message, "Get Channel Messages"): at most a day old, and 500 a channel.
 */
import { type Clock, errorMessage, type Logger } from 'svc/sdk'
import { classifyDeliveryError, retryWhileBusy } from 'svc/sdk/platform'
import { z } from 'zod'
import type { DiscordApi } from './api.ts'
import type { ChannelDirectory } from './channel-directory.ts'
import { isNewer, type Progress } from './read-positions.ts'

const DAY_MS = 86_400_000
/** The first second of 2015: Discord counts from there. */
const EPOCH_MS = 1_420_070_400_000
const PAGE = 100
const PAGES = 5

export interface CatchUpDeps {
  readonly api: DiscordApi
  readonly clock: Clock
  readonly log: Logger
  readonly progress: Progress
  readonly reader: { readonly places: ChannelDirectory }
  readonly signal: AbortSignal
}

const history = z.array(z.looseObject({ id: z.string().regex(/^\d+$/) }))
type HistoryMessage = z.infer<typeof history>[number]

/** A message from the history of a channel; a direct message has no guild. */
export interface Missed {
  readonly channelId: string
  readonly guildId: string | undefined
  readonly message: HistoryMessage
}

/** Gives each to `take`, oldest first; rejects only when the connection has ended. A channel that cannot be read is left out. */
export async function catchUp(deps: CatchUpDeps, take: (missed: Missed) => Promise<void>): Promise<void> {
  const { clock, log, progress, signal } = deps
  const dayAgo = snowflakeAt(clock.now() - DAY_MS)
  for (const [channelId, mark] of [...progress.channels]) {
    const after = isNewer(mark, dayAgo) ? mark : dayAgo
    try {
      await inChannel(deps, after, channelId, take)
    } catch (error) {
      signal.throwIfAborted()
      log.warn(`What was written in channel ${channelId} meanwhile is not known: ${errorMessage(error)}`, { error })
      if (classifyDeliveryError(error).kind === 'refused') progress.drop(channelId)
    }
  }
}

async function inChannel(
  deps: CatchUpDeps,
  from: string,
  channelId: string,
  take: (missed: Missed) => Promise<void>,
): Promise<void> {
  const guildId = await retryWhileBusy(() => deps.reader.places.findGuild(channelId), deps)
  const what = 'say what was written meanwhile'
  let after = from
  for (let page = 0; page < PAGES; page++) {
    const path = `/channels/${channelId}/messages?after=${after}&limit=${PAGE}`
    const messages = await retryWhileBusy(() => deps.api.ask({ method: 'GET', path, what }, history), deps)
    // They are given newest first.
    for (const message of messages.toSorted((a, b) => (isNewer(a.id, b.id) ? 1 : -1))) {
      await take({ channelId, guildId, message })
      after = message.id
    }
    if (messages.length < PAGE) return
  }
  deps.log.warn(`More was written in channel ${channelId} meanwhile than is read.`)
}

/** The id of what was written at that time. */
function snowflakeAt(ms: number): string {
  return String(BigInt(Math.max(0, Math.floor(ms) - EPOCH_MS)) << 22n)
}
