/** What was written in the rooms of an account (developer.rocket.chat/apidocs, `channels.history`, `groups.history`, `im.history`). */
import type { PlatformApi } from 'svc/sdk/kit/platform'
import { z } from 'zod'
import type { Account, Room } from './account.ts'
import { type ChatMessage, message } from './messages.ts'

const PAGE = 200
const PAGES = 20
const page = z.object({ messages: z.array(message) })
const KINDS: Readonly<Record<string, string>> = { c: 'channels', p: 'groups', d: 'im' }

/** When the newest message was written, by the server's clock. */
export async function readNewest(account: Account, api: PlatformApi, signal: AbortSignal): Promise<number> {
  const rooms = await account.listRooms(api, signal)
  return Math.max(0, ...rooms.map(writtenAt))
}

/** Oldest first, of all rooms. */
export async function readMissed(
  account: Account,
  api: PlatformApi,
  { since, signal }: { readonly since: number; readonly signal: AbortSignal },
): Promise<readonly ChatMessage[]> {
  const missed: ChatMessage[] = []
  for (const room of await account.listRooms(api, signal))
    if (writtenAt(room) > since)
      for await (const messages of readRoom(room, api, { since, signal })) missed.push(...messages)
  const ids = new Map(missed.map((each) => [each._id, each]))
  return [...ids.values()].sort((one, two) => one.ts - two.ts)
}

/** Pages of a room, newest first, up to `since`. */
export async function* readRoom(
  room: Room,
  api: PlatformApi,
  { since = 0, signal }: { readonly since?: number; readonly signal?: AbortSignal },
): AsyncGenerator<readonly ChatMessage[], void> {
  const kind = KINDS[room.t]
  if (kind === undefined) return
  let latest: number | undefined
  for (let count = 0; count < PAGES; count++) {
    const query = new URLSearchParams({
      ...{ roomId: room._id, count: String(PAGE), inclusive: 'true', oldest: new Date(since).toISOString() },
      ...(latest !== undefined && { latest: new Date(latest).toISOString() }),
    })
    const { messages } = await api.ask({
      path: `/api/v1/${kind}.history?${query}`,
      answer: page,
      ...(signal && { signal }),
    })
    yield messages
    const oldest = Math.min(...messages.map(({ ts }) => ts))
    if (messages.length < PAGE || oldest === latest) return
    latest = oldest
  }
}

function writtenAt({ lm }: Room): number {
  return Date.parse(lm ?? '') || 0
}
