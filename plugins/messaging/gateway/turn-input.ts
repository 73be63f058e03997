/** The text for the model from messages that arrived together. */
import type { PluginContext } from 'svc/sdk'
import type { InboundMessage, Platform } from 'svc/sdk/platform'
import { attachments, type Listening } from './attachments.ts'
import type { Config } from './config.ts'
import { formatOverheard, type OverheardDeps } from './overheard-messages.ts'
import { isShared } from './session-keys.ts'
import type { InboxRow } from './store.ts'

/** The words of a turn, with the pictures that came along. */
export interface TurnInput {
  readonly text: string
  readonly images: readonly { readonly mediaType: string; readonly data: string }[]
  /** Notices about rejected files. With an empty `text` there is nothing to send to the model. */
  readonly refused: readonly string[]
  /** What was understood of voice messages, by the messages that brought them. */
  readonly heard: readonly HeardMessage[]
}

/** A message with speech, and its words. */
export type HeardMessage = Pick<InboxRow, 'trace' | 'message'> & { readonly words: string }

/** So that the model does not look for what the person means. */
const NOT_TAKEN = '[A file that came along was not taken; the person was told]'

/** The words of messages that came together, and behind them what was said before in the chat and not to the agent. */
export async function readRequest(
  deps: OverheardDeps,
  rows: readonly InboxRow[],
  listening: Listening,
): Promise<TurnInput> {
  const said = await readWords(deps.ctx, deps.platform, rows, listening)
  const last = rows.at(-1)
  const overheard = last && (await formatOverheard(deps, last, listening.signal))
  return overheard === undefined || said.text === '' ? said : { ...said, text: `${said.text}\n\n${overheard}` }
}

/** Reads what is attached, until the signal aborts. */
async function readWords(
  ctx: PluginContext<Config>,
  platform: Platform,
  rows: readonly InboxRow[],
  listening: Listening,
): Promise<TurnInput> {
  const refused: string[] = []
  const heard: HeardMessage[] = []
  const texts: string[] = []
  const behind: string[] = []
  const images: { readonly mediaType: string; readonly data: string }[] = []
  for (const { message, trace } of rows) {
    const said = `${speaker(message, platform)}${message.text}`
    if (said.trim()) texts.push(said)
    if (message.quote?.text) behind.push(`<data source="answered message">\n${harmless(message.quote.text)}\n</data>`)
    if (message.viewing) behind.push(formatViewed(platform, message.viewing))
    const attached = await attachments(ctx, platform, message, listening)
    if (attached.text) behind.push(attached.text)
    images.push(...attached.images)
    refused.push(...attached.refused)
    heard.push(...attached.heard.map((words, at) => ({ message, words, trace: at === 0 ? trace : `${trace}:${at}` })))
  }
  const isNothing = texts.length === 0 && behind.length === 0 && images.length === 0
  if (refused.length > 0 && isNothing) return { text: '', images, refused, heard }
  if (refused.length > 0) behind.push(NOT_TAKEN)
  return { text: [texts.join('\n') || '(no words)', ...behind].join('\n\n'), images, refused, heard }
}

/** Who speaks, where several people share a conversation. */
function speaker(message: InboundMessage, { settings }: Platform): string {
  if (!isShared(message, settings)) return ''
  const name = (message.userName ?? message.userId).replace(/[\p{Cc}[\]<>]/gu, '').slice(0, 50)
  return `[${name}] `
}

/** As tools that send messages name a chat. */
function formatViewed({ name: platform }: Platform, { chatId, name }: NonNullable<InboundMessage['viewing']>): string {
  const words = `${platform}:${chatId}${name === undefined ? '' : ` (${name.slice(0, 100)})`}`
  return `<data source="chat that the person is looking at">\n${harmless(words)}\n</data>`
}

function harmless(text: string): string {
  return text.slice(0, 2000).replaceAll('</data>', '<\\/data>')
}
