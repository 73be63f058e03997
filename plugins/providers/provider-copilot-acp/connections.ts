/** One connection for all calls: made at the first one, ended when it is not used for a while. */
import { Clock } from 'svc/sdk'
import type { CopilotConnection } from './connection.ts'
import type { Deps } from './place.ts'

const IDLE_MS = 300_000

export class CopilotConnections {
  readonly #deps: Deps
  #open: Promise<CopilotConnection> | undefined
  #users = 0
  #cancelEnd: () => void = () => {}

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The connection while `work` runs. Throws what `CopilotConnection.open` does. */
  async *use<T>(work: (connection: CopilotConnection) => AsyncGenerator<T>): AsyncGenerator<T> {
    this.#cancelEnd()
    this.#users++
    try {
      yield* work(await this.#connect())
    } finally {
      this.#users--
      if (this.#users === 0)
        this.#cancelEnd = this.#deps.use(Clock).after(IDLE_MS, () => void this.close(), { background: true })
    }
  }

  async close(): Promise<void> {
    this.#cancelEnd()
    const open = this.#open
    this.#open = undefined
    await open?.then(
      (connection) => connection.close(),
      () => {},
    )
  }

  /** Of calls that come together one connects. */
  #connect(): Promise<CopilotConnection> {
    if (this.#open) return this.#open
    const opening = import('./connection.ts').then((each) => each.CopilotConnection.open(this.#deps))
    const forget = () => {
      if (this.#open === opening) this.#open = undefined
    }
    this.#open = opening
    opening.then((connection) => connection.closed.then(forget), forget)
    return opening
  }
}
