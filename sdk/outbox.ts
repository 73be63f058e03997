/** Messages that leave: on disk before they are sent, sent once. Provided by the gateway. */
import { type Service, service } from './token.ts'

/** Where a message may go. */
export interface Destination {
  /** `<platform>:<chat id>`, or `<platform>` for its home chat. */
  readonly target: string
  readonly label: string
}

/** A message to a chat. */
export interface OutboxMessage {
  readonly target: string
  /** Markdown. */
  readonly text: string
  /** The same key makes one message. */
  readonly key: string
  /** Pictures and files, by their paths; they are copied before this returns. */
  readonly files?: readonly string[]
  /** What it belongs to, for `svc why`. */
  readonly trace?: string
}

/** The one way out of all messages. */
export interface Outbox {
  destinations(): readonly Destination[]
  /** Returns once the message is on disk. Throws `OUTBOX_TARGET_UNKNOWN`. */
  send(message: OutboxMessage): { readonly id: string }
}
export const Outbox: Service<Outbox> = service('outbox')
