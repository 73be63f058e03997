/**
 * What was written while svc was away for longer than Slack tries, out of the history of the places in which the app is
 * spoken to (docs.slack.dev/reference/methods/conversations.history, .../conversations.replies): at most a day old, and
 * 1,000 messages a place.
 */
import { type Clock, errorMessage, type Logger } from 'svc/sdk'
import { classifyDeliveryError, retryWhileBusy } from 'svc/sdk/platform'
import { z } from 'zod'
import type { SlackApi } from './api.ts'
import { isLater, type ServedChat, type ServedChats } from './served-chats.ts'

const DAY_MS = 86_400_000
const PAGE = 200
const PAGES = 5

export interface CatchUpDeps {
  readonly api: SlackApi
  readonly clock: Clock
  readonly log: Logger
  readonly served: ServedChats
  readonly signal: AbortSignal
}

const history = z.object({
  messages: z.array(z.looseObject({ ts: z.string() })),
  has_more: z.boolean().default(false),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
})
export type HistoryMessage = z.infer<typeof history>['messages'][number]
type Take = (place: ServedChat, message: HistoryMessage) => Promise<void>

/** Gives each to `take`, oldest first; rejects only when the connection has ended. A place that cannot be read is left out. */
export async function catchUp(deps: CatchUpDeps, take: Take): Promise<void> {
  const { clock, log, served, signal } = deps
  const dayAgo = ((clock.now() - DAY_MS) / 1000).toFixed(6)
  for (const { place, after } of served.all()) {
    const messages = await fetchMissed(deps, place, isLater(after, dayAgo) ? after : dayAgo).catch((error: unknown) => {
      signal.throwIfAborted()
      log.warn(`What was written in ${place.channel} meanwhile is not known: ${errorMessage(error)}`, { error })
      if (classifyDeliveryError(error).kind === 'refused') served.drop(place)
      return []
    })
    for (const each of messages) await take(place, each)
  }
}

async function fetchMissed(deps: CatchUpDeps, place: ServedChat, oldest: string): Promise<readonly HistoryMessage[]> {
  const { channel, thread } = place
  const method = thread === undefined ? 'conversations.history' : 'conversations.replies'
  const found: HistoryMessage[] = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES; page++) {
    const form = { channel, ts: thread, oldest, limit: PAGE, cursor }
    const said = await retryWhileBusy(() => deps.api.call(method, form, history), deps)
    found.push(...said.messages)
    cursor = said.has_more ? said.response_metadata?.next_cursor : undefined
    if (!cursor) break
  }
  if (cursor) deps.log.warn(`More was written in ${channel} meanwhile than is read.`)
  // The first message of a thread is given whatever its time.
  return found.filter(({ ts }) => isLater(ts, oldest)).sort((a, b) => Number(a.ts) - Number(b.ts))
}
