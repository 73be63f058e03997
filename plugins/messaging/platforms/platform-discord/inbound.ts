/**
 * From Discord's messages and interactions to what the gateway takes (discord.com/developers/docs/resources/message,
 * .../interactions/receiving-and-responding).
 */
import type { InboundFile, InboundMessage, OverheardMessage } from 'svc/sdk/platform'
import { z } from 'zod'
import { type ChannelDirectory, channel, type MessageLocation, member, toPlace } from './channel-directory.ts'
import { IS_VOICE_MESSAGE } from './voice-message.ts'

const PLATFORM = 'discord'
const DEFAULT = 0
const REPLY = 19

const user = z.object({
  id: z.string(),
  username: z.string().default(''),
  global_name: z.string().nullish(),
  bot: z.boolean().default(false),
})
type User = z.infer<typeof user>
const attachment = z.object({
  id: z.string(),
  filename: z.string(),
  content_type: z.string().nullish(),
  size: z.number().optional(),
  url: z.string(),
})
const snowflake = z.string().regex(/^\d+$/)
const message = z.object({
  id: snowflake,
  type: z.number().default(DEFAULT),
  channel_id: snowflake,
  guild_id: z.string().nullish(),
  author: user,
  webhook_id: z.string().nullish(),
  member: member.nullish(),
  content: z.string().default(''),
  timestamp: z.string().nullish(),
  flags: z.number().default(0),
  mentions: z.array(user).default([]),
  mention_roles: z.array(z.string()).default([]),
  attachments: z.array(attachment).default([]),
  referenced_message: z.object({ id: z.string(), content: z.string().default(''), author: user }).nullish(),
})
export type Message = z.infer<typeof message>

/** Who the bot is, and where things are. */
export interface Reader {
  readonly me: string
  readonly places: ChannelDirectory
}

/** Throws for anything but a message. */
export function parseMessage(data: unknown): Message {
  return message.parse(data)
}

/** Whether the bot is addressed: in a direct message, by a mention, or by a reply to it. */
export function concerns(said: Message, me: string): boolean {
  return !said.guild_id || said.author.id === me || isMention(said, me)
}

/** What a message says to the agent; undefined for its own, for notices of the service, and for what says nothing. */
export async function readMessage(said: Message, reader: Reader): Promise<InboundMessage | undefined> {
  if (said.author.id === reader.me || (said.type !== DEFAULT && said.type !== REPLY)) return undefined
  const files = said.attachments.map((each) => toInboundFile(each, said.flags))
  if (!said.content.trim() && files.length === 0) return undefined
  const roles = said.guild_id && said.mention_roles.length > 0 ? await reader.places.rolesIn(said.guild_id) : []
  const ours = said.mention_roles.filter((role) => roles.includes(role))
  const place: MessageLocation = said.guild_id ? await reader.places.of(said.channel_id) : { chatId: said.channel_id }
  const at = Date.parse(said.timestamp ?? '')
  return {
    platform: PLATFORM,
    ...place,
    ...readSender(said.author, said.member ?? undefined, said.guild_id ?? undefined),
    isBot: said.author.bot || Boolean(said.webhook_id),
    messageId: said.id,
    text: readable(said, reader.me, ours),
    isMention: isMention(said, reader.me) || ours.length > 0,
    ...readQuote(said),
    ...(files.length > 0 && { files }),
    ...(Number.isFinite(at) && { at }),
  }
}

type SenderPart = Pick<InboundMessage, 'userId' | 'userName' | 'chatKind' | 'scopeId' | 'roleIds'>

function readSender(who: User, as: z.infer<typeof member> | undefined, guildId: string | undefined): SenderPart {
  return {
    userId: who.id,
    userName: as?.nick || who.global_name || who.username,
    chatKind: guildId ? 'channel' : 'dm',
    ...(guildId && { scopeId: guildId }),
    ...(as && { roleIds: as.roles }),
  }
}

function isMention({ mentions, referenced_message: answered }: Message, me: string): boolean {
  return mentions.some(({ id }) => id === me) || answered?.author.id === me
}

/** A message that does not address the agent. */
export function toOverheard({ id, author, member: as, content }: Message): OverheardMessage {
  const userName = as?.nick || author.global_name || author.username
  return { messageId: id, userId: author.id, ...(userName && { userName }), text: content }
}

function readQuote({ referenced_message: answered }: Message): Pick<InboundMessage, 'quote'> {
  return answered ? { quote: { messageId: answered.id, text: answered.content } } : {}
}

function toInboundFile({ filename, content_type, size, url }: z.infer<typeof attachment>, flags: number): InboundFile {
  return {
    ref: url,
    name: filename,
    ...(content_type && { mediaType: content_type }),
    ...(size !== undefined && { size }),
    ...(flags & IS_VOICE_MESSAGE && { isVoice: true }),
  }
}

/** Without the words that address the bot at the beginning, so that a command may follow; others are called by name. */
function readable({ content, mentions }: Message, me: string, ourRoles: readonly string[]): string {
  const names = [`<@!?${me}>`, ...ourRoles.map((role) => `<@&${role}>`)].filter((name) => /^[<@!?&>\d]+$/.test(name))
  const text = content.replace(new RegExp(`^\\s*(?:(?:${names.join('|')})[\\s,:]*)+`), '')
  return text.replace(/<@!?(\d+)>/g, (all, id) => {
    const named = mentions.find((each) => each.id === id)
    return named ? `@${named.global_name || named.username}` : all
  })
}

const component = z.object({
  custom_id: z.string().optional(),
  label: z.string().optional(),
  options: z.array(z.object({ value: z.string(), label: z.string() })).default([]),
})
const interaction = z.object({
  id: z.string(),
  token: z.string(),
  type: z.number(),
  application_id: z.string(),
  guild_id: z.string().nullish(),
  channel_id: z.string().nullish(),
  channel: channel.nullish(),
  member: member.extend({ user }).nullish(),
  user: user.nullish(),
  data: z
    .object({
      name: z.string().optional(),
      options: z.array(z.object({ name: z.string(), value: z.unknown() })).nullish(),
      custom_id: z.string().optional(),
      /** Of a menu. */
      values: z.array(z.string()).nullish(),
    })
    .nullish(),
  message: z
    .object({
      id: z.string(),
      components: z.array(z.object({ components: z.array(component).default([]) })).default([]),
    })
    .nullish(),
})

/** Something that a person did in Discord's own controls. */
export interface Interaction {
  readonly kind: 'command' | 'press'
  readonly id: string
  /** Lets any reader answer in its place: never shown. */
  readonly token: string
  readonly applicationId: string
  readonly inbound: InboundMessage
}

/** Undefined for kinds that svc does not offer. */
export function readInteraction(data: unknown): Interaction | undefined {
  const said = interaction.parse(data)
  const who = said.member?.user ?? said.user
  const chatId = said.channel?.id ?? said.channel_id
  if (!who || !chatId) return undefined
  const base = {
    platform: PLATFORM,
    ...(said.channel && said.guild_id ? toPlace(said.channel) : { chatId }),
    ...readSender(who, said.member ?? undefined, said.guild_id ?? undefined),
    messageId: said.id,
    isMention: true,
  }
  const rest = { id: said.id, token: said.token, applicationId: said.application_id }
  if (said.type === 2 && said.data?.name) {
    const words = (said.data.options ?? []).map(({ value }) => String(value ?? ''))
    return { kind: 'command', ...rest, inbound: { ...base, text: [`/${said.data.name}`, ...words].join(' ').trim() } }
  }
  const pressed = said.type === 3 ? readPress(said) : undefined
  return pressed && { kind: 'press', ...rest, inbound: { ...base, ...pressed } }
}

/** A pressed button, or the choice of a menu. */
function readPress({ data, message: under }: z.infer<typeof interaction>) {
  const press = data?.values ? data.values[0] : data?.custom_id
  if (press === undefined) return undefined
  const components = under?.components.flatMap((row) => row.components) ?? []
  const choices = components.flatMap(({ custom_id, label, options }) => [{ value: custom_id, label }, ...options])
  const text = choices.find(({ value }) => value === press)?.label ?? press
  return { text, press, ...(under && { quote: { messageId: under.id } }) }
}
