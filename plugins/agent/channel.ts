/** Carries events from the turn to whoever reads it, with a bound. */

/** Events that may wait for a slow reader before the turn waits too. */
const HIGH_WATER = 256

export class Channel<T> implements AsyncIterable<T> {
  #waiting: T[] = []
  #closed = false
  #wakeReader = () => {}
  #wakeWriter = () => {}

  push(items: readonly T[]): void {
    this.#waiting.push(...items)
    this.#wakeReader()
  }

  /** Resolves when the reader has caught up enough to go on. */
  async room(): Promise<void> {
    while (this.#waiting.length > HIGH_WATER && !this.#closed)
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
      const batch = this.#waiting
      this.#waiting = []
      this.#wakeWriter()
      yield* batch
      if (this.#waiting.length) continue
      if (this.#closed) return
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve
      })
    }
  }
}
