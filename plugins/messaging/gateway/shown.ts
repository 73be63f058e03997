/** What stands in a chat, by the receipts of the outbox. */
import type { Outbox } from 'svc/sdk'

/** A question is cut into no more parts than this. */
const MAX_PARTS = 1000

/** When the last part of a message was taken by its platform; undefined while a part is not, or changes. */
export function shownAt(outbox: Outbox, key: string): number | undefined {
  return lastOf(outbox.deliveries({ key, limit: MAX_PARTS }).map(({ deliveredAt }) => deliveredAt))
}

/** The same for what it said first, also while it is edited: a question that was answered says so in its place. */
export function firstShownAt(outbox: Outbox, key: string): number | undefined {
  return lastOf(outbox.deliveries({ key, limit: MAX_PARTS }).map(({ firstDeliveredAt }) => firstDeliveredAt))
}

function lastOf(times: readonly (number | undefined)[]): number | undefined {
  return times.length > 0 && times.every((time) => time !== undefined) ? Math.max(...times) : undefined
}
