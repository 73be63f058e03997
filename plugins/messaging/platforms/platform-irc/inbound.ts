/** From a line to a message. */
import type { Random } from 'svc/sdk'
import { type IrcMessage, parseIrcNickname } from 'svc/sdk/kit/text'
import type { InboundMessage } from 'svc/sdk/platform'
import type { IrcClient } from './client.ts'
import type { People } from './people.ts'
import { parseAddressed, parseCtcp, withoutStyle } from './text.ts'

/** Ids of messages to which the server gave none. */
export const LOCAL = 'local-'

/** Whether the message is sent to svc or to a channel of svc. */
export function isAddressed({ command, prefix, params }: IrcMessage, client: IrcClient): boolean {
  const [target = ''] = params
  const isHere = client.isChannel(target) || client.isOwn(target)
  return command === 'PRIVMSG' && prefix.includes('!') && !client.isOwn(parseIrcNickname(prefix)) && isHere
}

/** Undefined for messages without text. */
export function toInbound(
  message: IrcMessage,
  { client, people, random }: { readonly client: IrcClient; readonly people: People; readonly random: Random },
): InboundMessage | undefined {
  const [target = '', raw = ''] = message.params
  const nick = parseIrcNickname(message.prefix)
  const ctcp = parseCtcp(raw)
  if (!isAddressed(message, client) || (ctcp && ctcp.command !== 'ACTION')) return undefined
  const words = withoutStyle(ctcp ? `* ${nick} ${ctcp.argument}` : raw)
  const { isMention, text } = parseAddressed(words, client.names)
  if (!text.trim()) return undefined
  const isChannel = client.isChannel(target)
  const userId = people.getSenderId(message)
  return {
    platform: 'irc',
    chatId: isChannel ? client.fold(target) : userId,
    chatKind: isChannel ? 'channel' : 'dm',
    userId,
    userName: nick,
    text,
    isMention,
    messageId: message.tags.get('msgid') ?? `${LOCAL}${random.hex(8)}`,
    ...readTagDetails(message, isChannel ? target : undefined),
  }
}

/** What tags say (ircv3.net/specs/extensions/server-time, client-tags/reply, bot-mode). */
function readTagDetails({ tags }: IrcMessage, chatName: string | undefined): Partial<InboundMessage> {
  const at = Date.parse(tags.get('time') ?? '')
  const quoted = tags.get('+reply') ?? tags.get('+draft/reply')
  return {
    ...(chatName !== undefined && { chatName }),
    ...(Number.isFinite(at) && { at }),
    ...(quoted && { quote: { messageId: quoted } }),
    ...(tags.has('bot') && { isBot: true }),
  }
}
