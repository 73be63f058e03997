/** What Slack keeps of a message, and what it refuses (docs.slack.dev/reference/methods/chat.postMessage, .../block-kit). */
import type { ServiceAnswer } from './service.ts'

/** Who speaks where. */
export interface Speaker {
  readonly chatId: string
  readonly userId: string
  readonly isGroup: boolean
}

interface Button {
  readonly action_id: string
  readonly value: string
  readonly text: { readonly text: string }
}

/** A message of the app. */
export interface SlackMessage {
  readonly ts: string
  readonly channel: string
  readonly thread_ts?: string
  readonly metadata?: object
  readonly versions: string[]
  attachments: readonly { readonly blocks?: readonly { readonly elements?: readonly Button[] }[] }[]
  readonly files: readonly { readonly id: string; readonly name: string; readonly bytes: Uint8Array }[]
}

/** All under a message. */
export function buttonsOf({ attachments }: Pick<SlackMessage, 'attachments'>): readonly Button[] {
  return attachments.flatMap(({ blocks = [] }) => blocks.flatMap(({ elements = [] }) => elements))
}

/** The service's word for what is wrong with a message. */
export function wrongMessage(
  form: Readonly<Record<string, string>>,
  most: number,
  mostBytes?: number,
): string | undefined {
  const text = form['text'] ?? ''
  const attachments = JSON.parse(form['attachments'] ?? '[]') as SlackMessage['attachments']
  const buttons = buttonsOf({ attachments })
  if (!/^[CDG]\w+$/.test(form['channel'] ?? '')) return 'channel_not_found'
  if (!text.trim() && buttons.length === 0) return 'no_text'
  const isTooLong = text.length > most || (mostBytes !== undefined && Buffer.byteLength(text) > mostBytes)
  if (isTooLong) return 'msg_too_long'
  const ids = new Set(buttons.map(({ action_id }) => action_id))
  if (ids.size < buttons.length || buttons.length > 25) return 'invalid_blocks'
  if (buttons.some((button) => button.text.text.length < 1 || button.text.text.length > 75)) return 'invalid_blocks'
  return undefined
}

/** Pages of a channel's messages, newest first, or of a thread, oldest first. */
export function historyOf(
  messages: readonly SlackMessage[],
  method: string,
  form: Readonly<Record<string, string>>,
): object {
  const here = messages.filter(({ channel }) => channel === form['channel'])
  const thread = here.filter(({ ts, thread_ts }) => ts === form['ts'] || thread_ts === form['ts'])
  const all = method === 'conversations.replies' ? thread : here.filter(({ thread_ts }) => !thread_ts).toReversed()
  const from = Number(form['cursor'] ?? 0)
  const limit = Math.min(Number(form['limit'] ?? 100), 999)
  const next = from + limit < all.length ? String(from + limit) : ''
  const shown = all.slice(from, from + limit).map(({ ts, thread_ts, metadata, files, versions }) => ({
    ...{ ts, thread_ts, text: versions.at(-1), files: files.map(({ id }) => ({ id })) },
    ...(form['include_all_metadata'] === 'true' && metadata && { metadata }),
  }))
  return { messages: shown, has_more: next !== '', response_metadata: { next_cursor: next } }
}

/** An error as the service writes it: with HTTP status 200. */
export function failed(error: string): ServiceAnswer {
  return { body: { ok: false, error } }
}
