/** What is remembered of a connected account: who it is, its queue, its messages, and which senders are programs. */
import { KnownPrograms, type PlatformApi } from 'svc/sdk/kit/platform'
import { setBounded } from 'svc/sdk/kit/state'
import type { SendReceipt } from 'svc/sdk/platform'
import { z } from 'zod'

const MAX_REMEMBERED = 1000
const user = z.object({ user: z.object({ is_bot: z.boolean().default(false) }) })

export interface AccountOptions {
  readonly id: number
  readonly name: string
}

export class Account {
  readonly id: number
  readonly name: string
  /** The queue that is read now: the server tells it of messages that name it. */
  queueId: string | undefined
  #newest = 0
  readonly #receipts: Map<string, SendReceipt> = new Map()
  readonly #programs: KnownPrograms<number> = new KnownPrograms()

  constructor({ id, name }: AccountOptions) {
    this.id = id
    this.name = name
  }

  /** The highest id of a message that is known. Messages that are sent from now on have higher ones. */
  get newest(): number {
    return this.#newest
  }

  saw(messageId: number): void {
    this.#newest = Math.max(this.#newest, messageId)
  }

  /** A message of the account, by its key. */
  receipt(key: string): SendReceipt | undefined {
    return this.#receipts.get(key)
  }

  hasReceipt(messageId: number): boolean {
    return [...this.#receipts.values()].some((receipt) => receipt.messageId === String(messageId))
  }

  keep(key: string, receipt: SendReceipt): SendReceipt {
    this.saw(Number(receipt.messageId))
    setBounded(this.#receipts, key, receipt, MAX_REMEMBERED)
    return receipt
  }

  isProgram(userId: number, api: PlatformApi, signal: AbortSignal): Promise<boolean> {
    return this.#programs.has(userId, async () => {
      const asked = await api.ask({ path: `/api/v1/users/${userId}`, answer: user, signal })
      return asked.user.is_bot
    })
  }
}
