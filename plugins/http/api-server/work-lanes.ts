/** Work in lanes: one after another in each of them, the lanes beside each other. */
export class Lanes {
  readonly #most: number
  readonly #tails: Map<string, Promise<void>> = new Map()
  #count = 0

  /** `most` works are taken at a time, under way or waiting. */
  constructor(most: number) {
    this.#most = most
  }

  /** False when there are too many. The work must not reject. */
  add(lane: string, work: () => Promise<void>): boolean {
    if (this.#count >= this.#most) return false
    this.#count++
    const before = this.#tails.get(lane) ?? Promise.resolve()
    const tail = before.then(work).finally(() => {
      this.#count--
      if (this.#tails.get(lane) === tail) this.#tails.delete(lane)
    })
    this.#tails.set(lane, tail)
    return true
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values())
  }
}
