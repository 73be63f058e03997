/** From Zulip's messages to what the gateway takes (zulip.com/api/get-events#message). */
import type { DescribedMessage } from 'svc/sdk/kit/platform'
import type { ChatType } from 'svc/sdk/platform'
import type { Account } from './account.ts'
import { toChannelChatId, toDirectChatId } from './chats.ts'
import type { ZulipMessage } from './queue.ts'
import { takeFiles } from './uploads.ts'

/** How clients quote: who said it, a link to the message, and its words between fences. */
const QUOTE =
  /^\s*@_\*\*[^*\n]*\|(?<user>\d+)\*\* \[[^\]\n]*\]\(\S*\/near\/(?<id>\d+)\):?\n(?<fence>`{3,})quote\n(?<said>[\s\S]*?)\n\k<fence>[ \t]*(?:\n|$)/

/** Undefined for its own words, and for what says nothing. */
export function toInbound(
  message: ZulipMessage,
  { account, address, isBot }: { readonly account: Account; readonly address: string; readonly isBot: boolean },
): DescribedMessage | undefined {
  if (isOwn(message, account)) return undefined
  const { content, sender_full_name: userName } = message
  const quote = QUOTE.exec(content)?.groups
  const { text, files } = takeFiles(content.replace(QUOTE, ''), address)
  if (!text.trim() && files.length === 0) return undefined
  const isAnswer = Number(quote?.['user']) === account.id
  return {
    ...readPlace(message, account),
    ...{ userId: String(message.sender_id), messageId: String(message.id), at: message.timestamp * 1000 },
    text: withoutMention(text, account),
    ...(userName && { userName }),
    ...(isBot && { isBot }),
    ...((isAnswer || message.flags?.includes('mentioned')) && { isMention: true }),
    ...(quote && { quote: { messageId: quote['id'] ?? '', text: quote['said'] ?? '' } }),
    ...(files.length > 0 && { files }),
  }
}

export function isOwn(message: ZulipMessage, account: Account): boolean {
  return message.sender_id === account.id
}

function readPlace(
  { stream_id, subject, display_recipient: recipients }: ZulipMessage,
  account: Account,
): Pick<DescribedMessage, 'chatId' | 'threadId' | 'chatName'> & { readonly chatKind: ChatType } {
  if (typeof recipients === 'string')
    return {
      ...{ chatId: toChannelChatId(stream_id ?? 0), chatKind: 'channel', chatName: recipients },
      ...(subject && { threadId: subject }),
    }
  const others = recipients.map(({ id }) => id).filter((id) => id !== account.id)
  return { chatId: toDirectChatId(others), chatKind: others.length > 1 ? 'group' : 'dm' }
}

/** The name of the account in front is how it is addressed, and no part of what was said. */
function withoutMention(text: string, { id, name }: Account): string {
  const known = name.replace(/[.\\+*?^$()[\]{}|]/g, '\\$&')
  return text.replace(new RegExp(`^\\s*@\\*\\*(?:${known}(?:\\|${id})?|[^*\\n|]*\\|${id})\\*\\*[\\s,:]*`, 'iu'), '')
}
