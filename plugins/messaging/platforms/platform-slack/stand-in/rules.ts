/** What Slack keeps of a message, and what it refuses (docs.slack.dev/reference/methods/chat.postMessage, .../block-kit). */

import { createHmac } from 'node:crypto'
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import type { StandInDelivery } from 'svc/sdk/platform'
import { type Attachment, areBlocks, listChoices } from './blocks.ts'
import { SLACK_UNNAMED, type SlackMethod, slackMethods } from './methods.ts'
import { slackWords } from './text.ts'

/** Who speaks where. */
export interface Speaker {
  readonly chatId: string
  readonly userId: string
  readonly isGroup: boolean
}

/** A message of the app. */
export interface SlackMessage {
  readonly ts: string
  readonly channel: string
  readonly thread_ts?: string
  readonly metadata?: object
  readonly versions: string[]
  attachments: readonly Attachment[]
  readonly files: readonly { readonly id: string; readonly name: string; readonly bytes: Uint8Array }[]
}

/** What people see of it. */
export function toDelivery(message: SlackMessage): StandInDelivery {
  const { files, ts, channel, thread_ts, versions } = message
  const raw = versions.at(-1) ?? ''
  return {
    ...{ messageId: files[0]?.id ?? ts, chatId: channel, raw, visible: slackWords(raw), versions, files },
    ...(thread_ts && { threadId: thread_ts }),
    buttons: listChoices(message).map(({ label }) => label),
  }
}

/** Names that the method does not take, or that are missing. The service ignores the former, and what they mean with them. */
export function wrongArguments(method: SlackMethod, form: Readonly<Record<string, string>>): string | undefined {
  const { takes, needs }: { readonly takes: readonly string[]; readonly needs: readonly string[] } =
    slackMethods[method]
  const allowed = method === 'chat.update' ? [...takes, ...SLACK_UNNAMED] : takes
  const strange = Object.keys(form).find((name) => !allowed.includes(name))
  if (strange !== undefined) return `[ERROR] this stand-in knows no argument: ${strange}`
  const missing = needs.find((name) => form[name] === undefined)
  if (missing !== undefined) return `[ERROR] missing required field: ${missing}`
  const broken = ['attachments', 'blocks', 'metadata', 'files', 'prompts'].find((name) => !isJson(form[name] ?? 'null'))
  return broken === undefined ? undefined : `[ERROR] must be valid JSON: ${broken}`
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
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
  if (!areBlocks(attachments)) return 'invalid_blocks'
  if (!text.trim() && listChoices({ attachments }).length === 0) return 'no_text'
  const isTooLong = text.length > most || (mostBytes !== undefined && Buffer.byteLength(text) > mostBytes)
  return isTooLong ? 'msg_too_long' : undefined
}

/** A message of a person, in the form of an event. */
export interface SlackWords {
  readonly ts: string
  readonly channel: string
  readonly thread_ts?: string | undefined
}

/** Pages of a channel's messages behind `oldest`, newest first, or of a thread, oldest first and with its beginning. */
export function createHistory(
  messages: readonly SlackMessage[],
  words: readonly SlackWords[],
  method: string,
  form: Readonly<Record<string, string>>,
): object {
  const { channel, ts: parent, oldest = '0', latest = String(Number.MAX_SAFE_INTEGER), include_all_metadata } = form
  const own = messages.map(({ metadata, files, versions, ...said }) => ({
    ...{ ts: said.ts, channel: said.channel, thread_ts: said.thread_ts, user: 'UBOT', bot_id: 'BBOT' },
    ...{ text: versions.at(-1), files: files.map(({ id }) => ({ id })) },
    ...(include_all_metadata === 'true' && metadata && { metadata }),
  }))
  const here = [...own, ...words].filter((each) => each.channel === channel).sort((a, b) => (a.ts > b.ts ? 1 : -1))
  const behind = here.filter(({ ts }) => Number(ts) > Number(oldest) && Number(ts) < Number(latest))
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
export function failed(error: string, messages?: readonly string[]): ServiceAnswer {
  return { body: { ok: false, error, ...(messages && { response_metadata: { messages } }) } }
}

/** What proves a request over HTTP (docs.slack.dev/authentication/verifying-requests-from-slack). */
export function createSignature(secret: string, body: string, time: number): Readonly<Record<string, string>> {
  const signature = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')
  return { 'x-slack-request-timestamp': String(time), 'x-slack-signature': `v0=${signature}` }
}

/** The service would fetch the links of such a message. */
function unfurls({ unfurl_links: links, unfurl_media: media }: Record<string, string>): boolean {
  return links !== 'false' || media !== 'false'
}
