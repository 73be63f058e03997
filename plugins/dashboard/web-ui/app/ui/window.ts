/** Which rows of a long list are in view. Rows have heights of their own, guessed until they were seen. */

export class RowHeights {
  readonly #known = new Map<string, number>()
  #ids: readonly string[] = []
  /** Where each row begins, and behind the last one the height of all. */
  #starts = new Float64Array(1)
  #sum = 0

  /** The rows in their order. */
  setRows(ids: readonly string[]): void {
    this.#ids = ids
    this.#measureAll()
  }

  get total(): number {
    return this.#starts[this.#ids.length] ?? 0
  }

  start(index: number): number {
    return this.#starts[Math.max(0, Math.min(index, this.#ids.length))] ?? 0
  }

  /** Notes heights that were seen. Returns by how much what is above `offset` grew. */
  measure(seen: ReadonlyMap<string, number>, offset: number): number {
    const before = this.start(this.at(offset))
    const top = this.#ids[this.at(offset)]
    for (const [id, height] of seen) {
      this.#sum += height - (this.#known.get(id) ?? 0)
      this.#known.set(id, height)
    }
    this.#measureAll()
    return top === undefined ? 0 : this.start(this.#ids.indexOf(top)) - before
  }

  height(id: string): number | undefined {
    return this.#known.get(id)
  }

  /** The row at a distance from the top. */
  at(offset: number): number {
    let [low, high] = [0, Math.max(0, this.#ids.length - 1)]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.start(middle) <= offset) low = middle
      else high = middle - 1
    }
    return low
  }

  #measureAll(): void {
    const guess = this.#known.size === 0 ? 80 : this.#sum / this.#known.size
    const count = this.#ids.length
    if (this.#starts.length < count + 1) this.#starts = new Float64Array((count + 1) * 2)
    let start = 0
    for (let index = 0; index < count; index++) {
      this.#starts[index] = start
      start += this.#known.get(this.#ids[index] as string) ?? guess
    }
    this.#starts[count] = start
  }
}
