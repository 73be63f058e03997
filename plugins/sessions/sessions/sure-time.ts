/** Whether the clock can be believed before something is removed because of its age. */
import type { Catalogue } from './catalogue.ts'

const DAY_MS = 86_400_000

/**
 * Whether something was used between `limit` and now: otherwise the clock may have jumped over that time. What was used
 * since a jump says nothing about it, so the last day, or half of a shorter time, does not count.
 */
export function isTimeSure(catalogue: Catalogue, now: number, limit: number): boolean {
  const { newest } = catalogue.use(now - Math.min(DAY_MS, (now - limit) / 2))
  return newest !== undefined && newest >= limit
}
