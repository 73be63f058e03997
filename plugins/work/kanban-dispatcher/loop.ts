/** Looks at the boards again and again, as the only process of this machine that does so for the installation. */
import { type Clock, type Logger, logFault, SvcError } from 'svc/sdk'
import type { Boards, DispatchOptions } from 'svc/sdk/kanban'
import { getMachineName, isRunning } from 'svc/sdk/kit/process'
import type { Lease, SharedDatabase, SharedStore } from 'svc/sdk/store'
import type { Dispatcher } from './dispatcher.ts'
import { ownHolder, parseHolder } from './holder.ts'
import type { DispatchReport } from './report.ts'

/** A dispatcher that was killed keeps those waiting for so long. */
const LEASE_MS = 20_000
/** Between two looks, however much happens: each heartbeat of a worker is a change of a board. */
const MIN_GAP_MS = 300
const WAKE = 'wake'

interface Asked {
  readonly options: DispatchOptions
  resolve(report: DispatchReport): void
  reject(error: unknown): void
}

export interface LoopDeps {
  readonly store: () => SharedStore
  readonly boards: () => Boards
  readonly dispatcher: Dispatcher
  readonly clock: Clock
  readonly log: Logger
  readonly intervalMs: () => number
  readonly options: DispatchOptions
  /** While it is true, workers are looked after and none is started. */
  isDraining(): boolean
  /** Nothing else keeps the process alive. */
  readonly isAlone: boolean
  readonly onReport?: (report: DispatchReport) => void
  /** Whether this process is the one that dispatches on this machine. */
  readonly onHold?: (isHeld: boolean) => void
}

/** The right to dispatch on this machine. */
export async function openDispatchStore(store: SharedStore): Promise<SharedDatabase<Record<string, never>>> {
  return store.open({ owner: 'kanban-dispatcher', migrations: [], scope: 'installation' })
}

export const dispatchLock = (): string => `dispatcher:${getMachineName()}`

/** Undefined while another process has it. That of one that was killed is free at once. */
export async function takeDispatchLock({
  locks,
}: Pick<SharedDatabase<Record<string, never>>, 'locks'>): Promise<Lease | undefined> {
  const options = { ttlMs: LEASE_MS, holder: ownHolder() }
  const lease = await locks.take(dispatchLock(), options)
  if (lease) return lease
  const held = await locks.holder(dispatchLock())
  const process = held && parseHolder(held.holder)
  if (!process || process.machine !== getMachineName() || isRunning(process)) return undefined
  return locks.take(dispatchLock(), { ...options, after: held.token })
}

/** Tells the process that dispatches to look now. */
export async function wakeDispatcher(database: SharedDatabase<Record<string, never>>): Promise<void> {
  await database.notify(WAKE, '')
}

export class DispatchLoop {
  readonly #deps: LoopDeps
  #wake: () => void = () => {}
  #isWoken = false
  #asked: Asked[] = []

  constructor(deps: LoopDeps) {
    this.#deps = deps
  }

  /** The next look is soon. */
  wake(): void {
    this.#isWoken = true
    this.#wake()
  }

  /** What the next look finds, with options of its own. Rejects when this process no longer dispatches. */
  look(options: DispatchOptions): Promise<DispatchReport> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ options, resolve, reject })
      this.wake()
    })
  }

  /** Until the signal aborts. A store that cannot be used is tried again. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, intervalMs } = this.#deps
    while (!signal.aborted) {
      try {
        await this.#runOnce(signal)
      } catch (error) {
        if (!signal.aborted) logFault(log, 'the boards could not be looked at; they are tried again', error)
      }
      await this.#wait(Math.min(intervalMs(), LEASE_MS), signal)
    }
  }

  async #runOnce(signal: AbortSignal): Promise<void> {
    const { store, boards } = this.#deps
    await using database = await openDispatchStore(store())
    await using lease = await takeDispatchLock(database)
    if (!lease) return
    await using _woken = database.listen(WAKE, () => this.wake())
    await using _changed = await boards().watch(() => this.wake())
    const until = AbortSignal.any([signal, lease.signal])
    try {
      this.#deps.onHold?.(true)
      while (!until.aborted) await this.#lookOnce(until)
    } finally {
      this.#deps.onHold?.(false)
      const ended = new SvcError('KANBAN_NOT_DISPATCHING', 'This process no longer dispatches. Ask again.', {
        status: 503,
      })
      for (const { reject } of this.#asked.splice(0)) reject(ended)
    }
  }

  async #lookOnce(until: AbortSignal): Promise<void> {
    const { onReport, intervalMs } = this.#deps
    this.#isWoken = false
    const asked = this.#asked.shift()
    const report = await this.#tick(asked)
    onReport?.(report)
    if (this.#asked.length > 0) this.#isWoken = true
    await this.#pause(MIN_GAP_MS, until)
    if (!this.#isWoken) await this.#wait(intervalMs(), until)
  }

  async #tick(asked: Asked | undefined): Promise<DispatchReport> {
    const { dispatcher, options, isDraining } = this.#deps
    try {
      const report = await dispatcher.tick({ ...options, ...asked?.options, ...(isDraining() && { max: 0 }) })
      asked?.resolve(report)
      return report
    } catch (error) {
      asked?.reject(error)
      throw error
    }
  }

  /** Ends early when it is woken. */
  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    await this.#pause(ms, AbortSignal.any([signal, woken.signal]))
    this.#wake = () => {}
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const { clock, isAlone } = this.#deps
    await new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve, { background: !isAlone })
      const stop = () => {
        cancel()
        resolve()
      }
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    })
  }
}
