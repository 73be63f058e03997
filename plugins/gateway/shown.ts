/** What stands in a chat, by the receipts of the outbox. */
import type { Outbox } from 'svc/sdk'

/** A question is cut into no more parts than this. */
const MAX_PARTS = 1000

/** When the last part of a message was taken by its platform; undefined while a part is not, or changes. */
export function shownAt(outbox: Outbox, key: string): number | undefined {
  const parts = outbox.deliveries({ key, limit: MAX_PARTS })
  const times = parts.map(({ deliveredAt }) => deliveredAt)
  return times.length > 0 && times.every((time) => time !== undefined) ? Math.max(...times) : undefined
}
