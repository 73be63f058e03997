/** Messages of Rocket.Chat, and what the gateway takes of them (developer.rocket.chat/apidocs/introduction-to-messaging). */
import type { DescribedMessage } from 'svc/sdk/kit/platform'
import type { ChatType, InboundFile } from 'svc/sdk/platform'
import { z } from 'zod'
import type { Account, Room } from './account.ts'

/** Over the socket a time is an object, in answers a text. */
const time = z
  .union([
    z.object({ $date: z.number() }).transform(({ $date }) => $date),
    z.string().transform((text) => Date.parse(text)),
  ])
  .pipe(z.number())

export const message = z.object({
  _id: z.string(),
  rid: z.string(),
  msg: z.string().default(''),
  ts: time,
  u: z.object({ _id: z.string(), username: z.string().optional(), name: z.string().optional() }),
  /** Says that something happened, such as a user who joined. */
  t: z.string().optional(),
  tmid: z.string().optional(),
  mentions: z.array(z.object({ _id: z.string() })).nullish(),
  files: z
    .array(z.object({ _id: z.string(), name: z.string(), type: z.string().optional(), size: z.number().optional() }))
    .nullish(),
})
export type ChatMessage = z.infer<typeof message>

export interface ReadOptions {
  readonly account: Account
  readonly room: Room
  readonly isBot: boolean
  /** The thread was begun by the account. */
  readonly isOwnThread: boolean
}

/** Undefined for its own words, for what only tells that something happened, and for what says nothing. */
export function toInbound(
  said: ChatMessage,
  { account, room, isBot, isOwnThread }: ReadOptions,
): DescribedMessage | undefined {
  const files = listFiles(said)
  if (said.u._id === account.id || said.t || (!said.msg.trim() && files.length === 0)) return undefined
  const isNamed = said.mentions?.some(({ _id }) => _id === account.id)
  const chatKind = toChatKind(room)
  const userName = said.u.name ?? said.u.username
  const chatName = room.fname ?? room.name
  return {
    ...{ chatId: said.rid, chatKind, userId: said.u._id, messageId: said._id, at: said.ts },
    text: withoutMention(said.msg, account.name),
    ...(said.tmid && { threadId: said.tmid, quote: { messageId: said.tmid } }),
    ...(userName && { userName }),
    ...(chatName && chatKind !== 'dm' && { chatName }),
    ...(isBot && { isBot }),
    ...((isNamed || isOwnThread) && { isMention: true }),
    ...(files.length > 0 && { files }),
  }
}

function toChatKind({ t, usersCount = 2 }: Room): ChatType {
  if (t !== 'd') return 'channel'
  return usersCount > 2 ? 'group' : 'dm'
}

/** The server adds small versions of pictures. */
function listFiles({ files }: ChatMessage): InboundFile[] {
  return (files ?? [])
    .filter(({ name }) => !name.startsWith('thumb-'))
    .map(({ _id, name, type, size }) => ({
      ...{ ref: `/file-upload/${encodeURIComponent(_id)}/${encodeURIComponent(name)}`, name },
      ...(type && { mediaType: type }),
      ...(size !== undefined && { size }),
    }))
}

/** The name of the account in front is how it is addressed, and no part of what was said. */
function withoutMention(text: string, name: string): string {
  const known = name.replace(/[.\\+*?^$()[\]{}|]/g, '\\$&')
  return text.replace(new RegExp(`^\\s*@${known}(?![\\w-]|\\.\\w)[\\s,:]*`, 'i'), '')
}
