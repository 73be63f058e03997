/** From an envelope of signal-cli to a message. */
import type { InboundFile, InboundMessage } from 'svc/sdk/platform'
import { messageId } from './chat.ts'
import type { Attachment, DataMessage, Envelope } from './envelope.ts'

/** The placeholder of a mention in a text. */
const MENTIONED = '\ufffc'

/** The names of the account. The account id is learnt from messages. */
export interface Self {
  readonly account: string
  id?: string
}

/** Undefined for what is not a message to the agent. */
export function toInbound(
  envelope: Envelope,
  self: Self,
  options: { readonly noteToSelf: boolean },
): InboundMessage | undefined {
  const author = envelope.sourceUuid ?? envelope.sourceNumber ?? envelope.source
  if (!author) return undefined
  const isOwn = isSelf(self, envelope.sourceUuid, envelope.sourceNumber)
  if (isOwn && envelope.sourceUuid) self.id = envelope.sourceUuid
  const data = isOwn ? ownNote(envelope, self, options) : envelope.dataMessage
  // Reactions, deletions and answers to stories are data messages, too.
  if (!data || data.reaction || data.remoteDelete || data.storyContext) return undefined
  return toInboundMessage(data, { author, envelope, self })
}

function ownNote(
  { syncMessage }: Envelope,
  self: Self,
  { noteToSelf }: { readonly noteToSelf: boolean },
): DataMessage | undefined {
  const sent = syncMessage?.sentMessage
  if (!noteToSelf || !sent || sent.groupInfo) return undefined
  return isSelf(self, sent.destinationUuid, sent.destinationNumber) ? sent : undefined
}

function toInboundMessage(
  data: DataMessage,
  { author, envelope, self }: { readonly author: string; readonly envelope: Envelope; readonly self: Self },
): InboundMessage | undefined {
  const group = data.groupInfo
  const chatId = group?.groupId ?? author
  const files = (data.attachments ?? []).map((each) => toInboundFile(each, chatId))
  const text = readText(data, self)
  if (text === '' && files.length === 0) return undefined
  const { quote } = data
  const quoted = quote?.authorUuid ?? quote?.authorNumber ?? quote?.author
  const isAnswer = quote ? isSelf(self, quote.authorUuid, quote.authorNumber ?? quote.author) : false
  const isNamed = (data.mentions ?? []).some(({ uuid, number }) => isSelf(self, uuid, number))
  return {
    platform: 'signal',
    chatId,
    userId: author,
    messageId: messageId(data.timestamp, author),
    text,
    chatKind: group ? 'group' : 'dm',
    isMention: isNamed || isAnswer,
    at: data.timestamp,
    ...(envelope.sourceName && { userName: envelope.sourceName }),
    ...(group?.groupName && { chatName: group.groupName }),
    ...(files.length > 0 && { files }),
    ...(quote &&
      quoted && { quote: { messageId: messageId(quote.id, quoted), ...(quote.text && { text: quote.text }) } }),
  }
}

function isSelf(self: Self, id: string | null | undefined, number: string | null | undefined): boolean {
  return [id, number].some((name) => name && (name === self.account || name === self.id))
}

/** With the names of those who are mentioned, except the agent's own. */
function readText({ message, mentions }: DataMessage, self: Self): string {
  let text = message ?? ''
  for (const { start, length, name, number, uuid } of [...(mentions ?? [])].sort((a, b) => b.start - a.start)) {
    if (!text.slice(start, start + length).includes(MENTIONED)) continue
    const who = isSelf(self, uuid, number) ? '' : `@${name ?? number ?? uuid ?? ''}`
    text = text.slice(0, start) + who + text.slice(start + length)
  }
  return text.trim()
}

/** `getAttachment` wants to know the chat, too. A file of sound without a name was recorded. */
function toInboundFile({ id, contentType, filename, size }: Attachment, chatId: string): InboundFile {
  return {
    ref: JSON.stringify([chatId, id]),
    name: filename ?? id,
    ...(contentType && { mediaType: contentType }),
    ...(size !== null && size !== undefined && { size }),
    ...(contentType?.startsWith('audio/') && !filename && { isVoice: true }),
  }
}
