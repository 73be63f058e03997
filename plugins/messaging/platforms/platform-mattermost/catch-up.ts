/**
 * Messages from while svc was not connected, from the history of all channels
 * (developers.mattermost.com/api-documentation, "Get posts for a channel"). Pages, newest first: the answer to `since`
 * holds any thousand posts where there are more.
 */
import { type Clock, errorMessage, type Logger } from 'svc/sdk'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { z } from 'zod'
import type { MattermostApi } from './api.ts'
import { type PlacedPost, type Post, post } from './inbound.ts'

const DAY_MS = 86_400_000
const PAGE = 200
const PAGES = 5
const WHAT = 'say what was written meanwhile'

export interface CatchUpDeps {
  readonly api: MattermostApi
  readonly clock: Clock
  readonly log: Logger
}

const channels = z.array(
  z.object({
    id: z.string(),
    type: z.string(),
    display_name: z.string().default(''),
    last_post_at: z.number().default(0),
  }),
)
type Channel = z.infer<typeof channels>[number]
const page = z.object({ order: z.array(z.string()).nullish(), posts: z.record(z.string(), post).nullish() })

/** When the newest post was written, by the server's clock. */
export async function newestPost({ api }: CatchUpDeps): Promise<number> {
  return Math.max(0, ...(await fetchChannels(api)).map(({ last_post_at }) => last_post_at))
}

/** Oldest first, of all channels that may be read, at most a day old. Rejects when the server does not say it now. */
export async function missedSince(deps: CatchUpDeps, since: number): Promise<readonly PlacedPost[]> {
  const from = Math.max(since, deps.clock.now() - DAY_MS)
  const missed: PlacedPost[] = []
  for (const channel of await fetchChannels(deps.api)) {
    if (channel.last_post_at <= from) continue
    const posts = await fetchPosts(deps, channel, from).catch((error: unknown) => {
      if (classifyDeliveryError(error).kind !== 'refused') throw error
      deps.log.warn(`What was written in channel ${channel.id} meanwhile is not known: ${errorMessage(error)}`, {
        error,
      })
      return []
    })
    const { type: channelType, display_name: channelName } = channel
    missed.push(...posts.map((each) => ({ post: each, channelType, channelName })))
  }
  return missed.sort((a, b) => a.post.create_at - b.post.create_at)
}

function fetchChannels(api: MattermostApi): Promise<readonly Channel[]> {
  return api.ask({ method: 'GET', path: '/users/me/channels', what: WHAT }, channels)
}

async function fetchPosts({ api, log }: CatchUpDeps, { id }: Channel, since: number): Promise<readonly Post[]> {
  // Posts that are written now move the older ones to the next page.
  const found = new Map<string, Post>()
  for (let at = 0; at < PAGES; at++) {
    const path = `/channels/${encodeURIComponent(id)}/posts?page=${at}&per_page=${PAGE}&skipFetchThreads=true`
    const { order, posts } = await api.ask({ method: 'GET', path, what: WHAT }, page)
    const here = (order ?? []).flatMap((each) => posts?.[each] ?? [])
    for (const each of here) if (each.create_at > since) found.set(each.id, each)
    if (here.length < PAGE || here.some(({ create_at }) => create_at <= since)) return [...found.values()]
  }
  log.warn(`More was written in channel ${id} meanwhile than is read.`)
  return [...found.values()]
}
