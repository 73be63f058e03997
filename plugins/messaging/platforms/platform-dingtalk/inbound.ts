/** From what the stream says of a message to a robot (open.dingtalk.com/document/orgapp/receive-message). */
import type { InboundFile, InboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'

const text = z.string().nullish().catch(undefined)

const richPart = z.object({ text, type: text, downloadCode: text })

const botMessage = z.object({
  msgId: z.string().min(1),
  msgtype: text,
  conversationId: z.string().min(1),
  conversationType: z.coerce.string(),
  conversationTitle: text,
  senderId: text,
  senderStaffId: text,
  senderNick: text,
  senderCorpId: text,
  chatbotUserId: text,
  robotCode: text,
  isInAtList: z.boolean().nullish().catch(undefined),
  createAt: z.coerce.number().optional().catch(undefined),
  sessionWebhook: text,
  sessionWebhookExpiredTime: z.coerce.number().optional().catch(undefined),
  text: z.object({ content: text }).nullish().catch(undefined),
  content: z
    .object({
      downloadCode: text,
      recognition: text,
      fileName: text,
      richText: z.array(richPart).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
})
export type BotMessage = z.infer<typeof botMessage>

/** Undefined if it is not a message. */
export function readBotMessage(value: unknown): BotMessage | undefined {
  const read = botMessage.safeParse(value)
  return read.success ? read.data : undefined
}

/**
 * A person is the user id in the company, or who has none the encrypted id. That is the chat with them, too: the API
 * sends to people, not to conversations with them.
 */
function findSenderId({ senderStaffId, senderId }: BotMessage): string | undefined {
  return senderStaffId || senderId || undefined
}

/** The id of the chat that a message is in. */
export function findChatId(message: BotMessage): string | undefined {
  return message.conversationType === '1' ? findSenderId(message) : message.conversationId
}

/** A group is identified by its conversation. */
export function isGroup(chatId: string): boolean {
  return chatId.startsWith('cid')
}

/** Undefined for what says nothing to the robot. */
export function toInbound(message: BotMessage): InboundMessage | undefined {
  const userId = findSenderId(message)
  const chatId = findChatId(message)
  if (!userId || !chatId || message.senderId === message.chatbotUserId) return undefined
  const words = readText(message).trim()
  const files = listFiles(message)
  if (words === '' && files.length === 0) return undefined
  const { conversationTitle, conversationType, senderCorpId, senderNick, createAt } = message
  return {
    platform: 'dingtalk',
    chatId,
    userId,
    messageId: message.msgId,
    text: words,
    chatKind: conversationType === '1' ? 'dm' : 'group',
    isMention: message.isInAtList ?? false,
    ...(senderNick && { userName: senderNick }),
    ...(senderCorpId && { scopeId: senderCorpId }),
    ...(conversationTitle && { chatName: conversationTitle }),
    ...(createAt !== undefined && { at: createAt }),
    ...(files.length > 0 && { files }),
  }
}

/** Speech comes with what DingTalk understood of it. */
function readText({ msgtype, text: said, content }: BotMessage): string {
  if (msgtype === 'richText') return (content?.richText ?? []).map((part) => part.text ?? '').join('')
  if (msgtype === 'audio') return content?.recognition ?? ''
  return said?.content ?? ''
}

function listFiles(message: BotMessage): InboundFile[] {
  const { msgtype, content, msgId } = message
  if (msgtype === 'richText')
    return (content?.richText ?? []).flatMap(({ downloadCode }, at) =>
      downloadCode ? [{ ref: downloadCode, name: `picture-${at + 1}.png`, mediaType: 'image/png' }] : [],
    )
  const ref = content?.downloadCode
  if (!ref) return []
  if (msgtype === 'picture') return [{ ref, name: 'picture.png', mediaType: 'image/png' }]
  const isTranscribed = content.recognition ? ({ isTranscribed: true } as const) : {}
  if (msgtype === 'audio') return [{ ref, name: 'speech.amr', mediaType: 'audio/amr', isVoice: true, ...isTranscribed }]
  return [{ ref, name: content.fileName || `file-${msgId}` }]
}
