/** What other plugins make of a message before a command or the model reads it. */
import type { PluginContext } from 'svc/sdk'
import { BeforeInboundMessage } from 'svc/sdk/hooks'
import type { ChatOutput } from './chat-output.ts'
import type { InboxRows } from './inbox-rows.ts'
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

/** The messages that are to be read. Those that plugins dropped or answered are done. */
export async function screenMessages(
  ctx: PluginContext<unknown>,
  rows: readonly InboxRow[],
  { output, inbox }: { readonly output: ChatOutput; readonly inbox: InboxRows },
): Promise<readonly InboxRow[]> {
  const screened: InboxRow[] = []
  for (const row of rows) {
    const result = await screenMessage(ctx, row)
    if ('row' in result) {
      screened.push(result.row)
      continue
    }
    const { reply } = result
    inbox.note(row, 'dropped', reply === undefined ? 'a plugin dropped it' : 'a plugin answered it')
    if (reply !== undefined) output.post({ key: `reply:${row.trace}`, text: reply })
    inbox.end([row])
  }
  return screened
}
