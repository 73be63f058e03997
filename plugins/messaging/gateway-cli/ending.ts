/** How this process is to end: signals, the process that watches over it and other commands ask for it. */
import type { CliContext } from 'svc/sdk'

/**
 * Exit codes that tell the supervisor of the gateway what to do: sysexits.h has 75 (try again) and 78 (configuration).
 */
export const exitCodes = { stopped: 0, failed: 1, again: 75, config: 78, interrupted: 130 } as const

/** An end that was asked for. */
export interface EndRequest {
  readonly kind: 'stop' | 'restart'
  /** For people. */
  readonly reason: string
  /** Left out: as `gateway.drain_seconds` says. */
  readonly drainMs?: number
}

/** What the watching process tells its child. */
export type Order = { readonly order: EndRequest['kind'] }

/** The first request holds; only a stop comes before a restart. */
export class Ending {
  #request: EndRequest | undefined
  #listeners: Set<(request: EndRequest) => void> = new Set()

  get request(): EndRequest | undefined {
    return this.#request
  }

  /** Resolves at the first request. */
  get asked(): Promise<void> {
    if (this.#request) return Promise.resolve()
    return new Promise((resolve) => {
      const off = this.onRequest(() => {
        off()
        resolve()
      })
    })
  }

  ask(request: EndRequest): void {
    if (this.#request && (this.#request.kind === 'stop' || request.kind === 'restart')) return
    this.#request = request
    for (const listener of [...this.#listeners]) listener(request)
  }

  /** Tells of each request, also of one that is there, until the returned function is called. */
  onRequest(listener: (request: EndRequest) => void): () => void {
    this.#listeners.add(listener)
    if (this.#request) listener(this.#request)
    return () => void this.#listeners.delete(listener)
  }

  /** The request was fulfilled; the next one may come. */
  done(): void {
    this.#request = undefined
  }
}

/** Listens for signals until the returned function is called. `atOnce` is called when Ctrl-C is pressed twice. */
export function onEndSignals(io: CliContext, ending: Ending, atOnce: () => void): () => void {
  let presses = 0
  const pressed = () => {
    presses++
    if (presses > 1) atOnce()
    else ending.ask({ kind: 'stop', reason: 'Ctrl-C was pressed' })
  }
  const stopped = () => ending.ask({ kind: 'stop', reason: 'a signal asked it to stop' })
  const restarted = () => ending.ask({ kind: 'restart', reason: 'SIGUSR1 asked for a restart' })
  const off = io.onInterrupt(pressed)
  io.signal.addEventListener('abort', stopped, { once: true })
  if (io.signal.aborted) stopped()
  if (process.platform !== 'win32') process.on('SIGUSR1', restarted)
  return () => {
    off()
    io.signal.removeEventListener('abort', stopped)
    process.off('SIGUSR1', restarted)
  }
}

/** A handled signal is not a failure: this exit code replaces the one of the kernel. */
export function endWith(code: number, io: CliContext): number {
  const isSignals = (given: number) => given > 128
  if (io.signal.aborted)
    process.once('exit', (given) => {
      if (isSignals(given)) process.exitCode = code
    })
  return code
}
