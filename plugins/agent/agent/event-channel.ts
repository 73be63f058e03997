/** Carries events from the turn to its reader, with a bounded buffer. */

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
  readonly #pushed: (items: readonly T[], until: Promise<void> | undefined) => void
  #wakeReader = () => {}
  #wakeWriter = () => {}

  /** `pushed` is called for what is pushed, after it. */
  constructor(pushed: (items: readonly T[], until: Promise<void> | undefined) => void = () => {}) {
    this.#pushed = pushed
  }

  /** They and later events are not delivered before `until`; if it rejects, reading rejects. */
  push(items: readonly T[], until?: Promise<void>): void {
    // The reader gets the rejection; without a reader it is irrelevant.
    until?.catch(() => {})
    this.#waiting.push({ items, until })
    this.#count += items.length
    this.#wakeReader()
    this.#pushed(items, until)
  }

  /** Resolves when the reader has caught up enough to continue. */
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
