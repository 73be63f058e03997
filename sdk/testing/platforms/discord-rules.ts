/** What Discord refuses (discord.com/developers/docs/resources/message, .../components/reference). */
import type { ServiceAnswer } from './service.ts'

/** An error as the service writes it. */
export function problem(status: number, message: string, code: number): ServiceAnswer {
  return { status, body: { message, code } }
}

/** What the service finds wrong with a message. */
export function wrongMessage(said: Record<string, unknown>, files: number): ServiceAnswer | undefined {
  const content = String(said['content'] ?? '').trim()
  const rows = (said['components'] ?? []) as { components: { label?: string; custom_id?: string }[] }[]
  const pings = said['allowed_mentions'] as { parse?: unknown[] } | undefined
  if ([...content].length > 2000)
    return problem(400, 'Invalid Form Body: content must be 2000 or fewer in length.', 50035)
  if (!content && files === 0) return problem(400, 'Cannot send an empty message', 50006)
  if (String(said['nonce'] ?? '').length > 25) return problem(400, 'Invalid Form Body: nonce is too long.', 50035)
  if (rows.length > 5 || rows.some(({ components }) => components.length < 1 || components.length > 5)) {
    return problem(400, 'Invalid Form Body: components', 50035)
  }
  const labels = rows.flatMap(({ components }) => components.map(({ label = '' }) => label))
  if (labels.some((label) => label.length < 1 || label.length > 80))
    return problem(400, 'Invalid Form Body: label', 50035)
  // The service would ring everybody's bell; a stand-in says so.
  if (pings?.parse?.length !== 0) return problem(400, 'This stand-in wants allowed_mentions without any.', 50035)
  // The service would fetch every link of the message.
  if ((Number(said['flags']) & 4) !== 4) return problem(400, 'This stand-in wants the flag SUPPRESS_EMBEDS.', 50035)
  return undefined
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
  components: readonly { readonly components: readonly { readonly custom_id: string; readonly label: string }[] }[]
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[]
}

export function buttonsOf({ components }: Stored): readonly { readonly custom_id: string; readonly label: string }[] {
  return components.flatMap((row) => row.components)
}
