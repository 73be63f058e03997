/** How many subagents of one session work at a time; the others wait in order. */

export class Slots {
  readonly #busy: Map<string, number> = new Map()
  #waiting: { readonly session: string; readonly begin: () => void }[] = []

  /** Resolves with what gives the place back, or rejects with the reason of `signal`. */
  async take(session: string, most: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.busy(session) >= most) await this.#wait(session, signal)
    else this.#add(session, 1)
    let isBack = false
    return () => {
      if (isBack) return
      isBack = true
      this.#giveBack(session)
    }
  }

  busy(session: string): number {
    return this.#busy.get(session) ?? 0
  }

  #add(session: string, more: number): void {
    const count = this.busy(session) + more
    if (count > 0) this.#busy.set(session, count)
    else this.#busy.delete(session)
  }

  #wait(session: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiting = this.#waiting.filter((each) => each !== entry)
        reject(signal.reason)
      }
      const begin = () => {
        signal.removeEventListener('abort', stop)
        resolve()
      }
      const entry = { session, begin }
      this.#waiting.push(entry)
      signal.addEventListener('abort', stop, { once: true })
    })
  }

  /** The place goes to the one that waits longest. */
  #giveBack(session: string): void {
    const next = this.#waiting.find((each) => each.session === session)
    this.#waiting = this.#waiting.filter((each) => each !== next)
    if (next) next.begin()
    else this.#add(session, -1)
  }
}
