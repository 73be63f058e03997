/** Work that runs once at a time, for all who ask: those who ask while it runs share the next run. */
export class SharedWork<T> {
  readonly #work: () => Promise<T>
  #running: Promise<unknown> | undefined
  #next: Promise<T> | undefined

  constructor(work: () => Promise<T>) {
    this.#work = work
  }

  /** Resolves with a run that began after this call. */
  ask(): Promise<T> {
    this.#next ??= this.#begin()
    return this.#next
  }

  async #begin(): Promise<T> {
    await this.#running?.catch(() => {})
    // What was done in this moment belongs to it.
    await Promise.resolve()
    this.#next = undefined
    const run = this.#work()
    this.#running = run
    return run
  }
}
