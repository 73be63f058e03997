/** The gateway: connects chat platforms and brings messages to conversations and back. Plugin `gateway`. */

import {
  defineService,
  type NotifyHook,
  notifyHook,
  type Service,
  type TransformHook,
  transformHook,
} from './declarations.ts'
import type { OutboxFile } from './outbox.ts'
import type { ChatType, InboundMessage, MessageOrigin } from './platforms.ts'

/**
 * `connecting`; `connected`: proof of life within a minute; `degraded`: connected, but silent; `retrying`: the connection is
 * lost and being restored; `paused`: paused by a user; `fatal`: retrying is useless; `disabled`: not configured.
 * @since 0.1
 */
export type PlatformState = 'connecting' | 'connected' | 'degraded' | 'retrying' | 'paused' | 'fatal' | 'disabled'

/** How a platform is. @since 0.1 */
export interface PlatformStatus {
  readonly name: string
  readonly label: string
  readonly state: PlatformState
  readonly code?: string
  /** Why it is not connected, and what to do. */
  readonly reason?: string
  readonly attempts: number
  /** Milliseconds since 1970. */
  readonly since: number
  readonly retryAt?: number
  /** The last event of the server or round trip. */
  readonly aliveAt?: number
  /** `Platform.contact`, once it was connected. @since 0.2 */
  readonly contact?: string
}

/** Messages that leave, counted by their state. @since 0.2 */
export interface OutboxStats {
  readonly pending: number
  readonly attempting: number
  readonly uncertain: number
  readonly failed: number
}

/** How the gateway is. @since 0.1 */
export interface GatewayStatus {
  readonly state: 'starting' | 'running' | 'degraded' | 'draining' | 'stopped'
  readonly pid: number
  readonly startedAt: number
  readonly version: string
  readonly platforms: readonly PlatformStatus[]
  readonly conversations: number
  /** Turns under way. */
  readonly busy: number
  readonly inbox: { readonly waiting: number; readonly running: number }
  readonly outbox: OutboxStats
  /** It runs and begins no turns, since then: `Gateway.drain`. Milliseconds since 1970. */
  readonly drainedAt?: number
}

/** A chat, and one thread of it, as the gateway knows it. @since 0.2 */
export interface GatewayChat {
  readonly platform: string
  readonly chatId: string
  readonly threadId?: string
  readonly kind: ChatType
  /** For people. */
  readonly name: string
}

/** Provided by the plugin `gateway`. @since 0.1 */
export interface Gateway {
  /** Counts stored messages: for people, not for each request. */
  status(): GatewayStatus
  /** Whether it begins no turns, because of `drain` or because it stops. What begins turns elsewhere asks it first. */
  readonly isDraining: boolean
  /** Connects the configured platforms and resumes unfinished work. */
  start(): Promise<void>
  /** Takes nothing new, waits for turns under way for so long, and disconnects. */
  stop(options?: { readonly drainMs?: number }): Promise<void>
  /**
   * Begins no turns until `cancelDrain`, also when it is started only then: those under way go on, what answers or stops them is taken,
   * and other messages of chats are stored. The state is `draining`.
   * `isQuiet`: chats that write meanwhile are not told.
   */
  drain(options?: { readonly isQuiet?: boolean }): void
  /** What was stored meanwhile is begun. */
  cancelDrain(): void
  /** Opens the conversation of the chat that shows this session, if one does: something is to be said there. */
  open(sessionId: string): void
  /** The chat that shows this session now, or `last`: also one that has gone on to another session. Undefined when none does. */
  findChat(sessionId: string, when?: 'now' | 'last'): GatewayChat | undefined
  /**
   * Moves a session to the chat of a person: it goes on there, and the chat that showed it begins a new conversation with its next
   * message. One step on disk; nothing is said. What the sender may do is judged by the caller. Throws `GATEWAY_MOVE`: no chat shows the
   * session, something is under way in it or in the conversation of the other chat, or one of the platforms is not connected here.
   */
  moveSession(sessionId: string, to: MessageOrigin & Partial<Pick<InboundMessage, 'chatName' | 'userName'>>): void
  /** Throws `GATEWAY_PLATFORM` for an unknown name. */
  pause(name: string): Promise<void>
  resume(name: string): Promise<void>
  /** Resolves when no message is being taken, answered or sent. */
  idle(): Promise<void>
}
export const Gateway: Service<Gateway> = defineService('gateway')

/** The state of a platform changed. @since 0.1 */
export const PlatformChanged: NotifyHook<PlatformStatus> = notifyHook('platform:changed')

/** A message of a chat before a command or the model reads it. @since 0.2 */
export interface InboundDraft {
  /** Another text is read in its place. Words do not become a command by beginning like one. */
  readonly text: string
  /** The message is answered with this Markdown, and neither a command nor the model reads it. */
  readonly reply?: string
  /** Neither a command nor the model reads it, and the chat gets no answer. */
  readonly isDropped?: boolean
}

/**
 * A message of a chat, from a sender who is allowed to write. Called after the message is stored, once for each message that
 * becomes a request or a command; answers to questions and approvals are not passed. A message that a crash left is passed
 * again. If a listener fails the draft stays as it was; with `failure: 'stop'` the message is not read, and the chat is told.
 * @since 0.2
 */
export const BeforeInboundMessage: TransformHook<InboundDraft, InboundMessage> = transformHook('gateway:inbound', {
  timeoutMs: 30_000,
  accepts: isInboundDraft,
})

function isInboundDraft(value: unknown): boolean {
  const { text, reply, isDropped } = (value ?? {}) as Partial<Record<keyof InboundDraft, unknown>>
  const hasReply = reply === undefined || typeof reply === 'string'
  return typeof text === 'string' && hasReply && (isDropped === undefined || typeof isDropped === 'boolean')
}

/** What follows an answer in its chat, as one message of its own. @since 0.2 */
export interface AnswerFollowUp {
  /** Each with an `id` that is the same when the hook is called again for the same answer. */
  readonly files: readonly OutboxFile[]
  /** Markdown above the files, such as why one could not be made. */
  readonly text: string
}

/** An answer that was given in a chat. @since 0.2 */
export interface AnsweredTurn {
  readonly sessionId: string
  readonly turnId: string
  readonly platform: string
  readonly chatId: string
  readonly threadId?: string
  /** The last message of the turn, as Markdown. It is in the outbox already. */
  readonly answer: string
  /** The messages that it answers. Empty for a turn that no message began. */
  readonly messages: readonly InboundMessage[]
  /** Aborts when the gateway stops: what is not made by then is asked for again at the next start. */
  readonly signal: AbortSignal
}

/**
 * A turn in a chat is complete and its answer is on its way: a listener adds files that follow it, such as the answer as speech. What
 * the listeners return is stored in the outbox before it is sent; until then a crash or a stop has the hook called again for the
 * same answer. Not called for turns that fail, and not for platforms whose messages are events. If a listener fails nothing is added.
 * @since 0.2
 */
export const SelectAnswerFiles: TransformHook<AnswerFollowUp, AnsweredTurn> = transformHook('gateway:answer-files', {
  timeoutMs: 300_000,
  accepts: isFollowUp,
})

function isFollowUp(value: unknown): boolean {
  const { files, text } = (value ?? {}) as Partial<Record<keyof AnswerFollowUp, unknown>>
  const isFile = ({ name, bytes }: Partial<Record<string, unknown>>) =>
    typeof name === 'string' && bytes instanceof Uint8Array
  return typeof text === 'string' && Array.isArray(files) && files.every((file) => isFile(file ?? {}))
}
