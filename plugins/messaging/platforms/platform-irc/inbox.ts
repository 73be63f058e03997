/** Messages on their way to the gateway, in order. IRC delivers once: each is offered while the connection lives. */
import { type Clock, handOver, type Inbound, type Logger, type PlatformLink } from 'svc/sdk'
import type { History } from './history.ts'

const MAX_WAITING = 1000

/** What it needs. */
export interface InboxOptions {
  readonly link: PlatformLink
  readonly clock: Clock
  readonly log: Logger
  readonly history: History
  readonly signal: AbortSignal
}

export class Inbox {
  readonly #options: InboxOptions
  readonly #waiting: Inbound[] = []
  #isOpen = false
  #running = false

  constructor(options: InboxOptions) {
    this.#options = options
  }

  add(message: Inbound): void {
    if (this.#waiting.length >= MAX_WAITING) return void this.#drop(message, `${MAX_WAITING} others wait`)
    this.#waiting.push(message)
    this.#start()
  }

  /** From now on messages are handed over, these first. Until then they wait. */
  open(missed: readonly Inbound[] = []): void {
    const early = this.#waiting
      .splice(0)
      .filter(({ messageId }) => missed.every((each) => each.messageId !== messageId))
    this.#waiting.push(...missed, ...early)
    this.#isOpen = true
    this.#start()
  }

  #start(): void {
    if (this.#isOpen && !this.#running) void this.#run()
  }

  async #run(): Promise<void> {
    const { link, history } = this.#options
    this.#running = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const message = next
      const taken = handOver(() => link.receive(message), this.#options)
      await taken.then(
        () => history.taken(message),
        () => history.isKept || this.#drop(message, 'the connection ended before it was taken'),
      )
    }
    this.#running = false
  }

  #drop({ chatId, messageId }: Inbound, reason: string): void {
    this.#options.log.error('a message from IRC was lost', { chatId, messageId, reason })
  }
}
