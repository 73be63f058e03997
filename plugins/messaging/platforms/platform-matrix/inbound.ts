/** From an event of a room to a message (spec.matrix.org/latest/client-server-api, m.room.message and its relations). */
import type { InboundFile, InboundMessage } from 'svc/sdk/platform'
import type { Self } from './account.ts'
import { createPress, findChoice, getAnnotatedId } from './choices.ts'
import { joinReference, readFileKey } from './encryption/attachments.ts'
import type { RoomEvent } from './events.ts'
import type { Rooms } from './rooms.ts'

type Content = Readonly<Record<string, unknown>>

const FILES = ['m.image', 'm.file', 'm.audio', 'm.video']
const TEXTS = ['m.text', 'm.emote', 'm.location']

/** How messages are read. */
export interface InboundOptions {
  readonly self: Self
  readonly rooms: Rooms
  /** Whether a message to the agent in a room of several begins a thread there. */
  beginsThread?(roomId: string): boolean
}

/** A person selected a choice of one of our messages by a reaction. */
async function takenChoice(
  roomId: string,
  event: RoomEvent,
  { self, rooms }: Pick<InboundOptions, 'self' | 'rooms'>,
): Promise<InboundMessage | undefined> {
  const { event_id: messageId, sender: userId, origin_server_ts: at } = event
  const targetId = getAnnotatedId(event)
  if (targetId === undefined || !messageId || userId === self.userId) return undefined
  const target = await rooms.message(roomId, targetId)
  const choice = findChoice(event, target, self.userId)
  if (!choice || !target) return undefined
  const { isDirect, name } = await rooms.look(roomId, self.userId)
  const place = { platform: 'matrix', chatId: roomId, userId, messageId, chatKind: isDirect ? 'dm' : 'group' } as const
  return {
    ...place,
    ...createPress(choice, targetId),
    ...(name && { chatName: name }),
    ...(at !== undefined && { at }),
    ...readThread(target.content),
  }
}

/** Undefined for events that are not messages to the agent: state, own messages, notices of bots, edits, redactions. */
export async function toInbound(
  roomId: string,
  event: RoomEvent,
  { self, rooms, beginsThread }: InboundOptions,
): Promise<InboundMessage | undefined> {
  if (event.type === 'm.reaction') return takenChoice(roomId, event, { self, rooms })
  const { event_id: messageId, sender: userId, content } = event
  if (event.type !== 'm.room.message' || event.state_key !== undefined || !messageId) return undefined
  if (userId === self.userId || getRelation(content).rel_type === 'm.replace') return undefined
  const files = listFiles(content)
  const text = readText(content, self)
  if (text === '' && files.length === 0) return undefined
  const { isDirect, name } = await rooms.look(roomId, self.userId)
  const quotedId = findQuoteId(content)
  const quoted = quotedId === undefined ? undefined : await rooms.message(roomId, quotedId)
  const isMention = isMentioned(content, self) || quoted?.sender === self.userId
  const begins = isMention && !isDirect && !text.startsWith('!') && beginsThread?.(roomId)
  return {
    platform: 'matrix',
    chatId: roomId,
    userId,
    messageId,
    text,
    chatKind: isDirect ? 'dm' : 'group',
    isMention,
    ...(begins && { threadId: messageId }),
    ...(name && { chatName: name }),
    ...(files.length > 0 && { files }),
    ...(event.origin_server_ts !== undefined && { at: event.origin_server_ts }),
    ...readThread(content),
    ...createQuote(quotedId, quoted),
  }
}

function createQuote(messageId: string | undefined, quoted: RoomEvent | undefined): Pick<InboundMessage, 'quote'> {
  if (messageId === undefined) return {}
  const text = quoted && readBodyText(quoted.content)
  return { quote: { messageId, ...(text && { text }) } }
}

interface Relation {
  readonly rel_type?: unknown
  readonly event_id?: unknown
  readonly is_falling_back?: unknown
  readonly 'm.in_reply_to'?: { readonly event_id?: unknown } | null
}

function getRelation(content: Content): Relation {
  const relation = content['m.relates_to']
  return typeof relation === 'object' && relation !== null ? relation : {}
}

function readThread(content: Content): Pick<InboundMessage, 'threadId'> {
  const { rel_type, event_id } = getRelation(content)
  return rel_type === 'm.thread' && typeof event_id === 'string' ? { threadId: event_id } : {}
}

/** In a thread a reply may stand only for clients without threads. */
function findQuoteId(content: Content): string | undefined {
  const { is_falling_back, 'm.in_reply_to': reply } = getRelation(content)
  const id = reply?.event_id
  return typeof id === 'string' && is_falling_back !== true ? id : undefined
}

/** What was said, without the words of another that old clients put before a reply. */
function readBodyText(content: Content): string {
  const body = typeof content['body'] === 'string' ? content['body'] : ''
  return findQuoteId(content) === undefined ? body : body.replace(/^(?:> .*\n)+\n?/, '')
}

function readText(content: Content, self: Self): string {
  const kind = content['msgtype']
  const body = readBodyText(content)
  if (typeof kind !== 'string') return ''
  // A body is a caption only beside the name of the file.
  if (FILES.includes(kind)) {
    const name = content['filename']
    return typeof name === 'string' && name !== body ? body.trim() : ''
  }
  if (!TEXTS.includes(kind)) return ''
  const words = withoutAddress(body, self).trim()
  return kind === 'm.emote' && words !== '' ? `* ${words}` : words
}

/** `svc: help` asks for help; clients write a mention so. */
function withoutAddress(body: string, { userId, name }: Self): string {
  const own = [userId, name, userId.slice(1).split(':')[0]]
    .filter((each) => each)
    .find((each) => {
      const head = body.slice(0, (each?.length ?? 0) + 1)
      return head.toLowerCase() === `${each}:`.toLowerCase() || head.toLowerCase() === `${each},`.toLowerCase()
    })
  return own === undefined ? body : body.slice(own.length + 1)
}

/** `m.mentions` when there is one; else the account's id or name as a word, as before Matrix 1.7. */
function isMentioned(content: Content, { userId, name }: Self): boolean {
  const mentions = content['m.mentions'] as { user_ids?: unknown } | null | undefined
  if (Array.isArray(mentions?.user_ids) && mentions.user_ids.includes(userId)) return true
  const body = readBodyText(content).toLowerCase()
  if (body.includes(userId.toLowerCase())) return true
  if (mentions) return false
  return name !== undefined && new RegExp(`(?<![\\p{L}\\p{N}])${literally(name)}(?![\\p{L}\\p{N}])`, 'iu').test(body)
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

function listFiles(content: Content): InboundFile[] {
  const { msgtype } = content
  const encrypted = content['file'] as { url?: unknown } | null | undefined
  const key = readFileKey(encrypted)
  const url = key ? encrypted?.url : content['url']
  if (typeof msgtype !== 'string' || !FILES.includes(msgtype) || typeof url !== 'string') return []
  if (!/^mxc:\/\/[^/?#]+\/[\w-]+$/.test(url)) return []
  const info = (content['info'] ?? {}) as { mimetype?: unknown; size?: unknown }
  const name = [content['filename'], content['body']].find((each) => typeof each === 'string' && each !== '')
  // https://github.com/matrix-org/matrix-spec-proposals/pull/3245
  const isVoice = msgtype === 'm.audio' && content['org.matrix.msc3245.voice'] !== undefined
  return [
    {
      ref: key ? joinReference(url, key) : url,
      name: typeof name === 'string' ? name : 'file',
      ...(typeof info.mimetype === 'string' && { mediaType: info.mimetype }),
      ...(typeof info.size === 'number' && info.size >= 0 && { size: info.size }),
      ...(isVoice && { isVoice }),
    },
  ]
}
