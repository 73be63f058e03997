/**
 * What was said in a channel or thread before a message (docs.slack.dev/reference/methods/conversations.history,
 * .../conversations.replies).
 */
import type { InboundMessage, OverheardMessage } from 'svc/sdk/platform'
import { z } from 'zod'
import type { SlackApi } from './api.ts'
import { readable } from './markup.ts'
import type { People } from './people.ts'

const PAGE = 200
/** A thread is given oldest first: of a longer one its end is not reached, and nothing is read. */
const THREAD_PAGES = 5
/** Names are asked for one by one. */
const MAX_NAMES = 10
/** Kinds of messages that a person wrote. */
const WORDS = ['', 'file_share', 'thread_broadcast', 'me_message']

const said = z.object({
  ts: z.string(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  subtype: z.string().default(''),
  text: z.string().default(''),
})
const page = z.object({
  messages: z.array(said),
  has_more: z.boolean().default(false),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
})
type Said = z.infer<typeof said>

export interface HistoryDeps {
  readonly api: SlackApi
  readonly people: People
  /** The user id of the app. */
  readonly me: string
}

/** Messages of others since the last one of the app: oldest first, at most `limit`. */
export async function fetchEarlier(
  { api, people, me }: HistoryDeps,
  message: InboundMessage,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly OverheardMessage[]> {
  const { messageId, threadId } = message
  const isInChannel = threadId === undefined || threadId === messageId
  const all = isInChannel
    ? await fetchChannel(api, message, { limit, signal })
    : await fetchThread(api, message, signal)
  const before = all.filter(({ ts }) => Number(ts) < Number(messageId)).slice(-limit)
  const own = before.findLastIndex(({ user }) => user === me)
  const others = before.slice(own + 1).filter(isOfPerson)
  const users = [...new Set(others.map(({ user = '' }) => user))].slice(0, MAX_NAMES)
  const names = new Map(await Promise.all(users.map(async (id) => [id, await people.findName(id)] as const)))
  return others.map(({ ts, user = '', text }) => {
    const userName = names.get(user)
    return { messageId: ts, userId: user, ...(userName && { userName }), text: readable(text) }
  })
}

function isOfPerson({ user, bot_id, subtype, text }: Said): boolean {
  return user !== undefined && bot_id === undefined && WORDS.includes(subtype) && text.trim() !== ''
}

/** The newest before the message; Slack gives them newest first. */
async function fetchChannel(
  api: SlackApi,
  { chatId: channel, messageId: latest }: InboundMessage,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly Said[]> {
  const form = { channel, latest, limit, inclusive: false }
  return (await api.call('conversations.history', form, page, { signal })).messages.toReversed()
}

async function fetchThread(
  api: SlackApi,
  { chatId: channel, threadId: ts, messageId: latest }: InboundMessage,
  signal: AbortSignal,
): Promise<readonly Said[]> {
  const found: Said[] = []
  let cursor: string | undefined
  for (let at = 0; at < THREAD_PAGES; at++) {
    const form = { channel, ts, latest, limit: PAGE, cursor }
    const answer = await api.call('conversations.replies', form, page, { signal })
    found.push(...answer.messages)
    cursor = answer.has_more ? answer.response_metadata?.next_cursor : undefined
    if (!cursor) return found
  }
  return []
}
