/** The last bytes that a program has written, by their position since its start. Takes memory as it fills. */

const FIRST_BYTES = 65_536

export class ByteRing {
  readonly #capacity: number
  #bytes: Uint8Array
  #end = 0

  constructor(capacity: number) {
    this.#capacity = capacity
    this.#bytes = new Uint8Array(Math.min(FIRST_BYTES, capacity))
  }

  /** The position of the oldest byte that is kept. */
  get start(): number {
    return Math.max(0, this.#end - this.#capacity)
  }

  /** The position behind the newest byte. */
  get end(): number {
    return this.#end
  }

  push(chunk: Uint8Array): void {
    this.#grow(this.#end + chunk.length)
    const from = Math.max(0, chunk.length - this.#bytes.length)
    const kept = chunk.subarray(from)
    const at = (this.#end + from) % this.#bytes.length
    const head = kept.subarray(0, this.#bytes.length - at)
    this.#bytes.set(head, at)
    this.#bytes.set(kept.subarray(head.length), 0)
    this.#end += chunk.length
  }

  /** A copy of at most `limit` bytes from this position, which is at or behind the start. */
  read(from: number, limit: number): Uint8Array {
    const length = Math.max(0, Math.min(limit, this.#end - from))
    const copy = new Uint8Array(length)
    const at = from % this.#bytes.length
    const head = this.#bytes.subarray(at, Math.min(this.#bytes.length, at + length))
    copy.set(head, 0)
    copy.set(this.#bytes.subarray(0, length - head.length), head.length)
    return copy
  }

  /** Before the first byte is overwritten a position is its place, so growing is one copy. */
  #grow(needed: number): void {
    let size = this.#bytes.length
    while (size < needed && size < this.#capacity) size = Math.min(size * 2, this.#capacity)
    if (size === this.#bytes.length) return
    const larger = new Uint8Array(size)
    larger.set(this.#bytes.subarray(0, Math.min(this.#end, this.#bytes.length)))
    this.#bytes = larger
  }
}
