/** From Mattermost's posts to what the gateway takes (developers.mattermost.com/api-documentation, "posts"). */
import { tryParseJson } from 'svc/sdk'
import type { ChatType, InboundFile, InboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'

const PLATFORM = 'mattermost'

const fileInfo = z.object({
  id: z.string(),
  name: z.string().default('file'),
  mime_type: z.string().default(''),
  size: z.number().optional(),
})
export const post = z.object({
  id: z.string(),
  create_at: z.number().default(0),
  delete_at: z.number().default(0),
  user_id: z.string(),
  channel_id: z.string(),
  root_id: z.string().default(''),
  message: z.string().default(''),
  type: z.string().default(''),
  props: z.record(z.string(), z.unknown()).nullish(),
  file_ids: z.array(z.string()).nullish(),
  metadata: z.object({ files: z.array(fileInfo).nullish() }).nullish(),
})
export type Post = z.infer<typeof post>

/** An event has its post as text, and more about its channel. */
export const posted = z.object({
  post: z.string(),
  channel_type: z.string().optional(),
  channel_display_name: z.string().optional(),
  sender_name: z.string().optional(),
  team_id: z.string().optional(),
})

/** A post, and what is known of its place. */
export interface PlacedPost {
  readonly post: Post
  /** `D`: two people, `G`: a group of some, `O` and `P`: open and private channels. */
  readonly channelType: string
  readonly channelName?: string | undefined
  readonly senderName?: string | undefined
  readonly teamId?: string | undefined
}

/** Who the bot is, and how it talks. */
export interface Reader {
  readonly userId: string
  readonly userName: string
  readonly replyInThread: boolean
  /** Whether a thread was begun by the bot. */
  isOwnThread(rootId: string): Promise<boolean>
}

/** Throws for an event without a post. */
export function placedPost(data: unknown): PlacedPost {
  const { post: text, channel_type, channel_display_name, sender_name, team_id } = posted.parse(data)
  const read = post.safeParse(tryParseJson(text)?.value)
  if (!read.success) throw read.error
  return {
    ...{ post: read.data, channelType: channel_type ?? 'O', channelName: channel_display_name },
    ...{ senderName: sender_name?.replace(/^@/, ''), teamId: team_id },
  }
}

/** Undefined for its own words, for what only tells that something happened, and for what says nothing. */
export async function readPost(placed: PlacedPost, reader: Reader): Promise<InboundMessage | undefined> {
  const { post: said } = placed
  if (said.user_id === reader.userId || said.type !== '' || said.delete_at > 0) return undefined
  const files = listFiles(said)
  if (!said.message.trim() && files.length === 0) return undefined
  const place = readPlace(placed, reader)
  const isNamed = createNamePattern(reader.userName).test(said.message)
  const isAnswer = place.chatKind !== 'dm' && said.root_id !== ''
  return {
    ...{ platform: PLATFORM, userId: said.user_id, messageId: said.id, ...place },
    isBot: isTrue(said.props?.['from_bot']) || isTrue(said.props?.['from_webhook']),
    text: withoutName(said.message, reader.userName),
    isMention: isNamed || (isAnswer && (await reader.isOwnThread(said.root_id))),
    ...(said.root_id && { quote: { messageId: said.root_id } }),
    ...(files.length > 0 && { files }),
    ...(said.create_at > 0 && { at: said.create_at }),
  }
}

/** Where it is, and by which names people know that. */
function readPlace({ post: said, channelType, channelName, senderName, teamId }: PlacedPost, reader: Reader) {
  const chatKind = toChatKind(channelType)
  const begins = reader.replyInThread && chatKind !== 'dm' ? said.id : ''
  const threadId = said.root_id || begins
  return {
    ...{ chatId: said.channel_id, chatKind },
    ...(threadId && { threadId }),
    ...(teamId && { scopeId: teamId }),
    ...(senderName && { userName: senderName }),
    ...(channelName && chatKind !== 'dm' && { chatName: channelName }),
  }
}

function toChatKind(type: string): ChatType {
  if (type === 'D') return 'dm'
  return type === 'G' ? 'group' : 'channel'
}

/** Letters, digits, dots, hyphens and underscores make a name there; a dot may also end a sentence. */
function createNamePattern(userName: string): RegExp {
  const name = userName.replace(/[.\\+*?^$()[\]{}|]/g, '\\$&')
  return new RegExp(`(?<![\\w.@-])@${name}(?![\\w-]|\\.\\w)`, 'i')
}

function withoutName(text: string, userName: string): string {
  const begins = new RegExp(`^\\s*${createNamePattern(userName).source}[\\s,:]*`, 'i')
  return text.replace(begins, '')
}

/** What the server says of them, or at least their ids. */
function listFiles({ file_ids, metadata }: Post): InboundFile[] {
  return (file_ids ?? []).map((id) => {
    const known = metadata?.files?.find((each) => each.id === id)
    return {
      ref: id,
      name: known?.name ?? id,
      ...(known?.mime_type && { mediaType: known.mime_type }),
      ...(known?.size !== undefined && { size: known.size }),
    }
  })
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true'
}
