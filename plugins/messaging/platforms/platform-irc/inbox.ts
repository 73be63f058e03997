/** Messages on their way to the gateway, in order. IRC delivers once: each is offered while the connection lives. */
import type { Clock, Logger } from 'svc/sdk'
import { type GatewayConnection, type InboundMessage, retryUntilTaken } from 'svc/sdk/platform'
import type { History } from './history.ts'

const MAX_WAITING = 1000

/** What it needs. */
export interface InboxOptions {
  readonly link: GatewayConnection
  readonly clock: Clock
  readonly log: Logger
  readonly history: History
  readonly signal: AbortSignal
}

export class Inbox {
  readonly #options: InboxOptions
  readonly #waiting: InboundMessage[] = []
  #isOpen = false
  #running = false

  constructor(options: InboxOptions) {
    this.#options = options
  }

  add(message: InboundMessage): void {
    if (this.#waiting.length >= MAX_WAITING) return void this.#drop(message, `${MAX_WAITING} others wait`)
    this.#waiting.push(message)
    this.#start()
  }

  /** From now on messages are handed over, these first. Until then they wait. */
  open(missed: readonly InboundMessage[] = []): void {
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
      const taken = retryUntilTaken(() => link.receive(message), this.#options)
      await taken.then(
        () => history.taken(message),
        () => history.isKept || this.#drop(message, 'the connection ended before it was taken'),
      )
    }
    this.#running = false
  }

  #drop({ chatId, messageId }: InboundMessage, reason: string): void {
    this.#options.log.error('a message from IRC was lost', { chatId, messageId, reason })
  }
}
