/** Numbers that no two machines give: the time in milliseconds, and twelve bits of chance. */
import type { Clock, Random } from 'svc/sdk'

/** 2020-09-13. */
const SINCE = 1_600_000_000_000
const CHANCES = 4096

/** Each is larger than the one before it. */
export function numbers(clock: Clock, random: Random): () => number {
  let last = 0
  return () => {
    last = Math.max(last + 1, (clock.now() - SINCE) * CHANCES + Math.floor(random.next() * CHANCES))
    return last
  }
}
