/** An update on its way to the gateway, however it came. */
import type { Logger } from 'svc/sdk'
import type { GatewayConnection, InboundMessage } from 'svc/sdk/platform'
import type { TelegramApi } from './api.ts'
import type { EditMemory } from './edits.ts'
import { readPress, toInbound } from './inbound.ts'
import { isWanted, type Topics } from './topics.ts'
import { type Message, readUpdate, type Self, type Update } from './updates.ts'

/** What it takes. */
export interface Intake {
  readonly api: TelegramApi
  readonly me: Self
  readonly link: GatewayConnection
  readonly topics: Topics
  readonly edits: EditMemory
  /** 0: edits are not read. */
  readonly editMinutes: number
  readonly log: Pick<Logger, 'warn'>
}

/** https://core.telegram.org/bots/api#answercallbackquery */
const MAX_NOTICE = 200

/** Resolves once what it says is safe, or when it says nothing to us. */
export async function takeUpdate(update: Update, intake: Intake): Promise<void> {
  const { api, me, link, topics, edits, log } = intake
  const read = readUpdate(update)
  if (!read) log.warn(`An update of Telegram could not be read: ${Object.keys(update).join(', ')}.`)
  const edit = read?.edit && readEdit(read.edit, update.update_id, intake)
  const inbound = read?.message ? toInbound(read.message, me) : (edit ?? (read?.press && readPress(read.press)))
  const reception = inbound && isWanted(inbound, topics) ? await link.receive(inbound) : undefined
  // Only now: one that was not taken comes again, and has to look the same.
  if (inbound && read?.message) edits.remember(inbound)
  if (edit) edits.rememberEdit(edit)
  if (!read?.press) return
  // The button is shown as busy until then. It is pressed all the same when Telegram does not hear that.
  const text = reception?.notice?.slice(0, MAX_NOTICE)
  void api.call('answerCallbackQuery', { callback_query_id: read.press.id, ...(text && { text }) }).catch(() => {})
}

function readEdit(
  message: Message,
  updateId: number,
  { me, edits, editMinutes: minutes }: Intake,
): InboundMessage | undefined {
  const now = minutes > 0 ? toInbound(message, me) : undefined
  return now && edits.toInbound(now, { updateId, editedAt: message.edit_date * 1000, minutes })
}
