/** Messages and files as the Bot API takes them. */
import type { Button, Outbound, OutboundFile } from 'svc/sdk'
import type { Params } from './api.ts'

/** UTF-16 units of a text and of what stands under a file (https://core.telegram.org/bots/api#sendmessage). */
export const MOST_TEXT = 4096
export const MOST_CAPTION = 1024
/** Bytes of a file and of a photo (https://core.telegram.org/bots/api#sending-files). */
export const MOST_BYTES = 50_000_000
const MOST_PHOTO_BYTES = 10_000_000

/** The topic "General" has this id, and is written to without one. */
export const GENERAL = '1'

/** Buttons stand side by side while their words are short. */
const SHORT_LABEL = 14

/** Where a message goes. */
export function placeOf(chatId: string, threadId: string | undefined): Params {
  const isTopic = threadId !== undefined && threadId !== GENERAL && /^\d+$/.test(threadId)
  return { chat_id: chatId, ...(isTopic && { message_thread_id: Number(threadId) }) }
}

/** What is the same for messages of all kinds. */
export function frameOf({ chatId, threadId, replyTo, buttons }: Outbound): Params {
  const isAnswer = replyTo !== undefined && /^\d+$/.test(replyTo)
  return {
    ...placeOf(chatId, threadId),
    ...(isAnswer && { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } }),
    ...keyboardOf(buttons),
  }
}

export function keyboardOf(buttons: readonly Button[] = []): Params {
  if (buttons.length === 0) return {}
  const perRow = buttons.every(({ label }) => label.length <= SHORT_LABEL) ? 3 : 1
  const keys = buttons.map(({ label, value }) => ({ text: label, callback_data: value }))
  const rows = Array.from({ length: Math.ceil(keys.length / perRow) }, (_, row) => {
    return keys.slice(row * perRow, (row + 1) * perRow)
  })
  return { reply_markup: { inline_keyboard: rows } }
}

/** How a file is sent so that it can be seen or heard in the chat. */
export function methodOf({ mediaType }: Pick<OutboundFile, 'mediaType'>, size: number): readonly [string, string] {
  if (/^image\/(jpeg|png|webp)\b/.test(mediaType) && size <= MOST_PHOTO_BYTES) return ['sendPhoto', 'photo']
  if (/^audio\/(ogg|opus)\b/.test(mediaType)) return ['sendVoice', 'voice']
  if (/^audio\/(mpeg|mp3|mp4|x-m4a)\b/.test(mediaType)) return ['sendAudio', 'audio']
  if (/^video\/mp4\b/.test(mediaType)) return ['sendVideo', 'video']
  return ['sendDocument', 'document']
}
