/** A memory for results that forgets what was not asked for lately. */

/** Holds at most `size` results: what is found in the older half moves to the younger. */
export class Recent<Value> {
  readonly #half: number
  #young: Map<string, Value> = new Map()
  #old: Map<string, Value> = new Map()

  constructor(size: number) {
    this.#half = Math.max(1, Math.floor(size / 2))
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  get(key: string, make: (key: string) => Value): Value {
    const known = this.#young.get(key)
    if (known !== undefined) return known
    const value = this.#old.get(key) ?? make(key)
    if (this.#young.size >= this.#half) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#old.delete(key)
    this.#young.set(key, value)
    return value
  }
}
