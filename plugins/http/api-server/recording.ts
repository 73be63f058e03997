/** Pieces of a reply that several clients read, from its beginning, while it is made. */
export class Recording {
  readonly #pieces: string[] = []
  /** Rejects with what the pieces broke off with. */
  readonly ended: Promise<void>
  #isOver = false
  #failure: { readonly error: unknown } | undefined
  #more = () => {}
  #change: Promise<void> = Promise.resolve()

  constructor(pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>) {
    this.#renew()
    this.ended = this.#read(pieces)
    // A caller that waits for the end gets the failure; it does not stop other callers.
    this.ended.catch(() => {})
  }

  async whole(): Promise<string> {
    await this.ended
    return this.#pieces.join('')
  }

  async *follow(from = 0): AsyncGenerator<string> {
    for (let at = from; ; ) {
      const changed = this.#change
      for (; at < this.#pieces.length; at++) yield this.#pieces[at] ?? ''
      if (this.#isOver) break
      await changed
    }
    if (this.#failure) throw this.#failure.error
  }

  async #read(pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>): Promise<void> {
    try {
      for await (const piece of pieces) {
        this.#pieces.push(typeof piece === 'string' ? piece : Buffer.from(piece).toString())
        this.#renew()
      }
    } catch (error) {
      this.#failure = { error }
      throw error
    } finally {
      this.#isOver = true
      this.#renew()
    }
  }

  #renew(): void {
    this.#more()
    this.#change = new Promise((resolve) => {
      this.#more = resolve
    })
  }
}
