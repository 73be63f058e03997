/** What one conversation does in the browser: one command after the other, each with a time limit. */
import { type Clock, SvcError } from 'svc/sdk'
import type { BrowserSession, BrowserTab } from 'svc/sdk/web'
import type { Pages } from './engine.ts'

export interface BrowsingOptions {
  readonly clock: Clock
  readonly commandMs: number
  readonly idleMs: number
}

export class Browsing implements BrowserSession {
  readonly #pages: Pages
  readonly #options: BrowsingOptions
  readonly #expired: () => void
  #queue: Promise<unknown> = Promise.resolve()
  #running = 0
  #cancelIdle: () => void = () => undefined

  /** `expired` is called when it was not used for long enough. */
  constructor(pages: Pages, options: BrowsingOptions, expired: () => void) {
    this.#pages = pages
    this.#options = options
    this.#expired = expired
    this.#restIdle()
  }

  get isBusy(): boolean {
    return this.#running > 0
  }

  get tabs(): readonly BrowserTab[] {
    return this.#pages.all
  }

  openTab(): Promise<BrowserTab> {
    return this.#pages.open()
  }

  async run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted()
    this.#running += 1
    this.#cancelIdle()
    const before = this.#queue
    const mine = before.then(() => {
      signal.throwIfAborted()
      return this.#limited(signal, work)
    })
    this.#queue = mine.catch(() => undefined)
    try {
      return await mine
    } finally {
      this.#running -= 1
      this.#restIdle()
    }
  }

  async close(): Promise<void> {
    this.#cancelIdle()
    await this.#pages.close()
  }

  #limited<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const { clock, commandMs } = this.#options
    return new Promise((resolve, reject) => {
      const giveUp = (error: unknown) => {
        finish()
        this.#pages.all[0]?.session.send('Page.stopLoading').catch(() => undefined)
        reject(error)
      }
      const aborted = () => giveUp(signal.reason)
      const cancel = clock.after(commandMs, () => {
        const seconds = Math.round(commandMs / 1000)
        giveUp(new SvcError('BROWSER_TIMEOUT', `The page took longer than ${seconds} seconds; it was stopped.`))
      })
      const finish = () => {
        cancel()
        signal.removeEventListener('abort', aborted)
      }
      signal.addEventListener('abort', aborted, { once: true })
      work().then(resolve, reject).finally(finish)
    })
  }

  /** A pending dialog has a separate time limit; the conversation is not idle in the meantime. */
  #restIdle(): void {
    if (this.#running > 0) return
    this.#cancelIdle()
    const { clock, idleMs } = this.#options
    const over = () => {
      if (this.#pages.all[0]?.dialog) this.#restIdle()
      else this.#expired()
    }
    this.#cancelIdle = clock.after(idleMs, over, { background: true })
  }
}
