/** Counts what happened in the last minute, by name. */
import type { Clock } from 'svc/sdk'

const WINDOW_MS = 60_000
/** Names that are remembered; strangers choose them. */
const MAX_NAMES = 10_000

export class Limiter {
  readonly #clock: () => Clock
  readonly #limit: number
  readonly #times: Map<string, number[]> = new Map()

  constructor(clock: () => Clock, limit: number) {
    this.#clock = clock
    this.#limit = limit
  }

  /** Milliseconds until there is room again; 0 when there is. */
  waitMs(name: string): number {
    const times = this.#recent(name)
    const [oldest] = times.slice(-this.#limit)
    return times.length < this.#limit || oldest === undefined ? 0 : oldest + WINDOW_MS - this.#clock().monotonic()
  }

  /** Counts one more; false when there was no room, and then it does not count. */
  take(name: string): boolean {
    if (this.waitMs(name) > 0) return false
    const times = this.#recent(name)
    times.push(this.#clock().monotonic())
    this.#times.delete(name)
    this.#times.set(name, times)
    const [oldest] = this.#times.size > MAX_NAMES ? this.#times.keys() : []
    if (oldest !== undefined) this.#times.delete(oldest)
    return true
  }

  #recent(name: string): number[] {
    const since = this.#clock().monotonic() - WINDOW_MS
    return (this.#times.get(name) ?? []).filter((time) => time > since)
  }
}
