/** Where messages are: one-to-one and group direct messages, and channels (zulip.com/api/send-message, `type` and `to`). */
import { deliveryRefused } from 'svc/sdk/platform'

/** `dm:9`, `dm:9,11` and `channel:7`, as the API names them. */
export type Chat =
  | { readonly type: 'direct'; readonly to: readonly number[] }
  | { readonly type: 'stream'; readonly to: number }

/** Of the other participants. */
export function toDirectChatId(userIds: readonly number[]): string {
  return `dm:${[...userIds].sort((one, two) => one - two).join(',')}`
}

export function toChannelChatId(streamId: number): string {
  return `channel:${streamId}`
}

/** Throws `refused` for an id of no chat. */
export function parseChat(chatId: string): Chat {
  const [, kind, ids = ''] = /^(?:(dm|channel):)(\d{1,15}(?:,\d{1,15})*)$/.exec(chatId) ?? []
  const numbers = ids.split(',').map(Number)
  if (kind === 'dm') return { type: 'direct', to: numbers }
  const [to] = numbers
  if (kind === 'channel' && numbers.length === 1 && to !== undefined) return { type: 'stream', to }
  throw deliveryRefused(
    'PLATFORM_REFUSED',
    `"${chatId}" is no chat of Zulip: write channel:7 for a channel, or dm:9 for a user.`,
  )
}
