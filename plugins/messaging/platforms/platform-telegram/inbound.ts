/** Messages of Telegram as the gateway takes them. */
import type { ChatType, InboundFile, InboundMessage } from 'svc/sdk/platform'
import type { File, Message, Press, Self } from './updates.ts'

const KINDS: Readonly<Record<Message['chat']['type'], ChatType>> = {
  private: 'dm',
  group: 'group',
  supergroup: 'group',
  channel: 'channel',
}

/** Undefined for what says nothing to us: joins, pins, our own words, and commands for another bot. */
export function toInbound(message: Message, self: Self): InboundMessage | undefined {
  const { chat, sender_chat: speaker, from, reply_to_message: quoted } = message
  const said = readWords(message, self)
  const files = listFiles(message)
  if (said === undefined || (!said.text && files.length === 0) || (from?.id === self.id && !speaker)) return undefined
  const name = speaker?.title ?? [from?.first_name, from?.last_name].filter(Boolean).join(' ')
  const isAnswer = quoted?.from?.id === self.id && quoted.forum_topic_created === undefined
  return {
    platform: 'telegram',
    chatId: String(chat.id),
    chatKind: KINDS[chat.type],
    userId: String(speaker?.id ?? from?.id ?? chat.id),
    messageId: String(message.message_id),
    text: said.text,
    isMention: said.isMention || isAnswer,
    at: message.date * 1000,
    ...readThread(message),
    ...(name && { userName: name }),
    ...(chat.title !== undefined && { chatName: chat.title }),
    ...(from?.is_bot && !speaker && { isBot: true }),
    ...readQuote(message),
    ...(files.length > 0 && { files }),
  }
}

/** A button that was pressed. */
export function readPress({ id, from, data, message }: Press): InboundMessage | undefined {
  if (data === undefined || !message) return undefined
  const buttons = message.reply_markup?.inline_keyboard.flat() ?? []
  return {
    platform: 'telegram',
    chatId: String(message.chat.id),
    chatKind: KINDS[message.chat.type],
    userId: String(from.id),
    messageId: `press-${id}`,
    text: buttons.find((button) => button.callback_data === data)?.text ?? data,
    press: data,
    isMention: true,
    userName: [from.first_name, from.last_name].filter(Boolean).join(' '),
    ...readThread(message),
  }
}

/** Outside of topics the id of a thread only says which message began a chain of answers. */
function readThread(message: Pick<Message, 'is_topic_message' | 'message_thread_id'>): { threadId?: string } {
  const { is_topic_message: isTopic, message_thread_id: thread } = message
  return isTopic && thread !== undefined ? { threadId: String(thread) } : {}
}

function readQuote({ reply_to_message: quoted, quote }: Message): Pick<InboundMessage, 'quote'> {
  if (!quoted || quoted.forum_topic_created !== undefined) return {}
  const text = quote?.text ?? quoted.text ?? quoted.caption
  return { quote: { messageId: String(quoted.message_id), ...(text !== undefined && { text }) } }
}

interface Words {
  readonly text: string
  readonly isMention: boolean
}

/** The text without the bot's name at its beginning; undefined when it is a command for another bot. */
function readWords(message: Message, self: Self): Words | undefined {
  const text = message.text ?? message.caption ?? ''
  const marks = message.text === undefined ? message.caption_entities : message.entities
  const addressed = marks.map((mark) => ({ ...mark, to: findAddressee(mark, text, self) }))
  const first = addressed.find(({ offset, to }) => offset === 0 && to !== undefined)
  if (first?.type === 'bot_command' && first.to === 'another') return undefined
  const rest = first?.to === 'us' ? withoutName(text, first) : text
  const isMention = addressed.some(({ to }) => to === 'us')
  return { text: [rest.trim(), describeExtra(message)].filter(Boolean).join('\n'), isMention }
}

type Mark = Message['entities'][number]

/** The user that a text entity mentions, if any. */
function findAddressee({ type, offset, length, user }: Mark, text: string, self: Self): 'us' | 'another' | undefined {
  if (type === 'text_mention') return user?.id === self.id ? 'us' : 'another'
  if (type !== 'mention' && type !== 'bot_command') return undefined
  const [, name] = text.slice(offset, offset + length).split('@')
  if (name === undefined) return undefined
  return name.toLowerCase() === self.username.toLowerCase() ? 'us' : 'another'
}

/** `/new@our_bot` is `/new`. */
function withoutName(text: string, { type, length }: Mark): string {
  return type === 'bot_command' ? text.slice(0, text.indexOf('@')) + text.slice(length) : text.slice(length)
}

/** A description of content other than text. */
function describeExtra({ location, contact, sticker }: Message): string {
  if (location) return `Location: ${location.latitude}, ${location.longitude}`
  if (contact) return `Contact: ${contact.first_name}, ${contact.phone_number}`
  return sticker ? describeSticker(sticker) : ''
}

/** A picture that everybody knows by its emoji, and by the set that it belongs to. */
function describeSticker({ emoji, set_name: set }: NonNullable<Message['sticker']>): string {
  return ['Sticker', emoji, set && `(${set})`].filter(Boolean).join(' ')
}

function listFiles(message: Message): readonly InboundFile[] {
  const { photo, voice, audio, video, video_note: note, animation, document, sticker } = message
  const stillSticker = sticker && !sticker.is_animated && !sticker.is_video ? sticker : undefined
  // The sizes of one photo, the largest last; an animation comes as a document, too.
  const found: readonly (readonly [File | undefined, string, string])[] = [
    [photo.at(-1), 'photo.jpg', 'image/jpeg'],
    [voice, 'voice.ogg', 'audio/ogg'],
    [audio, 'audio.mp3', 'audio/mpeg'],
    [video ?? note ?? animation, 'video.mp4', 'video/mp4'],
    [animation ? undefined : document, 'file', ''],
    [stillSticker, 'sticker.webp', 'image/webp'],
  ]
  return found.flatMap(([file, name, type]) => (file ? [toInboundFile(file, name, type, file === voice)] : []))
}

function toInboundFile(file: File, name: string, type: string, isVoice: boolean): InboundFile {
  const mediaType = file.mime_type ?? type
  return {
    ref: file.file_id,
    name: file.file_name ?? name,
    ...(mediaType && { mediaType }),
    ...(file.file_size !== undefined && { size: file.file_size }),
    ...(isVoice && { isVoice }),
  }
}
