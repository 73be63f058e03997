/** What Feishu tells of messages and cards (open.feishu.cn/document/server-docs/im-v1/message/events/receive). */
import { tryParseJson } from 'svc/sdk'
import type { InboundFile, InboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'
import type { FeishuEvent } from './call.ts'

type Message = Omit<InboundMessage, 'platform'>

const received = z.object({
  sender: z.object({ sender_id: z.object({ open_id: z.string().min(1) }), sender_type: z.string() }),
  message: z.object({
    message_id: z.string().min(1),
    parent_id: z.string().optional(),
    chat_id: z.string().min(1),
    chat_type: z.string(),
    message_type: z.string(),
    content: z.string(),
    create_time: z.string().optional(),
    mentions: z
      .array(z.object({ key: z.string(), name: z.string(), id: z.looseObject({ open_id: z.string().optional() }) }))
      .optional(),
  }),
})
type Received = z.infer<typeof received>['message']
const pressed = z.object({
  operator: z.object({ open_id: z.string().min(1) }),
  action: z.object({ value: z.object({ press: z.string(), label: z.string(), chat_type: z.string().optional() }) }),
  context: z.object({ open_chat_id: z.string().min(1), open_message_id: z.string().optional() }),
})
const text = z.object({ text: z.string() })
const file = z.object({
  file_key: z.string().optional(),
  image_key: z.string().optional(),
  file_name: z.string().optional(),
})

const KINDS: Readonly<Record<string, readonly [name: string, mediaType: string | undefined]>> = {
  image: ['image.png', 'image/png'],
  audio: ['voice.opus', 'audio/opus'],
  media: ['video.mp4', 'video/mp4'],
  file: ['file', undefined],
}

/** Other events need no answer. */
export function readEvent({ header, event }: FeishuEvent, own: string): readonly Message[] {
  const { event_type: type, event_id: id } = header
  if (type === 'card.action.trigger') return readPress(event, id)
  if (type !== 'im.message.receive_v1') return []
  const known = received.safeParse(event).data
  if (known?.sender.sender_type !== 'user') return []
  const { message } = known
  const at = Number(message.create_time)
  const origin = {
    ...{ chatId: message.chat_id, userId: known.sender.sender_id.open_id, messageId: message.message_id },
    ...(message.chat_type !== 'p2p' && { chatKind: 'group' as const }),
    ...(at > 0 && { at }),
    ...(message.parent_id && { quote: { messageId: message.parent_id } }),
  }
  if (message.message_type === 'text') return [{ ...origin, ...readText(message, own) }]
  const sent = readFile(message)
  return sent ? [{ ...origin, text: '', files: [sent] }] : []
}

/** Names are marks such as `@_user_1`; the one of the bot is how it is addressed, and no part of what was said. */
function readText({ content, mentions = [] }: Received, own: string) {
  const said = text.safeParse(tryParseJson(content)?.value).data?.text ?? ''
  const isOwn = ({ id }: (typeof mentions)[number]) => id.open_id === own
  const shown = mentions.reduce(
    (rest, each) => rest.replaceAll(new RegExp(`${each.key}(?!\\d)`, 'g'), () => (isOwn(each) ? '' : `@${each.name}`)),
    said,
  )
  return mentions.some(isOwn) ? { text: shown.trim(), isMention: true } : { text: shown }
}

function readFile({ message_id: id, message_type: type, content }: Received): InboundFile | undefined {
  const [fallback, mediaType] = KINDS[type] ?? []
  const { file_key: key, image_key: image, file_name: name } = file.safeParse(tryParseJson(content)?.value).data ?? {}
  const found = image ?? key
  if (fallback === undefined || !found) return undefined
  const kind = type === 'image' ? 'image' : 'file'
  return {
    ref: `${encodeURIComponent(id)}/resources/${encodeURIComponent(found)}?type=${kind}`,
    name: name ?? fallback,
    ...(mediaType !== undefined && { mediaType }),
    ...(type === 'audio' && { isVoice: true }),
  }
}

function readPress(event: unknown, messageId: string): readonly Message[] {
  const known = pressed.safeParse(event).data
  if (!known) return []
  const { press, label, chat_type: chat } = known.action.value
  const origin = { chatId: known.context.open_chat_id, userId: known.operator.open_id, messageId }
  return [{ ...origin, ...(chat === 'group' && { chatKind: 'group' as const }), text: label, press }]
}
