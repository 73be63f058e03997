/** Messages of the account: sent, and found again when an answer was lost (zulip.com/api/send-message). */
import { createHash } from 'node:crypto'
import { tryParseJson } from 'svc/sdk'
import type { PlatformApi } from 'svc/sdk/kit/platform'
import { beforeSending, deliveryRefused, type OutboundMessage, type SendReceipt } from 'svc/sdk/platform'
import { z } from 'zod'
import type { Account } from './account.ts'
import { type Chat, parseChat } from './chats.ts'
import { type NarrowTerm, readAfter, type ZulipMessage } from './queue.ts'
import { uploadFile } from './uploads.ts'

/** In Unicode characters. The server cuts what is longer, without an error. */
export const MAX_LENGTH = 10_000

const sent = z.object({ id: z.number() })
/** What is known of a message before it is sent: the messages that are older, and its place and words. */
const begun = z.object({ after: z.number(), sum: z.string() })

interface DeliveryContext {
  readonly account: Account
  /** Topic of a message that names none. */
  readonly topic: string
}

export async function sendMessage(
  message: OutboundMessage,
  api: PlatformApi,
  { account, topic: general }: DeliveryContext,
): Promise<SendReceipt> {
  const { chatId, threadId: topic = general, text, key, files = [], commit, writeNote } = message
  const chat = parseChat(chatId)
  const links: string[] = []
  for (const file of files) links.push(await beforeSending(uploadFile(api, file)))
  const content = [text, ...links].filter(Boolean).join('\n')
  if ([...content].length > MAX_LENGTH)
    throw deliveryRefused('PLATFORM_TOO_LONG', `Zulip takes ${MAX_LENGTH} characters in one message, with its files.`)
  const form = new URLSearchParams({
    ...{ type: chat.type, to: JSON.stringify(chat.to), content },
    ...(chat.type === 'stream' && { topic }),
    ...(account.queueId !== undefined && { queue_id: account.queueId, local_id: key }),
  })
  writeNote?.(JSON.stringify({ after: account.newest, sum: createSum(chat, topic, content) }))
  const { id } = await api.ask({ path: '/api/v1/messages', form, commit, answer: sent })
  return account.keep(key, { messageId: String(id) })
}

/** By the key that the queue has told, else by the note: among messages that are newer than it, in the same place with the same words. */
export async function findMessage(
  { chatId, key, note }: OutboundMessage,
  api: PlatformApi,
  { account }: Pick<DeliveryContext, 'account'>,
): Promise<SendReceipt | undefined> {
  const known = account.receipt(key)
  if (known) return known
  const noted = begun.safeParse(tryParseJson(note ?? '')?.value).data
  if (!noted) return undefined
  const chat = parseChat(chatId)
  const isIt = ({ id, subject, content }: ZulipMessage) =>
    !account.hasReceipt(id) && createSum(chat, subject, content) === noted.sum
  for await (const page of readAfter(api, noted.after, { narrow: narrowTo(chat, account) })) {
    const found = page.find(isIt)
    if (found) return account.keep(key, { messageId: String(found.id), at: found.timestamp * 1000 })
  }
  return undefined
}

function narrowTo({ type, to }: Chat, { id }: Account): readonly NarrowTerm[] {
  return [
    { operator: type === 'stream' ? 'stream' : 'dm', operand: to },
    { operator: 'sender', operand: id },
  ]
}

/** The server takes blanks around a message away, and topics have no upper case of their own. */
function createSum({ type }: Chat, topic: string, content: string): string {
  const place = type === 'stream' ? topic.trim().toLowerCase() : ''
  return createHash('sha256').update(`${place}\n${content.trim()}`).digest('hex')
}
