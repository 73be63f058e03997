/** Messages as simplex-chat gives them (github.com/simplex-chat/simplex-chat/blob/stable/bots/api/TYPES.md). */
import type { InboundFile, InboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'

const contact = z.object({
  contactId: z.number().int(),
  localDisplayName: z.string().catch(''),
  profile: z
    .looseObject({ peerType: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
})
const chatInfo = z.discriminatedUnion('type', [
  z.object({ type: z.literal('direct'), contact }),
  z.object({
    type: z.literal('group'),
    groupInfo: z.object({
      groupId: z.number().int(),
      localDisplayName: z.string().catch(''),
      membership: z.looseObject({ memberId: z.string() }).optional().catch(undefined),
    }),
  }),
])
const member = z.object({
  memberId: z.string().min(1),
  localDisplayName: z.string().catch(''),
  memberContactId: z.number().int().nullish(),
  memberProfile: z
    .looseObject({ peerType: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
})
const direction = z.object({ type: z.string(), groupMember: member.optional() })
const file = z.object({ fileId: z.number().int(), fileName: z.string(), fileSize: z.number() })
const chatItem = z.object({
  chatDir: direction,
  meta: z.object({
    itemId: z.number().int(),
    itemTs: z.string().optional(),
    userMention: z.boolean().optional(),
  }),
  content: z.object({
    type: z.string(),
    msgContent: z.looseObject({ type: z.string(), text: z.string().catch('') }).optional(),
  }),
  mentions: z
    .record(z.string(), z.looseObject({ memberId: z.string().optional() }))
    .optional()
    .catch(undefined),
  quotedItem: z.object({ itemId: z.number().int().nullish(), chatDir: direction.nullish() }).nullish(),
  file: file.nullish(),
})
const item = z.object({ chatInfo, chatItem })
export type ChatItem = z.infer<typeof chatItem>
export type Item = z.infer<typeof item>
type Info = z.infer<typeof chatInfo>

/** Events and lists have kinds of chats and messages that svc does not know: those are left out. */
export function readItems(values: unknown): readonly Item[] {
  return Array.isArray(values) ? values.flatMap((value) => item.safeParse(value).data ?? []) : []
}

/** Of one chat, oldest first; its messages lack what is said about the chat. */
export function readChat(value: unknown): readonly Item[] {
  const chat = z.object({ chatInfo, chatItems: z.array(z.unknown()) }).safeParse(value).data
  return chat ? readItems(chat.chatItems.map((each) => ({ chatInfo: chat.chatInfo, chatItem: each }))) : []
}

export function createChatId(info: Info): string {
  return info.type === 'direct' ? `@${info.contact.contactId}` : `#${info.groupInfo.groupId}`
}

/** Undefined for what no person wrote. */
export function toInbound({ chatInfo: info, chatItem: each }: Item): InboundMessage | undefined {
  const { chatDir, meta, content, quotedItem } = each
  const sender = readSender(info, chatDir)
  if (!sender || content.type !== 'rcvMsgContent' || !content.msgContent) return undefined
  const { type } = content.msgContent
  const text = withoutOwnName(content.msgContent.text, info, each.mentions)
  const files = each.file ? [toFile(each.file, type === 'voice')] : []
  if (text.trim() === '' && files.length === 0) return undefined
  const at = Date.parse(meta.itemTs ?? '')
  const isOwnQuoted = quotedItem?.chatDir?.type === 'groupSnd'
  return {
    ...{ platform: 'simplex', chatId: createChatId(info), messageId: String(meta.itemId), text, ...sender },
    ...(info.type === 'group' && { chatKind: 'group' as const, chatName: info.groupInfo.localDisplayName }),
    ...((meta.userMention || isOwnQuoted) && { isMention: true }),
    ...(quotedItem?.itemId != null && { quote: { messageId: String(quotedItem.itemId) } }),
    ...(files.length > 0 && { files }),
    ...(Number.isFinite(at) && { at }),
  }
}

/** The own name in front is how the account is addressed, and no part of what was said. */
function withoutOwnName(text: string, info: Info, mentions: ChatItem['mentions'] = {}): string {
  const own = info.type === 'group' ? info.groupInfo.membership?.memberId : undefined
  const name = Object.entries(mentions).find(([, { memberId }]) => own !== undefined && memberId === own)?.[0]
  const front = name === undefined ? undefined : [`@${name} `, `@'${name}' `].find((each) => text.startsWith(each))
  return front === undefined ? text : text.slice(front.length).trimStart()
}

function readSender(info: Info, { type, groupMember }: ChatItem['chatDir']) {
  if (info.type === 'direct' && type === 'directRcv') {
    const { localDisplayName: userName, profile } = info.contact
    return { userId: createChatId(info), userName, ...(profile?.peerType === 'bot' && { isBot: true }) }
  }
  if (info.type !== 'group' || type !== 'groupRcv' || !groupMember) return undefined
  const { memberContactId: id, memberId, localDisplayName: userName, memberProfile } = groupMember
  const userId = id == null ? `${createChatId(info)}/${memberId}` : `@${id}`
  return { userId, userName, ...(memberProfile?.peerType === 'bot' && { isBot: true }) }
}

function toFile({ fileId, fileName, fileSize }: z.infer<typeof file>, isVoice: boolean): InboundFile {
  return { ref: String(fileId), name: fileName, size: fileSize, ...(isVoice && { isVoice: true }) }
}
