/** Messages that leave: on disk before they are sent, sent once. Provided by the gateway. */
import { type Service, service } from './token.ts'

/** Where a message may go. */
export interface Destination {
  /** `<platform>:<chat id>`, or `<platform>` for its home chat. */
  readonly target: string
  readonly label: string
}

/** The one way out of all messages. */
export interface Outbox {
  destinations(): readonly Destination[]
  /** Returns once the message is on disk. The same `key` makes one message. Throws `OUTBOX_TARGET_UNKNOWN`. */
  send(message: { readonly target: string; readonly text: string; readonly key: string }): { readonly id: string }
}
export const Outbox: Service<Outbox> = service('outbox')
