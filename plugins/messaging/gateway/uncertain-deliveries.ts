/** Messages of a chat whose arrival is uncertain. */
import type { Translate } from 'svc/sdk'
import type { Delivery, DeliveryState, DirectOutboxMessage, Outbox } from 'svc/sdk/platform'

/** Begins the keys of what is said about messages in doubt. */
const DOUBT = 'doubt:'
/** More are not looked for. */
const MAX_MESSAGES = 1000

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
  const parts = states.flatMap((state) => outbox.deliveries({ state, limit: MAX_MESSAGES }))
  return parts
    .filter((part) => part.platform === platform && part.chatId === chatId && part.threadId === threadId)
    .sort((one, other) => other.at - one.at)
}

/** The notice about the newest answer that may not have arrived; undefined if there is none. */
export function doubtNotice(
  outbox: Outbox,
  chat: Whereabouts,
  t: Translate,
): Pick<DirectOutboxMessage, 'key' | 'text'> | undefined {
  const newest = inDoubt(outbox, chat, ['uncertain']).find(({ key }) => !key.startsWith(DOUBT))
  if (!newest) return undefined
  const text = t('An earlier answer may not have arrived. /resend sends it again.')
  return { key: `${DOUBT}${newest.id}`, text }
}
