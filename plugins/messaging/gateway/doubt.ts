/** Messages of a chat whose arrival is uncertain. */
import type { Delivery, DeliveryState, Outbox } from 'svc/sdk'

/** More are not looked for. */
const MOST = 1000

/** A chat, or a thread in it, as the outbox knows it. */
export interface Whereabouts {
  readonly platform: string
  readonly chatId: string
  readonly threadId?: string
}

/** Parts that stay in one of these states unless a person decides, the newest first. */
export function inDoubt(
  outbox: Outbox,
  { platform, chatId, threadId }: Whereabouts,
  states: readonly Extract<DeliveryState, 'uncertain' | 'failed'>[],
): readonly Delivery[] {
  const parts = states.flatMap((state) => outbox.deliveries({ state, limit: MOST }))
  return parts
    .filter((part) => part.platform === platform && part.chatId === chatId && part.threadId === threadId)
    .sort((one, other) => other.at - one.at)
}
