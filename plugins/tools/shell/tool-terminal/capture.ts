/** Keeps the beginning and the end of an output of any length in bounded memory. */

/** What was kept. `tail` is empty unless the middle was left out. */
export interface Captured {
  readonly head: Buffer
  readonly tail: Buffer
  /** Bytes between head and tail that were not kept. */
  readonly omitted: number
  readonly total: number
}

/** Takes bytes as they come: 40 % of the limit goes to the beginning, 60 % to the end. */
export class Capture {
  readonly #headLimit: number
  readonly #tailLimit: number
  #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  #total = 0

  constructor(limit: number) {
    this.#headLimit = Math.floor(limit * 0.4)
    this.#tailLimit = limit - this.#headLimit
  }

  /** All bytes seen so far. */
  get total(): number {
    return this.#total
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length
    const toHead = Math.min(chunk.length, this.#headLimit - this.#headBytes)
    if (toHead > 0) {
      this.#head.push(chunk.subarray(0, toHead))
      this.#headBytes += toHead
    }
    if (toHead === chunk.length) return
    this.#tail.push(chunk.subarray(toHead))
    this.#tailBytes += chunk.length - toHead
    if (this.#tailBytes > 4 * this.#tailLimit + 65_536) this.#shrink()
  }

  /** What was kept of it. */
  finish(): Captured {
    this.#shrink()
    const head = Buffer.concat(this.#head)
    const tail = Buffer.concat(this.#tail)
    const omitted = this.#total - head.length - tail.length
    return omitted === 0
      ? { head: Buffer.concat([head, tail]), tail: Buffer.alloc(0), omitted, total: this.#total }
      : { head, tail, omitted, total: this.#total }
  }

  #shrink(): void {
    if (this.#tailBytes <= this.#tailLimit) return
    // A copy, so that the chunks it was cut from can be freed.
    const end = Buffer.from(Buffer.concat(this.#tail).subarray(this.#tailBytes - this.#tailLimit))
    this.#tail = [end]
    this.#tailBytes = end.length
  }
}
