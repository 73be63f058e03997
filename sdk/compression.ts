/** Making a long conversation short, so that it fits the window of the model. Plugin `compression`. */

import {
  type DecideHook,
  decisionHook,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'
import type { Message } from './messages.ts'

/** A request to summarize the middle of a session. @since 0.2 */
export interface CompactionRequest {
  readonly sessionId: string
  readonly turnId?: string
  /** The whole conversation, without the system prompt. */
  readonly messages: readonly Message[]
  /** Messages at the beginning and at the end that must stay as they are. */
  readonly head: number
  readonly tail: number
  /** Tokens that the whole may have afterwards, as far as it can be reached. */
  readonly targetTokens: number
  /** What the summary should dwell on. */
  readonly focus?: string
  readonly signal: AbortSignal
}

/**
 * Writes the summary that replaces the middle. Contributed to `Summarizers`; `compression.engine` names the one in use.
 * @since 0.2
 */
export interface Summarizer extends Ordered {
  readonly name: string
  /** The text that takes the place of what is between head and tail. Rejects when it cannot: then nothing is changed. */
  summarise(request: CompactionRequest): Promise<{ readonly text: string; readonly by: string }>
}
/** @since 0.2 */
export const Summarizers: ExtensionPoint<Summarizer> = extensionPoint('context-engines', (engine) => engine.name)

/** The result of a compression, or the estimate of one. @since 0.2 */
export interface CompactionResult {
  readonly messagesBefore: number
  readonly messagesAfter: number
  /** Estimated. */
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** Who wrote the summary; left out of a preview. */
  readonly by?: string
  readonly summary?: string
}

/** How it is asked for. @since 0.2 */
export interface CompactionOptions {
  readonly focus?: string
  /** Exchanges at the end that stay word for word. */
  readonly keep?: number
  /** Only say what it would do. */
  readonly preview?: boolean
  readonly signal?: AbortSignal
}

/** Provided by the plugin `compression`. @since 0.2 */
export interface Compaction {
  /** Estimated tokens of messages, as the plugin counts them. */
  tokens(messages: readonly Message[]): number
  /**
   * A conversation that is in no session, made short: what it is then, and by whom. `spender` names the session that pays.
   * Throws `COMPRESSION_NOTHING` or `COMPRESSION_FAILED`.
   */
  shorten(
    messages: readonly Message[],
    options: Pick<CompactionOptions, 'focus' | 'signal'> & { readonly spender: string },
  ): Promise<{ readonly messages: readonly Message[]; readonly by: string }>
  /** Throws `COMPRESSION_NOTHING`, `COMPRESSION_FAILED` (nothing was changed) or `COMPRESSION_BUSY`. */
  compress(sessionId: string, options?: CompactionOptions): Promise<CompactionResult>
}
export const Compaction: Service<Compaction> = defineService('compression')

/** A compression that is about to begin. @since 0.2 */
export interface CompactionAttempt {
  readonly sessionId: string
  /** `automatic`: the conversation has outgrown its window. `manual`: a person asked for it. */
  readonly trigger: 'automatic' | 'manual'
  readonly focus?: string
  readonly signal: AbortSignal
}

/**
 * Whether a session may be compressed now. `deny` and `ask` leave it as it is: the compression fails with the reason.
 * @since 0.2
 */
export const BeforeCompaction: DecideHook<CompactionAttempt> = decisionHook('compression:before', {
  timeoutMs: 600_000,
  verdict: () => ({ decision: 'abstain' }),
})

const SUMMARY_MARK = '<conversation-summary>'

/**
 * Whether a message is a summary of older ones. It has the role `user` but was not written by the user: front ends show
 * it apart, and it begins no exchange.
 * @since 0.1
 */
export function isConversationSummary({ role, text }: Message): boolean {
  return role === 'user' && text.startsWith(SUMMARY_MARK)
}
