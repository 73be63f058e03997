/** Keeps the end of a text that grows for ever. */

/** The last `limit` characters of what was added. */
export class TailText {
  readonly #limit: number
  #parts: string[] = []
  #length = 0
  #omitted = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(text: string): void {
    this.#parts.push(text)
    this.#length += text.length
    if (this.#length > 2 * this.#limit) this.#shrink()
  }

  /** What is kept, and how many characters there were before it. */
  get(): { readonly text: string; readonly omitted: number } {
    this.#shrink()
    return { text: this.#parts[0] ?? '', omitted: this.#omitted }
  }

  #shrink(): void {
    const whole = this.#parts.join('')
    const excess = Math.max(0, whole.length - this.#limit)
    this.#omitted += excess
    this.#parts = [whole.slice(excess)]
    this.#length = whole.length - excess
  }
}
