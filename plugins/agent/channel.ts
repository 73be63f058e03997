/** Carries events from the turn to whoever reads it, with a bound. */

/** Events that may wait for a slow reader before the turn waits too. */
const HIGH_WATER = 256

interface Batch<T> {
  readonly items: readonly T[]
  readonly until: Promise<void> | undefined
}

export class Channel<T> implements AsyncIterable<T> {
  #waiting: Batch<T>[] = []
  #count = 0
  #closed = false
  #wakeReader = () => {}
  #wakeWriter = () => {}

  /** Nobody reads them, nor what comes later, before `until`; when that rejects, reading does. */
  push(items: readonly T[], until?: Promise<void>): void {
    // Whoever reads hears of it; a reader that has gone does not care.
    until?.catch(() => {})
    this.#waiting.push({ items, until })
    this.#count += items.length
    this.#wakeReader()
  }

  /** Resolves when the reader has caught up enough to go on. */
  async room(): Promise<void> {
    while (this.#count > HIGH_WATER && !this.#closed)
      await new Promise<void>((resolve) => {
        this.#wakeWriter = resolve
      })
  }

  close(): void {
    this.#closed = true
    this.#wakeReader()
    this.#wakeWriter()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      for (let batch = this.#waiting.shift(); batch; batch = this.#waiting.shift()) {
        this.#count -= batch.items.length
        this.#wakeWriter()
        if (batch.until) await batch.until
        yield* batch.items
      }
      if (this.#closed) return
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve
      })
    }
  }
}
