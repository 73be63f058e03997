/** Messages on their way to the gateway, in order. IRC delivers once, so what could not be taken is offered again here. */
import { type Clock, errorMessage, type Inbound, type Logger, type PlatformLink } from 'svc/sdk'

const MOST_WAITING = 1000
const RETRY_MS = [250, 1000, 4000, 15_000, 60_000]

/** What it needs. */
export interface InboxOptions {
  readonly link: PlatformLink
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
}

export class Inbox {
  readonly #options: InboxOptions
  readonly #waiting: Inbound[] = []
  #running = false

  constructor(options: InboxOptions) {
    this.#options = options
  }

  add(message: Inbound): void {
    if (this.#waiting.length >= MOST_WAITING) return void this.#drop(message, `${MOST_WAITING} others wait`)
    this.#waiting.push(message)
    if (!this.#running) void this.#run()
  }

  async #run(): Promise<void> {
    this.#running = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await this.#offer(next)
    this.#running = false
  }

  async #offer(message: Inbound): Promise<void> {
    const { link, clock, signal } = this.#options
    for (const wait of [...RETRY_MS, undefined]) {
      if (signal.aborted) return this.#drop(message, 'the connection ended before it was taken')
      try {
        return await link.receive(message)
      } catch (error) {
        if (wait === undefined) return this.#drop(message, errorMessage(error))
        await clock.sleep(wait, signal).catch(() => undefined)
      }
    }
  }

  #drop({ chatId, messageId }: Inbound, reason: string): void {
    this.#options.log.error('a message from IRC was lost', { chatId, messageId, reason })
  }
}
