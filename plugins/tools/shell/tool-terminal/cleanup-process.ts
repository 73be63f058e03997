/**
 * A small process that outlives us by a moment: when svc is killed without a chance to clean up, its end of a pipe closes,
 * and everything that carries our mark in its environment is ended. On Linux, where environments can be read.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { platform } from 'node:process'
import type { Clock } from 'svc/sdk'
import { markedFunction } from './processes.ts'

/** Commands that are over sooner do not pay for the guard. */
const DELAY_MS = 500

/** Watches over all processes whose mark begins alike. */
export class Guard {
  readonly #clock: Clock
  readonly #mark: string
  readonly #path: string
  #cancel: (() => void) | undefined
  #child: ChildProcess | undefined
  #gone: Promise<void> | undefined
  #farewell: string | undefined = 'done\n'

  constructor(options: { readonly clock: Clock; readonly mark: string; readonly path: string }) {
    this.#clock = options.clock
    this.#mark = options.mark
    this.#path = options.path
  }

  /** Begins in half a second, unless it has begun. */
  beginSoon(): void {
    this.#cancel ??= this.#clock.after(DELAY_MS, () => this.#begin(), { background: true })
  }

  /** Begins now, unless it has begun, and will look for what is left also at a proper end: something runs apart. */
  beginForGood(): void {
    this.#farewell = undefined
    this.#begin()
  }

  #begin(): void {
    if (platform !== 'linux' || this.#child !== undefined) return
    const child = spawn('/bin/sh', ['-c', watchScript(this.#mark)], {
      // A new session, so that Ctrl-C and a closed terminal do not end it before its work is done.
      detached: true,
      cwd: '/',
      env: { PATH: this.#path },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#gone = new Promise((resolve) => {
      child.once('exit', () => resolve())
      // Without a shell there is nothing to be guarded either.
      child.once('error', () => resolve())
    })
    child.stdin?.on('error', () => undefined)
    child.unref()
    this.#child = child
  }

  /** Sends it home, after a last look where that is needed. */
  async end(): Promise<void> {
    this.#cancel?.()
    this.#child?.stdin?.end(this.#farewell)
    await this.#gone
  }
}

/** A line means success; the end of the pipe without one means that no process is left to clean up. */
function watchScript(mark: string): string {
  return `read -r _ && exit
${markedFunction(mark)}
for signal in TERM KILL KILL; do
  found=$(marked)
  [ -n "$found" ] || exit
  kill -"$signal" $found 2>/dev/null
  sleep 1
done`
}
