/**
 * From Slack's events, buttons and commands to what the gateway takes (docs.slack.dev/reference/events/message,
 * .../reference/interaction-payloads/block_actions-payload, .../interactivity/implementing-slash-commands).
 */
import type { ChatType, InboundFile, InboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'
import { readable } from './markup.ts'
import type { ServedChat } from './served-chats.ts'
import { readLine } from './slash-commands.ts'

const PLATFORM = 'slack'
/** Kinds of messages that a person wrote; all others report events. */
const TEXT_SUBTYPES = ['', 'file_share', 'thread_broadcast', 'me_message', 'bot_message']

/** Who the app is, and how it talks. */
export interface Reader {
  readonly userId: string
  readonly botId: string | undefined
  readonly replyInThread: boolean
  /** Whether svc has a slash command of exactly this name. */
  isCommand(name: string): boolean
}

const file = z.object({
  id: z.string(),
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().optional(),
  subtype: z.string().optional(),
  url_private: z.string().optional(),
  url_private_download: z.string().optional(),
})
const event = z.object({
  type: z.string(),
  subtype: z.string().default(''),
  channel: z.string(),
  channel_type: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  text: z.string().default(''),
  ts: z.string(),
  thread_ts: z.string().optional(),
  parent_user_id: z.string().optional(),
  files: z.array(file).default([]),
})
type SlackEvent = z.infer<typeof event>
const callback = z.object({ team_id: z.string().optional(), event: z.unknown() })
const kindSchema = z.object({ type: z.string() })

const placed = z.object({
  event: z.object({
    type: z.enum(['message', 'app_mention']),
    channel: z.string(),
    channel_type: z.string().optional(),
    ts: z.string(),
    thread_ts: z.string().optional(),
    user: z.string().optional(),
  }),
})

/** The chat and the author; undefined if it is not a message. */
export function readPlacement(
  payload: unknown,
): { place: ServedChat; ts: string; user: string | undefined } | undefined {
  const said = placed.safeParse(payload).data?.event
  if (!said) return undefined
  const { channel, channel_type: kind, ts, thread_ts, user } = said
  return { place: { channel, kind, ...(thread_ts !== ts && { thread: thread_ts }) }, ts, user }
}

/** Undefined for its own words, for what only tells that something happened, and for what says nothing. */
export function readEvent(payload: unknown, reader: Reader): InboundMessage | undefined {
  const { team_id, event: data } = callback.parse(payload)
  const { type } = kindSchema.parse(data)
  if ((type !== 'message' && type !== 'app_mention') || !isWords(data)) return undefined
  const said = event.parse(data)
  const userId = said.user ?? said.bot_id
  if (!userId || userId === reader.userId || (said.bot_id && said.bot_id === reader.botId)) return undefined
  const files = said.files.flatMap(listFiles)
  if (!said.text.trim() && files.length === 0) return undefined
  const chatKind = toChatKind(said)
  const threadId = findThreadId(said, chatKind, reader)
  return {
    ...{ platform: PLATFORM, chatId: said.channel, userId, messageId: said.ts, chatKind },
    ...(threadId && { threadId }),
    ...(team_id && { scopeId: team_id }),
    isBot: Boolean(said.bot_id) || said.subtype === 'bot_message',
    text: readable(withoutName(said.text, reader.userId)),
    isMention: isMention(said, reader.userId),
    ...(files.length > 0 && { files }),
    at: Math.floor(Number(said.ts) * 1000),
  }
}

/** Notices have other fields: they are ignored. */
function isWords(data: unknown): boolean {
  return TEXT_SUBTYPES.includes((data as { subtype?: string }).subtype ?? '')
}

function isMention({ type, text, parent_user_id }: SlackEvent, me: string): boolean {
  return type === 'app_mention' || new RegExp(`<@${me}[|>]`).test(text) || parent_user_id === me
}

function withoutName(text: string, me: string): string {
  return text.replace(new RegExp(`^\\s*(?:<@${me}(?:\\|[^>]*)?>[\\s,:]*)+`), '')
}

function toChatKind({ channel, channel_type }: Pick<SlackEvent, 'channel' | 'channel_type'>): ChatType {
  if (channel_type === 'mpim') return 'group'
  return channel_type === 'im' || channel.startsWith('D') ? 'dm' : 'channel'
}

/** A message outside of threads begins the thread in which it is answered. */
function findThreadId(
  { ts, thread_ts }: SlackEvent,
  chatKind: ChatType,
  { replyInThread }: Reader,
): string | undefined {
  if (thread_ts !== undefined && (thread_ts !== ts || chatKind !== 'dm')) return thread_ts
  return replyInThread && chatKind !== 'dm' ? ts : undefined
}

function listFiles({
  name,
  mimetype,
  size,
  subtype,
  url_private_download,
  url_private,
}: z.infer<typeof file>): InboundFile[] {
  const ref = url_private_download ?? url_private
  // A file that was deleted meanwhile has no address.
  if (!ref) return []
  return [
    {
      ref,
      name: name || 'file',
      ...(mimetype && { mediaType: mimetype }),
      ...(size !== undefined && { size }),
      ...(subtype === 'slack_audio' && { isVoice: true }),
    },
  ]
}

const press = z.object({
  type: z.string(),
  trigger_id: z.string().optional(),
  team: z.object({ id: z.string() }).nullish(),
  user: z.object({ id: z.string(), name: z.string().optional() }),
  channel: z.object({ id: z.string() }).optional(),
  container: z.object({ message_ts: z.string().optional(), thread_ts: z.string().optional() }).optional(),
  message: z.object({ thread_ts: z.string().optional() }).optional(),
  actions: z
    .array(
      z.object({
        action_ts: z.string().optional(),
        value: z.string().optional(),
        text: z.object({ text: z.string() }).optional(),
        selected_option: z.object({ value: z.string(), text: z.object({ text: z.string() }).optional() }).nullish(),
      }),
    )
    .default([]),
})

/** A pressed button, or a choice of a menu; undefined for other interactions. */
export function readPress(payload: unknown): InboundMessage | undefined {
  const { type } = kindSchema.parse(payload)
  if (type !== 'block_actions') return undefined
  const said = press.parse(payload)
  const [action] = said.actions
  const messageId = said.trigger_id ?? action?.action_ts
  const chosen = action?.selected_option ?? action
  if (!said.channel || chosen?.value === undefined || messageId === undefined) return undefined
  const threadId = said.container?.thread_ts ?? said.message?.thread_ts
  const under = said.container?.message_ts
  return {
    ...{ platform: PLATFORM, chatId: said.channel.id, userId: said.user.id, messageId },
    ...(threadId && { threadId }),
    ...(said.team && { scopeId: said.team.id }),
    ...(said.user.name && { userName: said.user.name }),
    chatKind: toChatKind({ channel: said.channel.id }),
    text: chosen.text?.text ?? chosen.value,
    press: chosen.value,
    isMention: true,
    ...(under && { quote: { messageId: under } }),
  }
}

const command = z.object({
  command: z.string().default(''),
  text: z.string().default(''),
  user_id: z.string(),
  user_name: z.string().optional(),
  channel_id: z.string(),
  team_id: z.string().optional(),
  trigger_id: z.string(),
})

/** A slash command of the app. */
export function readCommand(payload: unknown, { isCommand }: Pick<Reader, 'isCommand'>): InboundMessage {
  const said = command.parse(payload)
  return {
    ...{ platform: PLATFORM, chatId: said.channel_id, userId: said.user_id, messageId: said.trigger_id },
    ...(said.team_id && { scopeId: said.team_id }),
    ...(said.user_name && { userName: said.user_name }),
    chatKind: toChatKind({ channel: said.channel_id }),
    text: readLine(said.command, said.text, isCommand),
    isMention: true,
  }
}
