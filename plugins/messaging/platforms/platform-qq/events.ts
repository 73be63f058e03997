/** What QQ calls with (bot.q.qq.com/wiki/develop/api-v2/server-inter/message/send-receive/event.html). */
import { tryParseJson } from 'svc/sdk'
import type { InboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'

/** Opcodes: an event, and a check of the address. */
const DISPATCH = 0
const CHECK = 13

const call = z.object({ op: z.number(), t: z.string().optional(), d: z.unknown() })
const check = z.object({ plain_token: z.string(), event_ts: z.string() })
const message = z.object({
  id: z.string().min(1),
  content: z.string(),
  timestamp: z.string(),
  group_openid: z.string().optional(),
  author: z.object({ user_openid: z.string().optional(), member_openid: z.string().optional() }),
})

function readBody(body: Uint8Array): z.infer<typeof call> | undefined {
  return call.safeParse(tryParseJson(Buffer.from(body).toString('utf8'))?.value).data
}

/** What is asked in a check of the address. */
export function readCheck(body: Uint8Array): z.infer<typeof check> | undefined {
  const read = readBody(body)
  return read?.op === CHECK ? check.safeParse(read.d).data : undefined
}

/** Undefined if it is no call of QQ. Other events, such as being added to a group, need no answer. */
export function readEvents(body: Uint8Array): readonly Omit<InboundMessage, 'platform'>[] | undefined {
  const read = readBody(body)
  if (!read) return undefined
  if (read.op !== DISPATCH) return []
  const known = message.safeParse(read.d).data
  const isPrivate = read.t === 'C2C_MESSAGE_CREATE'
  if (!known || !(isPrivate || read.t === 'GROUP_AT_MESSAGE_CREATE')) return []
  const { id: messageId, content, author, group_openid: group } = known
  const userId = isPrivate ? author.user_openid : author.member_openid
  const at = Date.parse(known.timestamp)
  const text = content.trim()
  if (!userId || text === '') return []
  const origin = { userId, messageId, text, ...(Number.isFinite(at) && { at }) }
  if (isPrivate) return [{ ...origin, chatId: `user:${userId}` }]
  return group ? [{ ...origin, chatId: `group:${group}`, chatKind: 'group', isMention: true }] : []
}
