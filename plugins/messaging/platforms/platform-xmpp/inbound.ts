/** What a message says (RFC 6121, 5). */
import { createHash } from 'node:crypto'
import type { InboundFile, InboundMessage } from 'svc/sdk/platform'
import { DELAY, FILE_ADDRESS, REPLY, STANZA_ID } from './namespaces.ts'
import { type Rooms, splitJid } from './rooms.ts'
import type { Stanza } from './session.ts'

export interface InboundContext {
  /** Of the account. */
  readonly jid: string
  readonly rooms: Pick<Rooms, 'has' | 'nickIn' | 'userOf'>
  /** From an archive, where it has this id. */
  readonly archived?: { readonly id: string; readonly at: number | undefined }
}

const FALLBACK = 'urn:xmpp:fallback:0'

/** Undefined for what is no message of a person to the account, such as its own words and notes that a person writes. */
export function readMessage(message: Stanza, context: InboundContext): InboundMessage | undefined {
  const type = String(message.attrs['type'] ?? 'normal')
  const content = readContent(message)
  if (!content || !['groupchat', 'chat', 'normal'].includes(type)) return undefined
  const origin = type === 'groupchat' ? readInRoom(message, context) : readDirect(message, context)
  if (!origin) return undefined
  const at = context.archived?.at ?? Date.parse(String(message.getChild('delay', DELAY)?.attrs['stamp']))
  const quoted = message.getChild('reply', REPLY)?.attrs['id']
  const { own, ...where } = origin
  const { text, isMention } = withoutName(content.text, own)
  return {
    ...{ ...content, ...where, platform: 'xmpp', text },
    ...(isMention && { isMention }),
    ...(Number.isFinite(at) && { at }),
    ...(quoted !== undefined && { quote: { messageId: String(quoted) } }),
  }
}

type Origin = Pick<InboundMessage, 'chatId' | 'chatKind' | 'userId' | 'userName' | 'messageId'> & {
  /** The name of the account there; empty in a direct message. */
  readonly own: string
}

function readDirect(message: Stanza, { jid, rooms, archived }: InboundContext): Origin | undefined {
  const [chatId] = splitJid(String(message.attrs['from'] ?? jid))
  // A person in a room, whose name is no identity; and own words on another device.
  if (rooms.has(chatId) || chatId === jid) return undefined
  const messageId = givenId(message) ?? archived?.id ?? readArchiveId(message, jid) ?? createId(message)
  return { chatId, userId: chatId, messageId, own: '' }
}

function readInRoom(message: Stanza, { jid, rooms, archived }: InboundContext): Origin | undefined {
  const [chatId, userName] = splitJid(String(message.attrs['from'] ?? jid))
  const own = rooms.nickIn(chatId)
  if (!rooms.has(chatId) || userName === '' || userName === own) return undefined
  const messageId = archived?.id ?? readArchiveId(message, chatId) ?? givenId(message) ?? createId(message)
  const userId = rooms.userOf(chatId, userName, message, archived !== undefined)
  return { chatId, chatKind: 'group', userId, userName, messageId, own }
}

function givenId(message: Stanza): string | undefined {
  return message.attrs['id'] as string | undefined
}

/** The id under which this archive has the message. */
export function readArchiveId(message: Stanza, archive: string): string | undefined {
  const own = message.getChildren('stanza-id', STANZA_ID).find(({ attrs }) => attrs['by'] === archive)
  return own?.attrs['id'] as string | undefined
}

function readContent(message: Stanza): { readonly text: string; readonly files?: readonly InboundFile[] } | undefined {
  const body = withoutFallback(message, message.getChildText('body') ?? '')
  const address = message.getChild('x', FILE_ADDRESS)?.getChildText('url') ?? undefined
  if (address === undefined || !URL.canParse(address)) return body.trim() === '' ? undefined : { text: body }
  const name = decodeName(new URL(address).pathname)
  return { text: body === address ? '' : body, files: [{ ref: address, name }] }
}

function decodeName(path: string): string {
  const last = path.split('/').at(-1) || 'file'
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** What was quoted stands in front for clients that show no replies (XEP-0428). */
function withoutFallback(message: Stanza, body: string): string {
  const part = message
    .getChildren('fallback', FALLBACK)
    .find(({ attrs }) => attrs['for'] === REPLY)
    ?.getChild('body')
  const [start, end] = [Number(part?.attrs['start']), Number(part?.attrs['end'])]
  if (!part || !(start >= 0) || !(end >= start)) return body
  const signs = [...body]
  return [...signs.slice(0, start), ...signs.slice(end)].join('')
}

/** The name in front is how the account is addressed, and no part of what was said. */
function withoutName(text: string, nick: string): { readonly text: string; readonly isMention: boolean } {
  const name = nick.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  if (nick === '' || !new RegExp(`(?<![\\p{L}\\p{N}_])${name}(?![\\p{L}\\p{N}_])`, 'iu').test(text))
    return { text, isMention: false }
  return { text: text.replace(new RegExp(`^@?${name}[:,]?\\s+`, 'iu'), ''), isMention: true }
}

/** Of a message without any id: the same for the same message. */
function createId(message: Stanza): string {
  return createHash('sha256').update(message.toString()).digest('hex').slice(0, 32)
}
