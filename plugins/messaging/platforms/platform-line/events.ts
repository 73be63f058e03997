/** What LINE tells in a call (developers.line.biz/en/reference/messaging-api, webhook event objects). */
import { tryParseJson } from 'svc/sdk'
import type { InboundFile, InboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'

const source = z.union([
  z.object({ type: z.literal('user'), userId: z.string() }),
  z.object({ type: z.literal('group'), groupId: z.string(), userId: z.string() }),
  z.object({ type: z.literal('room'), roomId: z.string(), userId: z.string() }),
])
const mentionee = z.object({ index: z.number(), length: z.number(), isSelf: z.boolean().optional() })
const event = z.object({
  type: z.string(),
  /** `standby`: another module of the account answers. */
  mode: z.string().optional(),
  timestamp: z.number(),
  webhookEventId: z.string(),
  source,
  message: z
    .object({
      id: z.string(),
      type: z.string(),
      text: z.string().optional(),
      mention: z.object({ mentionees: z.array(mentionee) }).optional(),
      quotedMessageId: z.string().optional(),
      fileName: z.string().optional(),
      fileSize: z.number().optional(),
      contentProvider: z.object({ type: z.string() }).optional(),
    })
    .optional(),
  postback: z.object({ data: z.string() }).optional(),
})
type Event = z.infer<typeof event>
const call = z.object({ destination: z.string(), events: z.array(z.unknown()) })

const ENDINGS: Readonly<Record<string, readonly [ending: string, mediaType: string]>> = {
  image: ['jpg', 'image/jpeg'],
  video: ['mp4', 'video/mp4'],
  audio: ['m4a', 'audio/mp4'],
}

/** Undefined if it is no call of LINE to this account. Events of other kinds, such as `follow`, need no answer. */
export function readEvents(body: Uint8Array, own: string): readonly Omit<InboundMessage, 'platform'>[] | undefined {
  const read = call.safeParse(tryParseJson(Buffer.from(body).toString('utf8'))?.value)
  if (!read.success || read.data.destination !== own) return undefined
  return read.data.events.flatMap((each) => {
    const known = event.safeParse(each)
    const message = known.success && known.data.mode !== 'standby' ? readEvent(known.data) : undefined
    return message ? [message] : []
  })
}

function readEvent({ type, source, timestamp, webhookEventId, message, postback }: Event) {
  const origin = { ...readOrigin(source), userId: source.userId, at: timestamp }
  if (type === 'postback' && postback) {
    const [press = '', label = press] = postback.data.split('\n')
    return { ...origin, messageId: webhookEventId, text: label, press }
  }
  if (type !== 'message' || !message) return undefined
  const { id: messageId, quotedMessageId } = message
  const quote = quotedMessageId === undefined ? {} : { quote: { messageId: quotedMessageId } }
  const file = readFile(message)
  if (file) return { ...origin, ...quote, messageId, text: '', files: [file] }
  if (message.type !== 'text') return undefined
  const { text, isMention } = withoutMention(message)
  return { ...origin, ...quote, messageId, text, ...(isMention && { isMention }) }
}

function readOrigin(from: Event['source']): { readonly chatId: string; readonly chatKind?: 'group' } {
  if (from.type === 'user') return { chatId: from.userId }
  return { chatId: from.type === 'group' ? from.groupId : from.roomId, chatKind: 'group' }
}

/** The name of the account is how it is addressed, and no part of what was said. */
function withoutMention({ text = '', mention }: NonNullable<Event['message']>) {
  const own = mention?.mentionees.filter(({ isSelf }) => isSelf === true) ?? []
  const cut = own
    .toSorted((one, two) => two.index - one.index)
    .reduce((rest, { index, length }) => rest.slice(0, index) + rest.slice(index + length), text)
  return { text: own.length > 0 ? cut.trim() : text, isMention: own.length > 0 }
}

function readFile({
  id,
  type,
  fileName,
  fileSize,
  contentProvider,
}: NonNullable<Event['message']>): InboundFile | undefined {
  // Content of others is at an address that a stranger chose.
  if (contentProvider && contentProvider.type !== 'line') return undefined
  if (type === 'file') return { ref: id, name: fileName ?? id, ...(fileSize !== undefined && { size: fileSize }) }
  const [ending, mediaType] = ENDINGS[type] ?? []
  if (ending === undefined || mediaType === undefined) return undefined
  return { ref: id, name: `${type}-${id}.${ending}`, mediaType, ...(type === 'audio' && { isVoice: true }) }
}
