/** Messages of the account: sent with an id that is made of their key, and found again by it. */
import { createHash } from 'node:crypto'
import { tryParseJson } from 'svc/sdk'
import type { PlatformApi } from 'svc/sdk/kit/platform'
import {
  beforeSending,
  classifyDeliveryError,
  deliveryRefused,
  type OutboundFile,
  type OutboundMessage,
  type SendReceipt,
} from 'svc/sdk/platform'
import { z } from 'zod'
import type { Account } from './account.ts'
import { readRoom } from './history.ts'
import { message } from './messages.ts'

const UPLOAD_MS = 300_000
const ID = /^[A-Za-z0-9]{6,64}$/
const sent = z.object({ message })
const uploaded = z.object({ file: z.object({ _id: z.string() }) })
/** The file of a message that was about to be sent. */
const noted = z.object({ file: z.string() })

/** Throws `refused` for what is no id of a room. */
export function checkRoomId(chatId: string): string {
  if (ID.test(chatId)) return chatId
  throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no id of a room of Rocket.Chat.`)
}

export async function sendMessage(outbound: OutboundMessage, api: PlatformApi): Promise<SendReceipt> {
  const { threadId: tmid, text: msg, key, files, commit } = outbound
  const rid = checkRoomId(outbound.chatId)
  const [file] = files ?? []
  if (file) return sendFile(file, outbound, api)
  const json = { message: { _id: toMessageId(key), rid, msg, ...(tmid && { tmid }) }, previewUrls: [] }
  const answer = await api.ask({ path: '/api/v1/chat.sendMessage', json, commit, answer: sent })
  return toReceipt(answer.message)
}

/** A file is uploaded first; it becomes a message when it is confirmed. */
async function sendFile(file: OutboundFile, outbound: OutboundMessage, api: PlatformApi): Promise<SendReceipt> {
  const { chatId, threadId: tmid, text: msg, commit, writeNote } = outbound
  const { name, mediaType } = file
  const upload = { files: [{ field: 'file', name, mediaType, bytes: await file.bytes() }] }
  const asked = api.ask({ path: `/api/v1/rooms.media/${chatId}`, upload, timeoutMs: UPLOAD_MS, answer: uploaded })
  const { file: kept } = await beforeSending(asked)
  writeNote?.(JSON.stringify({ file: kept._id }))
  const path = `/api/v1/rooms.mediaConfirm/${chatId}/${encodeURIComponent(kept._id)}`
  const answer = await api.ask({ path, json: { msg, ...(tmid && { tmid }) }, commit, answer: sent })
  return toReceipt(answer.message)
}

/** Of a file by its id among the messages of its room, else by the id of the message. */
export async function findMessage(
  { chatId, key, note }: OutboundMessage,
  api: PlatformApi,
  account: Account,
): Promise<SendReceipt | undefined> {
  const file = noted.safeParse(tryParseJson(note ?? '')?.value).data?.file
  if (file !== undefined) {
    for await (const messages of readRoom(await account.findRoom(chatId, api), api, {})) {
      const found = messages.find(({ files }) => files?.some(({ _id }) => _id === file))
      if (found) return toReceipt(found)
    }
    return undefined
  }
  const path = `/api/v1/chat.getMessage?${new URLSearchParams({ msgId: toMessageId(key) })}`
  return api.ask({ path, answer: sent }).then(
    (answer) => toReceipt(answer.message),
    (error: unknown) => {
      if (classifyDeliveryError(error).kind !== 'refused') throw error
      return undefined
    },
  )
}

function toMessageId(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 24)
}

function toReceipt({ _id, ts }: z.infer<typeof message>): SendReceipt {
  return { messageId: _id, at: ts }
}
