/** Which of several keys is next. */
import type { Config } from './config.ts'

/** A key that could be used now. */
export interface Candidate {
  readonly id: string
  /** Calls so far. */
  readonly requests: number
  /** Calls that are under way. */
  readonly leases: number
}

/** Keys that are in use come after those that are not; `last` is the one that was picked before. */
export function pick<Key extends Candidate>(
  keys: readonly [Key, ...Key[]],
  strategy: Config[string],
  { last, random }: { readonly last: string | undefined; readonly random: () => number },
): Key {
  const [first] = keys
  const least = Math.min(...keys.map(({ leases }) => leases))
  const free = keys.filter(({ leases }) => leases === least)
  switch (strategy) {
    case 'fill_first':
      return free[0] ?? first
    case 'round_robin':
      return findNextFree(keys, free, last) ?? first
    case 'least_used':
      return free.toSorted((a, b) => a.requests - b.requests)[0] ?? first
    case 'random':
      return free[Math.floor(random() * free.length)] ?? first
  }
}

/** The first free one behind the last, in the order of all, and round again. */
function findNextFree<Key extends Candidate>(
  keys: readonly Key[],
  free: readonly Key[],
  last: string | undefined,
): Key | undefined {
  const at = keys.findIndex(({ id }) => id === last) + 1
  return [...keys.slice(at), ...keys.slice(0, at)].find((key) => free.includes(key))
}
