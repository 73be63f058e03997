/** What was written in one round of the event loop and shares one commit: sixteen conversations cost little more than one. */

/**
 * Those that are open in this process, by file: they hold its write lock, for which no code of this process may wait.
 */
const open = new Map<string, Group>()

interface Waiting {
  readonly promise: Promise<void>
  resolve(): void
  reject(error: unknown): void
}

export class Group {
  readonly #file: string
  readonly #settle: () => void
  readonly #round: NodeJS.Immediate
  #waiting: Waiting | undefined

  /** `settle` commits, and calls `end`. It is called at the end of the round at the latest. */
  constructor(file: string, settle: () => void) {
    this.#file = file
    this.#settle = settle
    this.#round = setImmediate(settle)
    if (open.size === 0) process.once('exit', settleAll)
    open.set(file, this)
  }

  /** Resolves when it is committed; rejects when it could not be. */
  get committed(): Promise<void> {
    if (!this.#waiting) {
      const waiting = { resolve: () => {}, reject: (_: unknown) => {} }
      const promise = new Promise<void>((resolve, reject) => Object.assign(waiting, { resolve, reject }))
      // The caller may have disconnected.
      promise.catch(() => {})
      this.#waiting = Object.assign(waiting, { promise })
    }
    return this.#waiting.promise
  }

  settle(): void {
    this.#settle()
  }

  /** Ends it; returns whether a caller waited for that. */
  end(error?: unknown): boolean {
    clearImmediate(this.#round)
    open.delete(this.#file)
    if (open.size === 0) process.removeListener('exit', settleAll)
    if (error === undefined) this.#waiting?.resolve()
    else this.#waiting?.reject(error)
    return this.#waiting !== undefined
  }
}

/** Work on another connection to the file comes after what waits. */
export function settleOthers(file: string, own: Group | undefined): void {
  if (open.size === 0) return
  const group = open.get(file)
  if (group && group !== own) group.settle()
}

/** Whether this process holds the write lock of another file. */
export function holdsOthers(file: string): boolean {
  return open.size > (open.has(file) ? 1 : 0)
}

/** Who waits for another process gives up what that one may wait for. */
export function settleAll(): void {
  for (const group of [...open.values()]) group.settle()
}
