/**
 * What the server tells: an event queue that is read by long polls, and the history (zulip.com/api/register-queue, get-events and
 * get-messages).
 */
import type { Clock } from 'svc/sdk'
import type { PlatformApi } from 'svc/sdk/kit/platform'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { z } from 'zod'

export const message = z.object({
  id: z.number(),
  sender_id: z.number(),
  sender_full_name: z.string().default(''),
  type: z.string(),
  stream_id: z.number().nullish(),
  subject: z.string().default(''),
  /** The name of a channel, or all participants. */
  display_recipient: z.union([z.string(), z.array(z.object({ id: z.number() }))]),
  content: z.string(),
  timestamp: z.number(),
  flags: z.array(z.string()).nullish(),
})
export type ZulipMessage = z.infer<typeof message>

/** An event, and the message of one that tells of a message. */
export interface QueueEvent {
  readonly message?: ZulipMessage
  /** The key with which the account itself has sent it, with this queue. */
  readonly key?: string
}

const registered = z.object({
  queue_id: z.string(),
  last_event_id: z.number(),
  event_queue_longpoll_timeout_seconds: z.number().optional(),
})
type Queue = z.infer<typeof registered>
const events = z.object({
  events: z.array(
    z.object({
      id: z.number(),
      message: z.unknown().optional(),
      flags: z.array(z.string()).optional(),
      local_message_id: z.string().nullish(),
    }),
  ),
})
/** The server drops a queue that was not read for ten minutes. */
const gone = z.object({ code: z.literal('BAD_EVENT_QUEUE_ID') })
const page = z.object({ messages: z.array(message), found_newest: z.boolean().default(false) })

const POLL_S = 90
const MAX_WAITS = 5
const MAX_WAIT_MS = 60_000
const PAGE = 500

export function registerQueue(api: PlatformApi, signal: AbortSignal): Promise<Queue> {
  const form = new URLSearchParams({ event_types: '["message"]', apply_markdown: 'false' })
  return api.ask({ path: '/api/v1/register', form, signal, answer: registered })
}

/** Ends when the server does not know the queue any more; throws as `PlatformApi.ask` does. */
export async function* readQueue(
  api: PlatformApi,
  queue: Queue,
  options: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
): AsyncGenerator<readonly QueueEvent[], void> {
  const timeoutMs = (queue.event_queue_longpoll_timeout_seconds ?? POLL_S) * 1000
  let last = queue.last_event_id
  for (;;) {
    const path = `/api/v1/events?${new URLSearchParams({ queue_id: queue.queue_id, last_event_id: String(last) })}`
    const call = { path, timeoutMs, signal: options.signal, accept: [400], answer: events.or(gone) }
    const answer = await waitWhileAsked(() => api.ask(call), options)
    if ('code' in answer) return
    last = Math.max(last, ...answer.events.map(({ id }) => id))
    yield answer.events.map(readEvent)
  }
}

/** A server that is asked too often says how long to wait: the queue stays. */
async function waitWhileAsked<T>(
  ask: () => Promise<T>,
  { clock, signal }: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
): Promise<T> {
  for (let waits = 0; ; waits++) {
    try {
      return await ask()
    } catch (error) {
      const { retryAfterMs } = classifyDeliveryError(error)
      if (retryAfterMs === undefined || waits === MAX_WAITS) throw error
      await clock.sleep(Math.min(retryAfterMs, MAX_WAIT_MS), signal)
    }
  }
}

/** One without a message that can be understood has none. */
function readEvent({
  message: told,
  flags,
  local_message_id: key,
}: z.infer<typeof events>['events'][number]): QueueEvent {
  const read = message.safeParse(told).data
  if (!read) return {}
  return { message: { ...read, ...(flags && { flags }) }, ...(key && { key }) }
}

/** The highest id of the account's history; 0 when it is empty. */
export async function readNewest(api: PlatformApi, signal: AbortSignal): Promise<number> {
  const { messages } = await api.ask({ path: historyPath('newest', { before: 1 }), answer: page, signal })
  return Math.max(0, ...messages.map(({ id }) => id))
}

/** Where to look in the history (zulip.com/api/construct-narrow). */
export interface NarrowTerm {
  readonly operator: 'stream' | 'dm' | 'sender'
  readonly operand: number | readonly number[]
}

/** Pages of messages with higher ids than `since`, oldest first; at least one page, which may be empty. */
export async function* readAfter(
  api: PlatformApi,
  since: number,
  { narrow, signal }: { readonly narrow?: readonly NarrowTerm[]; readonly signal?: AbortSignal } = {},
): AsyncGenerator<readonly ZulipMessage[], void> {
  for (let anchor = since; ; ) {
    const path = historyPath(String(anchor), { after: PAGE, ...(narrow && { narrow }) })
    const { messages, found_newest } = await api.ask({ path, answer: page, ...(signal && { signal }) })
    // Servers before 6.0 also give the anchor.
    const behind = messages.filter(({ id }) => id > anchor)
    yield behind
    if (found_newest || behind.length === 0) return
    anchor = Math.max(...behind.map(({ id }) => id))
  }
}

function historyPath(
  anchor: string,
  { before = 0, after = 0, narrow = [] }: { before?: number; after?: number; narrow?: readonly NarrowTerm[] },
): string {
  const query = new URLSearchParams({
    ...{ anchor, num_before: String(before), num_after: String(after), apply_markdown: 'false' },
    // The newest message is an anchor that is wanted.
    ...(anchor !== 'newest' && { include_anchor: 'false' }),
    ...(narrow.length > 0 && { narrow: JSON.stringify(narrow) }),
  })
  return `/api/v1/messages?${query}`
}
