/** What other plugins make of a message before a command or the model reads it. */
import type { PluginContext } from 'svc/sdk'
import { BeforeInboundMessage } from 'svc/sdk/hooks'
import type { InboxRow } from './store.ts'

/** A message that is to be read, perhaps with another text, or one that is not. */
export type ScreenedMessage = { readonly row: InboxRow } | { readonly isDropped: true; readonly reply?: string }

/** Rejects when a listener failed that is required to succeed. */
export async function screenMessage(ctx: PluginContext<unknown>, row: InboxRow): Promise<ScreenedMessage> {
  const { message } = row
  const draft = await ctx.call(BeforeInboundMessage, { text: message.text }, message)
  if (draft.reply !== undefined) return { isDropped: true, reply: draft.reply }
  if (draft.isDropped) return { isDropped: true }
  return { row: draft.text === message.text ? row : { ...row, message: { ...message, text: draft.text } } }
}
