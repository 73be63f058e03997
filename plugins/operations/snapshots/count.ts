/** How many snapshots stay, as typed. */
import { SvcError } from 'svc/sdk'
import { SNAPSHOT_LIMIT } from 'svc/sdk/operations'

/** Throws `SNAPSHOT_COUNT`. */
export function parseCount(typed: string | undefined): number {
  if (typed === undefined) return SNAPSHOT_LIMIT
  if (/^\d{1,4}$/.test(typed)) return Number(typed)
  const message = `${JSON.stringify(typed.slice(0, 40))} is not a number of snapshots. Such as: svc snapshot prune 5`
  throw new SvcError('SNAPSHOT_COUNT', message, { status: 400 })
}
