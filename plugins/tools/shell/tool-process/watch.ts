/** Looks for texts in the output of a process and tells of them, but never often. */
import type { Clock } from 'svc/sdk'

const PER_PROCESS_MS = 15_000
const STRIKES = 3
const ALL_WINDOW_MS = 10_000
const ALL_LIMIT = 15
const ALL_PAUSE_MS = 30_000
const LONGEST_LINE = 2000
const MAX_LINES = 20

/** How often all processes together may tell of something: fifteen times in ten seconds, then not for thirty. */
export class NoticeLimit {
  readonly #clock: Clock
  #recent: number[] = []
  #pausedUntil = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether one more may be told now. */
  take(): boolean {
    const now = this.#clock.monotonic()
    if (now < this.#pausedUntil) return false
    this.#recent = this.#recent.filter((at) => now - at < ALL_WINDOW_MS)
    if (this.#recent.length >= ALL_LIMIT) {
      this.#pausedUntil = now + ALL_PAUSE_MS
      return false
    }
    this.#recent.push(now)
    return true
  }
}

/** What a watch needs. */
export interface WatchOptions {
  readonly patterns: readonly string[]
  readonly clock: Clock
  readonly limit: NoticeLimit
  readonly onMatch: (lines: readonly string[]) => void
  /** Matches come too often; from now on only the end is told. */
  readonly onGiveUp: () => void
}

/** Watches one process. A match within 15 seconds of the last notice is a strike; the third ends the watch. */
export class Watch {
  readonly #options: WatchOptions
  #line = ''
  #toldAt = Number.NEGATIVE_INFINITY
  #strikes = 0
  #struckAt = Number.NEGATIVE_INFINITY
  #over = false

  constructor(options: WatchOptions) {
    this.#options = options
  }

  add(text: string): void {
    if (this.#over) return
    const lines = (this.#line + text).split(/\r?\n/)
    this.#line = (lines.pop() ?? '').slice(-LONGEST_LINE)
    this.#look(lines)
  }

  /** Looks at a last line that was not ended. */
  finish(): void {
    if (!this.#over) this.#look([this.#line])
    this.#over = true
  }

  #look(lines: readonly string[]): void {
    const { patterns, clock, limit, onMatch, onGiveUp } = this.#options
    const found = lines.filter((line) => patterns.some((pattern) => line.includes(pattern)))
    if (found.length === 0) return
    const now = clock.monotonic()
    if (now - this.#toldAt >= PER_PROCESS_MS) {
      if (this.#struckAt < this.#toldAt) this.#strikes = 0
      if (!limit.take()) return
      this.#toldAt = now
      onMatch(found.slice(0, MAX_LINES).map((line) => line.slice(0, LONGEST_LINE)))
    } else if (this.#struckAt < this.#toldAt) {
      this.#struckAt = now
      this.#strikes++
      if (this.#strikes < STRIKES) return
      this.#over = true
      onGiveUp()
    }
  }
}
