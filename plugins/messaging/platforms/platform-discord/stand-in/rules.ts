/** What Discord refuses (discord.com/developers/docs/resources/message, .../components/reference). */
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import type { StandInDelivery } from 'svc/sdk/platform'
import { type Row, wrongComponents } from './components.ts'
import { problem, wrongForm } from './problems.ts'

/** What a message that is made, or changed, may hold. */
export const discordFields = {
  create: [
    ...['content', 'nonce', 'tts', 'embeds', 'allowed_mentions', 'message_reference', 'components', 'sticker_ids'],
    ...['attachments', 'flags', 'enforce_nonce', 'poll', 'shared_client_theme'],
  ],
  change: ['content', 'embeds', 'flags', 'allowed_mentions', 'attachments', 'components'],
} as const

type Data = Readonly<Record<string, unknown>>

/** Where a message goes, and what is there. */
export interface MessageTarget {
  readonly kind: keyof typeof discordFields
  readonly files: number
  hasMessage(id: string): boolean
}

/** What the service finds wrong with a message. */
export function wrongMessage(said: Data, { kind, files, hasMessage }: MessageTarget): ServiceAnswer | undefined {
  const fields: readonly string[] = discordFields[kind]
  const strange = Object.keys(said).find((name) => !fields.includes(name))
  if (strange !== undefined) return wrongForm([strange], 'STAND_IN', 'This stand-in knows no such field.')
  return wrongContent(said, files) ?? wrongComponents(said['components']) ?? wrongReference(said, hasMessage)
}

/** .../resources/message, "Message Flags" and "Voice Messages" */
const IS_VOICE_MESSAGE = 1 << 13
/** Flags that a message may be made with: SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS, IS_VOICE_MESSAGE, IS_COMPONENTS_V2. */
const FLAGS = 4 | (1 << 12) | IS_VOICE_MESSAGE | (1 << 15)
const MAX_POINTS = 256

function isVoiceMessage({ flags }: Data): boolean {
  return (Number(flags ?? 0) & IS_VOICE_MESSAGE) !== 0
}

/** The files of a message as people see them. */
export function showFiles(said: Data, files: StandInDelivery['files']): StandInDelivery['files'] {
  const [about] = (said['attachments'] ?? []) as readonly Data[]
  if (!isVoiceMessage(said)) return files
  return files.map((file) => ({ ...file, isVoice: true, durationMs: Number(about?.['duration_secs']) * 1000 }))
}

/** What is wrong with a message that says it is a voice message. */
export function wrongVoice(said: Data, files: readonly { readonly bytes: Uint8Array }[]): ServiceAnswer | undefined {
  if (!isVoiceMessage(said)) return undefined
  const { content, embeds, components, attachments = [] } = said
  const hasMore = [content, embeds, components].some((each) => each !== undefined && each !== '')
  if (hasMore) return problem(400, 'Voice messages do not support additional content.', 50159)
  const [about = {}] = attachments as readonly Data[]
  const [file] = files
  if (files.length !== 1 || !/^OggS[\s\S]{24}OpusHead/.test(Buffer.from(file?.bytes ?? []).toString('latin1', 0, 64)))
    return problem(400, 'Voice messages must have a single audio attachment.', 50160)
  const { duration_secs: seconds, waveform } = about
  const points = typeof waveform === 'string' && /^[A-Za-z0-9+/]+=*$/.test(waveform) ? atob(waveform).length : 0
  if (typeof seconds !== 'number' || points === 0 || points > MAX_POINTS)
    return problem(400, 'Voice messages must have supporting metadata.', 50161)
  return seconds > 0 ? undefined : problem(400, 'The provided file does not have a valid duration.', 50192)
}

function wrongContent(said: Data, files: number): ServiceAnswer | undefined {
  const { content = '', nonce = '', allowed_mentions: pings, flags = 0 } = said
  if (typeof content !== 'string')
    return wrongForm(['content'], 'STRING_TYPE_CONVERT', 'Could not interpret as string.')
  if ([...content.trim()].length > 2000)
    return wrongForm(['content'], 'BASE_TYPE_MAX_LENGTH', 'Must be 2000 or fewer in length.')
  if (!content.trim() && files === 0) return problem(400, 'Cannot send an empty message', 50006)
  if (String(nonce).length > 25) return wrongForm(['nonce'], 'NONCE_TYPE_TOO_LONG', 'Must be 25 or fewer in length.')
  // The service would ring everybody's bell; a stand-in says so.
  if ((pings as { parse?: unknown[] } | undefined)?.parse?.length !== 0)
    return problem(400, 'This stand-in wants allowed_mentions without any.', 50035)
  if ((Number(flags) & ~FLAGS) !== 0) return wrongForm(['flags'], 'STAND_IN', 'These flags cannot be set.')
  // The service would fetch every link of the message.
  if ((Number(flags) & 4) !== 4) return problem(400, 'This stand-in wants the flag SUPPRESS_EMBEDS.', 50035)
  return undefined
}

const MAX_FILES = 10
const MAX_FILE_BYTES = 10 * 2 ** 20

/**
 * Files of a form (discord.com/developers/docs/reference, "Uploading Files"): at most ten of 10 MiB, each named by its number
 * in `attachments`.
 */
export function wrongFiles(
  { attachments = [] }: Data,
  files: readonly { readonly field: string; readonly bytes: Uint8Array }[],
): ServiceAnswer | undefined {
  if (files.some(({ bytes }) => bytes.length > MAX_FILE_BYTES))
    return { status: 413, body: { message: 'Request entity too large', code: 40005 } }
  if (files.length > MAX_FILES)
    return wrongForm(['attachments'], 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_FILES} or fewer in length.`)
  const ids = (attachments as readonly Data[]).map(({ id }) => `files[${id}]`)
  const isMatched = ids.length === files.length && files.every(({ field }) => ids.includes(field))
  return isMatched ? undefined : wrongForm(['attachments'], 'STAND_IN', 'This stand-in wants each file in attachments.')
}

function wrongReference(
  { message_reference: given }: Data,
  hasMessage: MessageTarget['hasMessage'],
): ServiceAnswer | undefined {
  if (given === undefined) return undefined
  const { message_id: id, fail_if_not_exists: mustBeThere = true } = given as Data
  if (id === undefined)
    return wrongForm(['message_reference', 'message_id'], 'BASE_TYPE_REQUIRED', 'This field is required')
  if (!/^\d+$/.test(String(id)))
    return wrongForm(['message_reference', 'message_id'], 'NUMBER_TYPE_COERCE', `Value "${id}" is not snowflake.`)
  if (mustBeThere === false || hasMessage(String(id))) return undefined
  return wrongForm(['message_reference'], 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message')
}

/** Names and descriptions of commands have their limits (.../interactions/application-commands). */
export function isWrongCommand({ name, description }: { name: string; description: string }): boolean {
  return !/^[-_a-z0-9]{1,32}$/.test(name) || description.length < 1 || description.length > 100
}

/** A place for messages, as the service writes it. */
export interface Channel {
  readonly id: string
  readonly type: number
  readonly name?: string
  readonly parent_id?: string
  readonly guild_id?: string
}

/** A message of the bot. */
export interface Stored {
  readonly id: string
  readonly channelId: string
  readonly authorId: string
  readonly versions: string[]
  components: readonly Row[]
  readonly files: StandInDelivery['files']
}
