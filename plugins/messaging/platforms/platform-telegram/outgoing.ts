/** Messages and files as the Bot API takes them. */
import type { MessageButton, OutboundFile, OutboundMessage } from 'svc/sdk/platform'
import type { Params } from './api.ts'
import { readMessageNumber } from './edits.ts'

/** UTF-16 units of a text and of a caption (https://core.telegram.org/bots/api#sendmessage). */
export const MAX_TEXT = 4096
export const MAX_CAPTION = 1024
/** Bytes of a file and of a photo (https://core.telegram.org/bots/api#sending-files). */
export const MAX_BYTES = 50_000_000
const MAX_PHOTO_BYTES = 10_000_000

/** The topic "General" has this id, and is written to without one. */
export const GENERAL = '1'

/** Buttons stand side by side while their words are short. */
const SHORT_LABEL = 14

/** The destination of a message. */
export function toChatParams(chatId: string, threadId: string | undefined): Params {
  const isTopic = threadId !== undefined && threadId !== GENERAL && /^\d+$/.test(threadId)
  return { chat_id: chatId, ...(isTopic && { message_thread_id: Number(threadId) }) }
}

/** What is the same for messages of all kinds. */
export function createFrame({ chatId, threadId, replyTo, buttons }: OutboundMessage): Params {
  const answered = replyTo === undefined ? undefined : readMessageNumber(replyTo)
  return {
    ...toChatParams(chatId, threadId),
    ...(answered !== undefined && {
      reply_parameters: { message_id: answered, allow_sending_without_reply: true },
    }),
    ...createKeyboard(buttons),
  }
}

export function createKeyboard(buttons: readonly MessageButton[] = []): Params {
  if (buttons.length === 0) return {}
  const perRow = buttons.every(({ label }) => label.length <= SHORT_LABEL) ? 3 : 1
  const keys = buttons.map(({ label, value }) => ({ text: label, callback_data: value }))
  const rows = Array.from({ length: Math.ceil(keys.length / perRow) }, (_, row) => {
    return keys.slice(row * perRow, (row + 1) * perRow)
  })
  return { reply_markup: { inline_keyboard: rows } }
}

/** What Telegram shows a file as. */
export type MediaForm = 'photo' | 'voice' | 'audio' | 'video' | 'document'

/** In which form a file can be seen or heard in the chat. Voice messages are Opus in Ogg, MP3 or M4A (".../api#sendvoice"). */
export function chooseMediaForm({ mediaType, kind, size, isVoice }: Omit<OutboundFile, 'bytes' | 'name'>): MediaForm {
  const isSound = /^audio\/(mpeg|mp3|mp4|x-m4a)\b/.test(mediaType)
  if (kind === 'document') return 'document'
  if (/^image\/(jpeg|png|webp)\b/.test(mediaType) && size <= MAX_PHOTO_BYTES) return 'photo'
  if (/^audio\/(ogg|opus)\b/.test(mediaType) || (isVoice && isSound)) return 'voice'
  if (isSound) return 'audio'
  return /^video\/mp4\b/.test(mediaType) ? 'video' : 'document'
}

/** Photos and videos may stand together, sounds only with sounds; all else is shown as documents (".../api#sendmediagroup"). */
export function albumForms(files: readonly OutboundFile[]): readonly MediaForm[] {
  const forms = files.map(chooseMediaForm)
  if (forms.every((form) => form === 'photo' || form === 'video')) return forms
  if (forms.every((form) => form === 'audio')) return forms
  return files.map(() => 'document')
}

/** `sendPhoto` for a photo. */
export function getSendMethod(form: MediaForm): string {
  return `send${form[0]?.toUpperCase()}${form.slice(1)}`
}
