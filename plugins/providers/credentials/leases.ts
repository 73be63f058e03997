/** Which keys are in use, so that parallel calls spread over them. */

/** A call that never says how it ended does not hold its key for longer. */
const LEASE_MS = 15 * 60_000

/** Counts the calls that are under way with each key. */
export class Leases {
  #held: Map<string, ReadonlySet<{ readonly since: number }>> = new Map()
  #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns the release, which may be called more than once. */
  hold(place: string): () => void {
    const lease = { since: this.#now() }
    this.#held.set(place, new Set([...this.#current(place), lease]))
    return () => {
      this.#held.set(place, new Set(this.#current(place).filter((other) => other !== lease)))
    }
  }

  count(place: string): number {
    return this.#current(place).length
  }

  #current(place: string): readonly { readonly since: number }[] {
    const now = this.#now()
    return [...(this.#held.get(place) ?? [])].filter(({ since }) => now - since < LEASE_MS)
  }
}
