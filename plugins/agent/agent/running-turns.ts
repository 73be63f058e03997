/** Turns under way in this process, one per session. */
import { setMaxListeners } from 'node:events'
import { SvcError, type TurnRequest } from 'svc/sdk'
import { abortable } from 'svc/sdk/kit/async'
import type { Steer } from './steers.ts'

/** A turn that others may stop, steer, wait for and follow. */
export class RunningTurn {
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>
  #end = () => {}
  #steers: Steer[] = []
  #isEnding = false
  #changed: Promise<void> = Promise.resolve()
  #change = () => {}
  #shown: Promise<void> = Promise.resolve()

  constructor() {
    this.#ended = new Promise((resolve) => {
      this.#end = resolve
    })
    this.#renew()
    // Every tool of the turn may listen, and all at once.
    setMaxListeners(0, this.#stop.signal)
  }

  /** Stops it when `signal` aborts; the returned function ends that. */
  follow(signal: AbortSignal): () => void {
    const stop = () => this.interrupt(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    return () => signal.removeEventListener('abort', stop)
  }

  /** Aborted by `interrupt`. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  interrupt(reason?: unknown): void {
    this.#stop.abort(reason)
  }

  /** Adds what a person says to the turn. Returns false if the turn takes nothing any more: then it is a message of its own. */
  steer(steer: Steer): boolean {
    if (this.#isEnding) return false
    this.#steers.push(steer)
    return true
  }

  /** What was said since the last call. */
  takeSteers(): readonly Steer[] {
    return this.#steers.splice(0)
  }

  /** The same before the turn ends: if nothing was said, or `always`, nothing more is taken. */
  takeLastSteers(always = false): readonly Steer[] {
    this.#isEnding = always || this.#steers.length === 0
    return this.takeSteers()
  }

  get ended(): Promise<void> {
    return this.#ended
  }

  /** Resolves at the next event, or at the end. */
  get changed(): Promise<void> {
    return this.#changed
  }

  /** Resolves when all that was recorded so far may be shown. */
  get shown(): Promise<void> {
    return this.#shown
  }

  /** Something was recorded, which may be shown after `until`. */
  touch(until?: Promise<void>): void {
    this.#shown = until ?? this.#shown
    const change = this.#change
    this.#renew()
    change()
  }

  end(): void {
    this.#end()
    this.#change()
  }

  #renew(): void {
    this.#changed = new Promise((resolve) => {
      this.#change = resolve
    })
  }
}

/** Lets one turn of a session run at a time. */
export class RunningTurns {
  readonly #turns: Map<string, RunningTurn> = new Map()

  get(sessionId: string): RunningTurn | undefined {
    return this.#turns.get(sessionId)
  }

  /** Waits as `whenBusy` says; those who wait come in the order in which they asked. Throws `AGENT_BUSY`. */
  async enter(
    sessionId: string,
    whenBusy: TurnRequest['whenBusy'] = 'refuse',
    signal?: AbortSignal,
  ): Promise<RunningTurn> {
    for (let other = this.get(sessionId); other; other = this.get(sessionId)) {
      if (whenBusy === 'refuse')
        throw new SvcError('AGENT_BUSY', 'This session has a turn under way. Wait for it to end or stop it.')
      if (whenBusy === 'interrupt') other.interrupt()
      await abortable(other.ended, signal)
    }
    const turn = new RunningTurn()
    this.#turns.set(sessionId, turn)
    return turn
  }

  leave(sessionId: string): void {
    const turn = this.#turns.get(sessionId)
    this.#turns.delete(sessionId)
    turn?.end()
  }
}
