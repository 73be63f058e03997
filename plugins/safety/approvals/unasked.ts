/**
 * `/yolo`: sessions whose dangerous commands run unasked. That holds in this process only. The session records it, so that the
 * next process, or a branch, can say that questions are asked again.
 */
import {
  type Conversation,
  defineSessionState,
  type PluginContext,
  type Session,
  type SessionState,
  Sessions,
  type Translate,
} from 'svc/sdk'
import type { Config } from './config.ts'
import type { PendingApprovals } from './pending-approvals.ts'

/** Was set, and not taken back. It permits nothing. */
const WasUnasked: SessionState<true> = defineSessionState('approvals:yolo', {
  undo: 'keeps',
  parse: (value) => (value === true ? value : undefined),
})

export class Unasked {
  readonly #ctx: PluginContext<Config>
  readonly #pending: PendingApprovals
  readonly #t: Translate

  constructor(ctx: PluginContext<Config>, pending: PendingApprovals, t: Translate) {
    this.#ctx = ctx
    this.#pending = pending
    this.#t = t
  }

  /** Whether questions are off for the session afterwards. */
  toggle(sessionId: string): boolean {
    const isOff = !this.#pending.askAgain(sessionId)
    if (isOff) this.#pending.askNothing(sessionId)
    this.#session(sessionId)?.setState(WasUnasked, isOff ? true : undefined)
    return isOff
  }

  /** Says what does not hold any more. */
  opened(conversation: Conversation): void {
    const session = this.#session(conversation.sessionId)
    if (!session?.state(WasUnasked) || this.#pending.asksNothing(session.id)) return
    session.setState(WasUnasked, undefined)
    const text = 'Dangerous commands are asked about again: /yolo ended with the process or conversation it was set in.'
    conversation.say(this.#t(text), 'warning')
  }

  #session(id: string): Session | undefined {
    return this.#ctx.find(Sessions)?.open(id)
  }
}
