/** The chat of Twitch: IRC over a WebSocket, with tags (dev.twitch.tv/docs/chat/irc). */
import { type IrcMessage, parseIrcLine } from 'svc/sdk/kit/text'
import { deliveryBusy, deliveryRefused, type InboundMessage } from 'svc/sdk/platform'

export interface ChatAccount {
  readonly id: string
  readonly login: string
}

/** What a line asks of us: to answer it, or to hand over a message. */
export interface ChatStep {
  readonly reply?: string
  /** A channel was joined, or something was said. */
  readonly messages?: readonly Omit<InboundMessage, 'platform'>[]
}

export function login(token: string, account: ChatAccount): string {
  return `CAP REQ :twitch.tv/tags twitch.tv/commands\r\nPASS oauth:${token}\r\nNICK ${account.login}\r\n`
}

export function listLines(text: string): readonly IrcMessage[] {
  return text.split('\r\n').flatMap((line) => parseIrcLine(line) ?? [])
}

/** Throws when the connection is of no use any more. */
export function takeStep(line: IrcMessage, account: ChatAccount, channels: readonly string[]): ChatStep {
  const { command, params } = line
  if (command === 'PING') return { reply: `PONG :${params[0] ?? ''}\r\n` }
  if (command === '001') return { reply: `JOIN ${channels.map((name) => `#${name}`).join(',')}\r\n` }
  if (command === 'RECONNECT') throw deliveryBusy('PLATFORM_UNREACHABLE', 'Twitch asks to connect again.')
  if (command === 'NOTICE' && params[0] === '*')
    throw deliveryRefused('PLATFORM_UNAUTHORIZED', `Twitch does not let the account into the chat: ${params[1] ?? ''}.`)
  if (command === 'ROOMSTATE') return { messages: [] }
  if (command !== 'PRIVMSG') return {}
  const message = toInbound(line, account)
  return message ? { messages: [message] } : {}
}

/** Undefined for the own words, and for a line without ids. */
function toInbound({ tags, params }: IrcMessage, account: ChatAccount): Omit<InboundMessage, 'platform'> | undefined {
  const [messageId, chatId, userId] = ['id', 'room-id', 'user-id'].map((name) => tags.get(name))
  if (!messageId || !chatId || !userId || userId === account.id) return undefined
  const [, action] = /^\u0001ACTION (.*)\u0001$/.exec(params[1] ?? '') ?? []
  const said = withoutName(action ?? params[1] ?? '', account.login)
  const [quoted, at, name] = ['reply-parent-msg-id', 'tmi-sent-ts', 'display-name'].map((each) => tags.get(each))
  const isReplyToUs = tags.get('reply-parent-user-id') === account.id
  return {
    ...{ chatId, chatKind: 'group', userId, messageId, text: said.text },
    ...((said.isMention || isReplyToUs) && { isMention: true }),
    ...(name && { userName: name }),
    ...(params[0] && { chatName: params[0] }),
    ...(quoted && { quote: { messageId: quoted } }),
    ...(Number(at) > 0 && { at: Number(at) }),
  }
}

/** The name of the account in front is how it is addressed, and no part of what was said. */
function withoutName(text: string, login: string): { readonly text: string; readonly isMention: boolean } {
  const name = new RegExp(`@${login}\\b[,:]?`, 'i')
  if (!name.test(text)) return { text, isMention: false }
  return { text: text.replace(new RegExp(`^${name.source}\\s*`, 'i'), ''), isMention: true }
}
