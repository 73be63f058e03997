/** What the model is told of messages that came together. */
import type { Inbound, Platform, PluginContext } from 'svc/sdk'
import { attachments, type Listening } from './attachments.ts'
import type { Config } from './config.ts'
import { isShared } from './session-keys.ts'
import type { InboxRow } from './store.ts'

/** The words of a turn, with the pictures that came along. */
export interface SaidWords {
  readonly text: string
  readonly images: readonly { readonly mediaType: string; readonly data: string }[]
}

/** Reads what is attached, until the signal aborts. */
export async function wordsOf(
  ctx: PluginContext<Config>,
  platform: Platform,
  rows: readonly InboxRow[],
  listening: Listening,
): Promise<SaidWords> {
  const texts: string[] = []
  const behind: string[] = []
  const images: { readonly mediaType: string; readonly data: string }[] = []
  for (const { message } of rows) {
    const said = `${speaker(message, platform)}${message.text}`
    if (said.trim()) texts.push(said)
    if (message.quote?.text) behind.push(`<data source="answered message">\n${harmless(message.quote.text)}\n</data>`)
    const attached = await attachments(ctx, platform, message, listening)
    if (attached.text) behind.push(attached.text)
    images.push(...attached.images)
  }
  return { text: [texts.join('\n') || '(no words)', ...behind].join('\n\n'), images }
}

/** Who speaks, where several people share a conversation. */
function speaker(message: Inbound, { settings }: Platform): string {
  if (!isShared(message, settings)) return ''
  const name = (message.userName ?? message.userId).replace(/[\p{Cc}[\]<>]/gu, '').slice(0, 50)
  return `[${name}] `
}

function harmless(text: string): string {
  return text.slice(0, 2000).replaceAll('</data>', '<\\/data>')
}
