/** Time that passes when a test says so. */
import type { Clock } from '../ports.ts'

interface Timer {
  readonly at: number
  readonly order: number
  readonly callback: () => void
}

/** A clock that stands still until `advance` is called. @since 0.1 */
export interface VirtualClock extends Clock {
  /** Lets `ms` pass; timers run in order, and what they started gets its turn in between. */
  advance(ms: number): Promise<void>
  /** Lets `ms` pass in one step, as a machine that sleeps: a timer that is due by then runs once, at the end. */
  jump(ms: number): Promise<void>
  /** Timers that are waiting. */
  pending(): number
}

/** Starts at `startAt` (default 2026-01-01T00:00:00Z). @since 0.1 */
export function virtualClock(startAt = Date.UTC(2026, 0, 1)): VirtualClock {
  let now = startAt
  let order = 0
  const timers = new Set<Timer>()
  const after: Clock['after'] = (ms, callback) => {
    const timer = { at: now + Math.max(0, ms), order: order++, callback }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  return {
    now: () => now,
    monotonic: () => now - startAt,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const abort = () => {
          cancel()
          reject(signal?.reason)
        }
        const cancel = after(ms, () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        })
        signal?.addEventListener('abort', abort, { once: true })
      }),
    async advance(ms) {
      const end = now + ms
      await settle()
      for (let next = first(timers, end); next; next = first(timers, end)) {
        timers.delete(next)
        now = next.at
        next.callback()
        await settle()
      }
      now = end
    },
    async jump(ms) {
      now += ms
      await settle()
      for (const timer of [...timers].filter(({ at }) => at <= now).sort(byTime)) {
        if (timers.delete(timer)) timer.callback()
        await settle()
      }
    },
    pending: () => timers.size,
  }
}

function first(timers: ReadonlySet<Timer>, end: number): Timer | undefined {
  const due = [...timers].filter((timer) => timer.at <= end)
  return due.sort(byTime)[0]
}

const byTime = (a: Timer, b: Timer): number => a.at - b.at || a.order - b.order

/** Promises that are settled already run their continuations. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
