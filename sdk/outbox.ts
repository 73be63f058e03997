/** Messages that leave: on disk before they are sent, sent once, and never forgotten. Plugin `outbox`. */
import type { FileMetadata } from './attachments.ts'
import {
  defineService,
  type NotifyHook,
  notifyHook,
  type Service,
  type TransformHook,
  transformHook,
} from './declarations.ts'
import type { MessageButton, Platform } from './platforms.ts'
import type { Registration } from './plugin.ts'

/** Where a message may go. @since 0.2 */
export interface OutboxTarget {
  /** `<platform>:<chat id>`, with `:<thread>` behind it where there is one, or `<platform>` for its home chat. */
  readonly target: string
  readonly label: string
}

/** A file of a message. @since 0.2 */
export interface OutboxFile extends FileMetadata {
  /** They are on disk before the call returns. */
  readonly bytes: Uint8Array
  /** Tells it from other files of the message, when a draft is posted again with more of them. */
  readonly id?: string
}

/** A message that was kept. @since 0.2 */
export interface QueuedDelivery {
  readonly id: string
  /**
   * Files that are described in words because the platform does not accept them. Known only where the platform is loaded.
   * `reason` follows the name: "IRC takes no files".
   */
  readonly declined: readonly { readonly name: string; readonly reason: string }[]
}

/** The fields that every message has. @since 0.2 */
export interface OutboxContent {
  /** Markdown. */
  readonly text: string
  /** The same key makes one message. */
  readonly key: string
  /**
   * Pictures and files: at most 50, of 100 MiB each. Those that fit together are one message where the platform has albums.
   * Files that the platform does not accept are described as text. Posting the same key again does not change a message with files.
   */
  readonly files?: readonly OutboxFile[]
  /** What it belongs to, for `svc why`. */
  readonly trace?: string
}

/** A message to an explicitly named chat. @since 0.1 */
export interface OutboxMessage extends OutboxContent {
  readonly target: string
  /** The owner of svc named the target, so it need not be a chat that wrote before. */
  readonly isOwners?: true
}

/** A message to the chat of a conversation. @since 0.2 */
export interface DirectOutboxMessage extends OutboxContent {
  readonly platform: string
  readonly chatId: string
  readonly threadId?: string
  readonly replyTo?: string
  readonly buttons?: readonly MessageButton[]
  /** More of it will come under the same key. */
  readonly isDraft?: boolean
}

/**
 * `pending`: it will be sent; `attempting`: it is being sent; `delivered`: confirmed by the platform; `uncertain`: it may have
 * been sent, which cannot be found out, and it is not sent again unless the user asks; `failed`: the platform will not
 * take it.
 * @since 0.1
 */
export type DeliveryState = 'pending' | 'attempting' | 'delivered' | 'uncertain' | 'failed'

/** The delivery of one part of a message: a text over a platform's limit has several parts. @since 0.1 */
export interface Delivery {
  readonly id: string
  readonly key: string
  readonly part: number
  readonly platform: string
  readonly chatId: string
  readonly threadId?: string
  readonly state: DeliveryState
  /** As the platform knows it. */
  readonly messageId?: string
  /**
   * When the platform accepted the current text, in milliseconds since 1970: by the platform's clock if it reports one,
   * else when the answer of the platform came. Only while it is `delivered`.
   */
  readonly deliveredAt?: number
  /** When the platform accepted the first version. Unchanged by edits. */
  readonly firstDeliveredAt?: number
  readonly attempts: number
  readonly error?: string
  readonly trace?: string
  /** The start of its text. */
  readonly preview: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The one way out of all messages. @since 0.1 */
export interface Outbox {
  destinations(): readonly OutboxTarget[]
  /** The chat for messages that name only the platform, as the platform knows it; undefined: none is set, or no such platform is loaded. */
  home(platform: string): string | undefined
  /** Keeps a chat, so that messages can be sent to it by name. */
  know(chat: {
    readonly platform: string
    readonly chatId: string
    readonly threadId?: string
    readonly label: string
  }): void
  /** Returns once the message is on disk. Throws `OUTBOX_TARGET_UNKNOWN`, or what a file is refused with. */
  send(message: OutboxMessage): QueuedDelivery
  /**
   * The same for the chat of a conversation. A key that is known changes its message: what was sent is edited where the
   * platform can, else only final messages are sent. Files of a draft are kept and sent once it is final.
   */
  post(message: DirectOutboxMessage): QueuedDelivery
  /** The `id`s of the files that a message has already; empty for a key that is not known. */
  fileIds(key: string): readonly string[]
  /** Sends what there is for a connected platform, and what comes, until the returned function is called. */
  serve(platform: Platform): Registration
  /** The newest first. */
  deliveries(filter?: {
    readonly state?: DeliveryState
    readonly key?: string
    readonly limit?: number
  }): readonly Delivery[]
  counts(): Readonly<Record<Exclude<DeliveryState, 'delivered'>, number>>
  /** Sends an uncertain or failed delivery again, on request of a user; false if it is neither. */
  retry(id: string): boolean
  /** Gives up on it; false when it was delivered. */
  drop(id: string): boolean
  /** Resolves when nothing is left that could be sent now. */
  idle(): Promise<void>
}
export const Outbox: Service<Outbox> = defineService('outbox', { registers: ['serve'] })

/** A part of a message reached a state in which it stays: delivered, uncertain or failed. @since 0.2 */
export const DeliveryFinished: NotifyHook<Delivery> = notifyHook('delivery:settled')

/** A text that is about to leave. @since 0.2 */
export interface DeliveryDraft {
  /** Markdown. Secrets are masked, also in what a listener returns. */
  readonly text: string
  /** Why it must not be sent, as the end of "It is not sent:". The delivery fails with it; `svc outbox retry` tries again. */
  readonly refusal?: string
}

/** The message that a text belongs to. @since 0.2 */
export interface DeliveryContext {
  readonly key: string
  readonly platform: string
  readonly chatId: string
  readonly threadId?: string
  /** More of it will come: an answer that is still being written. */
  readonly isDraft: boolean
}

/**
 * The text of a message before its first attempt, and again when the text changes: an answer that grows. Captions of files are not
 * passed. What the listeners return is stored before the attempt, so every attempt sends the same text, also after a
 * crash. If a listener fails the text stays as it was; with `failure: 'stop'` the delivery fails.
 * @since 0.2
 */
export const BeforeDelivery: TransformHook<DeliveryDraft, DeliveryContext> = transformHook('delivery:before', {
  timeoutMs: 10_000,
  accepts: (value) => {
    const { text, refusal } = (value ?? {}) as Partial<Record<keyof DeliveryDraft, unknown>>
    return typeof text === 'string' && (refusal === undefined || typeof refusal === 'string')
  },
})
