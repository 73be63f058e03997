/**
 * The backends that run, one for each profile: at most three. A fourth takes the place of the one that was used longest ago; one
 * that no page has touched for ten minutes ends. A failed start is latched until a reset.
 */
import { type Clock, type Logger, logFault, SvcError } from 'svc/sdk'
import type { Backend, BackendEnd } from './backend.ts'

export interface PoolDeps {
  readonly clock: Clock
  readonly log: Logger
  start(profile: string, port: number): Promise<Backend>
  /** One has ended that should not. Restarted ones are not reported as failed. */
  onExit(profile: string, end: BackendEnd, isRestarted: boolean): void
  readonly max: number
  readonly idleMs: number
}

interface Entry {
  readonly profile: string
  readonly backend: Promise<Backend>
  usedAt: number
  isClosing: boolean
}

/** A page that is open says so more often than this. */
export const TOUCH_MS = 90_000
const REAP_MS = 30_000
const MAX_CRASHES = 3
const CRASH_WINDOW_MS = 60_000

export class BackendPool {
  readonly #deps: PoolDeps
  readonly #open: Map<string, Entry> = new Map()
  readonly #failures: Map<string, unknown> = new Map()
  readonly #crashes: Map<string, number[]> = new Map()
  readonly #ports: Map<string, number> = new Map()
  #cancelReaper: (() => void) | undefined

  constructor(deps: PoolDeps) {
    this.#deps = deps
  }

  get profiles(): readonly string[] {
    return [...this.#open.keys()]
  }

  /**
   * The backend of a profile, started when there is none. Throws the latched failure of its last start, and `DESKTOP_POOL_FULL`
   * when all places are taken by backends with open pages.
   */
  async get(profile: string): Promise<Backend> {
    const failure = this.#failures.get(profile)
    if (failure !== undefined) throw failure
    const known = this.#open.get(profile)
    if (known) {
      known.usedAt = this.#deps.clock.monotonic()
      return known.backend
    }
    await this.#makeRoom()
    return (this.#open.get(profile) ?? this.#start(profile)).backend
  }

  /** A page of this profile is open. */
  touch(profile: string): void {
    const entry = this.#open.get(profile)
    if (entry) entry.usedAt = this.#deps.clock.monotonic()
  }

  /** Clears the latch and ends the backend. */
  async reset(profile: string): Promise<void> {
    this.#failures.delete(profile)
    this.#crashes.delete(profile)
    const entry = this.#open.get(profile)
    if (entry) await this.#end(entry)
  }

  async close(): Promise<void> {
    this.#cancelReaper?.()
    await Promise.all([...this.#open.values()].map((entry) => this.#end(entry)))
  }

  #start(profile: string): Entry {
    const { clock } = this.#deps
    const backend = this.#deps.start(profile, this.#ports.get(profile) ?? 0)
    const entry: Entry = { profile, backend, usedAt: clock.monotonic(), isClosing: false }
    this.#open.set(profile, entry)
    this.#cancelReaper ??= this.#reapLater()
    backend.then(
      (started) => {
        // Its pages keep their origin, and with it what they have stored, when it is started again.
        this.#ports.set(profile, started.port)
        void started.ended.then((end) => this.#ended(entry, end))
      },
      (error: unknown) => {
        if (this.#open.get(profile) === entry) this.#open.delete(profile)
        if (!entry.isClosing) this.#failures.set(profile, error)
      },
    )
    return entry
  }

  /** A crash is repaired by another start, unless there were too many. */
  #ended(entry: Entry, end: BackendEnd): void {
    const { profile, isClosing } = entry
    if (this.#open.get(profile) === entry) this.#open.delete(profile)
    if (isClosing) return
    const now = this.#deps.clock.monotonic()
    const crashes = [...(this.#crashes.get(profile) ?? []), now].filter((at) => at > now - CRASH_WINDOW_MS)
    this.#crashes.set(profile, crashes)
    const isRestarted = crashes.length <= MAX_CRASHES
    if (isRestarted) {
      // A failure is latched by the start, and the next `get` throws it.
      this.#start(profile).backend.catch((error: unknown) =>
        logFault(this.#deps.log, 'a backend could not be started again', error),
      )
    } else {
      const tail = end.tail.slice(-8).join('\n')
      const text = `The backend ended ${crashes.length} times in a minute. The end of its log:\n${tail}`
      this.#failures.set(profile, new SvcError('DESKTOP_BACKEND', text))
    }
    this.#deps.onExit(profile, end, isRestarted)
  }

  async #makeRoom(): Promise<void> {
    if (this.#open.size < this.#deps.max) return
    const [oldest] = [...this.#open.values()].sort((a, b) => a.usedAt - b.usedAt)
    if (!oldest || oldest.usedAt > this.#deps.clock.monotonic() - TOUCH_MS) {
      const text = `${this.#deps.max} backends run with open pages. Close one of their windows, or raise SVC_DESKTOP_POOL_MAX.`
      throw new SvcError('DESKTOP_POOL_FULL', text)
    }
    await this.#end(oldest)
  }

  async #end(entry: Entry): Promise<void> {
    entry.isClosing = true
    if (this.#open.get(entry.profile) === entry) this.#open.delete(entry.profile)
    await entry.backend.then((backend) => backend.close()).catch(() => undefined)
  }

  #reapLater(): () => void {
    const reap = () => {
      const before = this.#deps.clock.monotonic() - this.#deps.idleMs
      for (const entry of this.#open.values())
        if (entry.usedAt <= before)
          void this.#end(entry).catch((error: unknown) =>
            logFault(this.#deps.log, 'a backend could not be ended', error, undefined),
          )
      this.#cancelReaper = this.#open.size > 0 ? this.#reapLater() : undefined
    }
    return this.#deps.clock.after(REAP_MS, reap, { background: true })
  }
}
