/** What a sync brings, read with distrust: anything that is not as the specification says is left out. */
import { z } from 'zod'

const content = z.record(z.string(), z.unknown()).catch({})

export const eventSchema = z.object({
  type: z.string(),
  event_id: z.string().optional(),
  sender: z.string(),
  state_key: z.string().optional(),
  origin_server_ts: z.number().optional(),
  content,
  unsigned: z.object({ prev_content: content.optional() }).optional().catch(undefined),
})
/** An event of a room; one with a `state_key` is state. */
export type RoomEvent = z.infer<typeof eventSchema>

const events = z
  .array(z.unknown())
  .catch([])
  .transform((all) =>
    all.flatMap((each) => {
      const read = eventSchema.safeParse(each)
      return read.success ? [read.data] : []
    }),
  )
const eventList = z.object({ events }).catch({ events: [] })

const joined = z.object({
  state: eventList.default({ events: [] }),
  timeline: z
    .object({ events, limited: z.boolean().catch(false), prev_batch: z.string().optional().catch(undefined) })
    .catch({ events: [], limited: false, prev_batch: undefined }),
})
export type JoinedRoom = z.infer<typeof joined>

const strings = z.array(z.string()).catch([]).default([])
const accountData = z.array(z.object({ type: z.string(), content })).catch([])

/** `GET /_matrix/client/v3/sync` (spec.matrix.org/latest/client-server-api, syncing). */
const sync = z.object({
  next_batch: z.string(),
  to_device: z
    .object({ events: z.array(z.record(z.string(), z.unknown())).catch([]) })
    .catch({ events: [] })
    .default({ events: [] }),
  device_lists: z
    .object({ changed: strings, left: strings })
    .catch({ changed: [], left: [] })
    .default({ changed: [], left: [] }),
  device_one_time_keys_count: z.record(z.string(), z.number()).catch({}).default({}),
  device_unused_fallback_key_types: z.array(z.string()).optional().catch(undefined),
  account_data: z.object({ events: accountData }).catch({ events: [] }).default({ events: [] }),
  rooms: z
    .object({
      join: z
        .record(z.string(), joined.catch({ state: { events: [] }, timeline: { events: [], limited: false } }))
        .catch({})
        .default({}),
      invite: z
        .record(z.string(), z.object({ invite_state: eventList }).catch({ invite_state: { events: [] } }))
        .catch({})
        .default({}),
    })
    .catch({ join: {}, invite: {} })
    .default({ join: {}, invite: {} }),
})
export type Sync = z.infer<typeof sync>

/** Undefined if it is not a sync response. */
export function readSync(value: unknown): Sync | undefined {
  const read = sync.safeParse(value)
  return read.success ? read.data : undefined
}

/** The page of events of `GET /rooms/{roomId}/messages`. */
export function readPage(value: unknown): { readonly chunk: readonly RoomEvent[]; readonly end: string | undefined } {
  const read = z.object({ chunk: events, end: z.string().optional().catch(undefined) }).safeParse(value)
  return read.success ? { chunk: read.data.chunk, end: read.data.end } : { chunk: [], end: undefined }
}

/** One event that was asked for. */
export function readEvent(value: unknown): RoomEvent | undefined {
  const read = eventSchema.safeParse(value)
  return read.success ? read.data : undefined
}

/** Without what was said before the agent was invited, or came uninvited: that was said to others. */
export function dropBeforeInvitation(all: readonly RoomEvent[], userId: string): readonly RoomEvent[] {
  const isOwn = (event: RoomEvent) => event.type === 'm.room.member' && event.state_key === userId
  const membership = (event: RoomEvent) => event.content['membership']
  // A new name is a membership event of an existing member.
  const came = all.findLastIndex(
    (event) => isOwn(event) && membership(event) === 'join' && event.unsigned?.prev_content?.['membership'] !== 'join',
  )
  const invited = all.findLastIndex((event) => isOwn(event) && membership(event) === 'invite')
  if (came < 0 && invited < 0) return all
  return all.slice(invited >= 0 ? invited : came)
}
