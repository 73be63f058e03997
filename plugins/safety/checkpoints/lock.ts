/** One at a time: within this process by a queue, between processes by a file that names its holder. */
import { type Clock, type Random, SvcError } from 'svc/sdk'
import { withFileLock } from 'svc/sdk/kit/process'

const WAIT_MS = 30_000

/** Locks by the paths of their files. */
export class Locks {
  readonly #clock: () => Clock
  readonly #random: () => Random
  readonly #queues: Map<string, Promise<unknown>> = new Map()

  constructor(clock: () => Clock, random: () => Random) {
    this.#clock = clock
    this.#random = random
  }

  /** Throws `CHECKPOINT_BUSY` if another process keeps it too long. */
  async hold<T>(file: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(file) ?? Promise.resolve()
    const mine = before.then(() => this.#alone(file, work))
    const settled = mine.catch(() => undefined)
    this.#queues.set(file, settled)
    try {
      return await mine
    } finally {
      if (this.#queues.get(file) === settled) this.#queues.delete(file)
    }
  }

  #alone<T>(file: string, work: () => Promise<T>): Promise<T> {
    const onTimeout = () =>
      new SvcError('CHECKPOINT_BUSY', 'Another svc works on the snapshots of this project. Try again later.')
    return withFileLock({ file, clock: this.#clock(), random: this.#random(), waitMs: WAIT_MS, onTimeout }, work)
  }
}
