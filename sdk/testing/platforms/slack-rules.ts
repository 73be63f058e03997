/** What Slack keeps of a message, and what it refuses (docs.slack.dev/reference/methods/chat.postMessage, .../block-kit). */
import { createHmac } from 'node:crypto'
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
  if (unfurls(form)) return 'this_stand_in_wants_no_unfurling'
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

/** What somebody wrote, as events tell it. */
export interface SlackWords {
  readonly ts: string
  readonly channel: string
  readonly thread_ts?: string | undefined
}

/** Pages of a channel's messages behind `oldest`, newest first, or of a thread, oldest first and with its beginning. */
export function historyOf(
  messages: readonly SlackMessage[],
  words: readonly SlackWords[],
  method: string,
  form: Readonly<Record<string, string>>,
): object {
  const { channel, ts: parent, oldest = '0', include_all_metadata } = form
  const own = messages.map(({ metadata, files, versions, ...said }) => ({
    ...{ ts: said.ts, channel: said.channel, thread_ts: said.thread_ts, user: 'UBOT', bot_id: 'BBOT' },
    ...{ text: versions.at(-1), files: files.map(({ id }) => ({ id })) },
    ...(include_all_metadata === 'true' && metadata && { metadata }),
  }))
  const here = [...own, ...words].filter((each) => each.channel === channel).sort((a, b) => (a.ts > b.ts ? 1 : -1))
  const behind = here.filter(({ ts }) => Number(ts) > Number(oldest))
  const thread = here.filter((each) => each.ts === parent || (each.thread_ts === parent && behind.includes(each)))
  const isThread = method === 'conversations.replies'
  const all = isThread ? thread : behind.filter(({ thread_ts }) => !thread_ts).toReversed()
  const from = Number(form['cursor'] ?? 0)
  const limit = Math.min(Number(form['limit'] ?? 100), 999)
  const next = from + limit < all.length ? String(from + limit) : ''
  const shown = all.slice(from, from + limit).map((each) => ({ ...each, type: 'message', channel: undefined }))
  return { messages: shown, has_more: next !== '', response_metadata: { next_cursor: next } }
}

/** An error as the service writes it: with HTTP status 200. */
export function failed(error: string): ServiceAnswer {
  return { body: { ok: false, error } }
}

/** What proves a request over HTTP (docs.slack.dev/authentication/verifying-requests-from-slack). */
export function signatureOf(secret: string, body: string, time: number): Readonly<Record<string, string>> {
  const signature = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')
  return { 'x-slack-request-timestamp': String(time), 'x-slack-signature': `v0=${signature}` }
}

/** The service would fetch the links of such a message. */
function unfurls({ unfurl_links: links, unfurl_media: media }: Record<string, string>): boolean {
  return links !== 'false' || media !== 'false'
}
