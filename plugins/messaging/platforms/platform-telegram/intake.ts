/** An update on its way to the gateway, however it came. */
import type { Logger } from 'svc/sdk'
import type { GatewayConnection } from 'svc/sdk/platform'
import type { TelegramApi } from './api.ts'
import { readPress, toInbound } from './inbound.ts'
import { isWanted, type Topics } from './topics.ts'
import { readUpdate, type Self, type Update } from './updates.ts'

/** What it takes. */
export interface Intake {
  readonly api: TelegramApi
  readonly me: Self
  readonly link: GatewayConnection
  readonly topics: Topics
  readonly log: Pick<Logger, 'warn'>
}

/** https://core.telegram.org/bots/api#answercallbackquery */
const MAX_NOTICE = 200

/** Resolves once what it says is safe, or when it says nothing to us. */
export async function takeUpdate(update: Update, { api, me, link, topics, log }: Intake): Promise<void> {
  const read = readUpdate(update)
  if (!read) log.warn(`An update of Telegram could not be read: ${Object.keys(update).join(', ')}.`)
  const inbound = read?.message ? toInbound(read.message, me) : read?.press && readPress(read.press)
  const reception = inbound && isWanted(inbound, topics) ? await link.receive(inbound) : undefined
  if (!read?.press) return
  // The button is shown as busy until then. It is pressed all the same when Telegram does not hear that.
  const text = reception?.notice?.slice(0, MAX_NOTICE)
  void api.call('answerCallbackQuery', { callback_query_id: read.press.id, ...(text && { text }) }).catch(() => {})
}
