/** Brings answers where their routes say: into the log, into a comment, or into a chat by the outbox. */
import { errorMessage, type Logger } from 'svc/sdk'
import { deliveryRefused, type Outbox } from 'svc/sdk/platform'
import type { Comments } from './comments.ts'
import type { Destination } from './destination.ts'
import type { EventStore } from './store.ts'

/** An answer. */
export interface WebhookDelivery {
  readonly route: string
  readonly id: string
  readonly text: string
  /** The same when it is tried again. */
  readonly key: string
}

export interface CourierDeps {
  readonly log: Logger
  readonly store: EventStore
  readonly comments: Comments
  outbox(): Outbox | undefined
  now(): number
}

export class WebhookSender {
  readonly #deps: CourierDeps

  constructor(deps: CourierDeps) {
    this.#deps = deps
  }

  /** Returns what the receiver calls it. Throws as `Platform.send` does. */
  async deliver(destination: Destination, letter: WebhookDelivery): Promise<string> {
    const receipt = await this.#bring(destination, letter)
    this.#deps.store.delivered(letter.key, receipt, this.#deps.now())
    return receipt
  }

  /** The receipt of what was delivered with this key. A chat needs none: its outbox knows keys. */
  async find(destination: Destination, key: string, since: number): Promise<string | undefined> {
    const known = this.#deps.store.receipt(key)
    if (known !== undefined || destination.kind !== 'comment') return known
    const found = await this.#deps.comments.find(destination, key, since)
    return found && `comment:${found}`
  }

  async #bring(destination: Destination, { route, id, text, key }: WebhookDelivery): Promise<string> {
    if (destination.kind === 'comment') return `comment:${await this.#deps.comments.write(destination, text, key)}`
    if (destination.kind === 'chat') return this.#post(destination, text, key)
    this.#deps.log.info('the answer to a webhook event', { route, id, text })
    return `log:${key}`
  }

  #post({ target, isOwners }: Extract<Destination, { kind: 'chat' }>, text: string, key: string): string {
    const outbox = this.#deps.outbox()
    if (!outbox) throw deliveryRefused('WEBHOOK_TARGET', 'No chat can be reached, because the outbox is not loaded.')
    try {
      return `outbox:${outbox.send({ target, text, key: `webhook:${key}`, ...(isOwners && { isOwners }) }).id}`
    } catch (error) {
      throw deliveryRefused(
        'WEBHOOK_TARGET',
        `The answer could not be sent to ${target}: ${errorMessage(error)}`,
        error,
      )
    }
  }
}
