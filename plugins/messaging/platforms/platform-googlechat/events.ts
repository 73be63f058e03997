/** Interaction events (developers.google.com/workspace/chat/api/reference/rest/v1/Event). */
import type { DescribedMessage } from 'svc/sdk/kit/platform'
import { z } from 'zod'

const user = z.object({ name: z.string(), displayName: z.string().optional(), type: z.string().optional() })
const attachment = z.object({
  contentName: z.string().optional(),
  contentType: z.string().optional(),
  source: z.string().optional(),
  attachmentDataRef: z.object({ resourceName: z.string() }).optional(),
})
const message = z.object({
  name: z.string(),
  text: z.string().optional(),
  argumentText: z.string().optional(),
  createTime: z.string().optional(),
  thread: z.object({ name: z.string() }).optional(),
  threadReply: z.boolean().optional(),
  attachment: z.array(attachment).optional(),
  quotedMessageMetadata: z.object({ name: z.string() }).optional(),
})
const event = z.object({
  type: z.string(),
  eventTime: z.string().optional(),
  space: z.object({ name: z.string(), type: z.string().optional(), spaceType: z.string().optional() }),
  user,
  message: message.optional(),
  common: z.object({ parameters: z.record(z.string(), z.string()).optional() }).optional(),
})
type Event = z.infer<typeof event>

const PRESSED = 'CARD_CLICKED'

/** Undefined if the value is not an event. Events other than messages, such as the app being added, give an empty list. */
export function readEvent(value: unknown): readonly DescribedMessage[] | undefined {
  const read = event.safeParse(value)
  if (!read.success) return undefined
  const { type, message: said } = read.data
  if (!said || (type !== 'MESSAGE' && type !== PRESSED)) return []
  return [type === PRESSED ? readPress(read.data, said) : readMessage(read.data, said)]
}

function readOrigin({ space, user: from, eventTime }: Event, said: z.infer<typeof message>) {
  const isDirect = space.spaceType === 'DIRECT_MESSAGE' || space.type === 'DM'
  const thread = said.thread?.name.split('/threads/')[1]
  const at = Date.parse(eventTime ?? '')
  return {
    ...{ chatId: space.name, userId: from.name },
    ...(!isDirect && { chatKind: 'group' as const }),
    // Spaces without threads have one for each message, too, which says nothing.
    ...(!isDirect && thread !== undefined && said.threadReply === true && { threadId: thread }),
    ...(from.displayName !== undefined && { userName: from.displayName }),
    ...(from.type === 'BOT' && { isBot: true }),
    ...(Number.isFinite(at) && { at }),
  }
}

/** In a space an app is told only of what addresses it; `argumentText` has no mention of it. */
function readMessage(all: Event, said: z.infer<typeof message>): DescribedMessage {
  const files = (said.attachment ?? []).flatMap(({ contentName, contentType, attachmentDataRef: data }) =>
    data
      ? [
          {
            ref: data.resourceName,
            name: contentName ?? 'file',
            ...(contentType !== undefined && { mediaType: contentType }),
          },
        ]
      : [],
  )
  const origin = readOrigin(all, said)
  const quote = said.quotedMessageMetadata?.name
  return {
    ...origin,
    ...{ messageId: said.name, text: (said.argumentText ?? said.text ?? '').trim() },
    ...('chatKind' in origin && { isMention: true }),
    ...(files.length > 0 && { files }),
    ...(quote !== undefined && { quote: { messageId: quote } }),
  }
}

function readPress(all: Event, said: z.infer<typeof message>): DescribedMessage {
  const { press = '', label = press } = all.common?.parameters ?? {}
  const messageId = `${said.name}:${all.user.name}:${all.eventTime ?? ''}:${press}`
  return { ...readOrigin(all, said), messageId, text: label, press }
}
