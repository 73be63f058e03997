/** What is remembered of a connected account: who it is, its queue, its messages, and which senders are programs. */
import type { PlatformApi } from 'svc/sdk/kit/platform'
import { classifyDeliveryError, type SendReceipt } from 'svc/sdk/platform'
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
  readonly #programs: Map<number, boolean> = new Map()

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
    remember(this.#receipts, key, receipt)
    return receipt
  }

  /** Asked for once a sender. One that the server does not show cannot be a person who is answered. */
  async isProgram(userId: number, api: PlatformApi, signal: AbortSignal): Promise<boolean> {
    const known = this.#programs.get(userId)
    if (known !== undefined) return known
    const asked = api.ask({ path: `/api/v1/users/${userId}`, answer: user, signal })
    const isProgram = await asked.then(
      (answer) => answer.user.is_bot,
      (error: unknown) => {
        if (classifyDeliveryError(error).kind !== 'refused') throw error
        return true
      },
    )
    remember(this.#programs, userId, isProgram)
    return isProgram
  }
}

function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  const [oldest] = map.keys()
  if (map.size >= MAX_REMEMBERED && oldest !== undefined) map.delete(oldest)
  map.set(key, value)
}
