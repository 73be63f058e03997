/** Hooks around turns and conversations: messages, ends, sessions, compression, approvals and the configuration. */
import type { ApprovalRequest, HookDecisionResult, TurnContext, TurnEndReason, UserQuestion } from 'svc/sdk'
import type { ClosedConversation, CompactionAttempt, OpenedConversation, Subagent, TurnEnding } from 'svc/sdk/hooks'
import type { CompactedSession } from 'svc/sdk/sessions'
import { NO_OUTCOME } from './answer.ts'
import type { EventName } from './events.ts'
import type { Fire } from './fire.ts'
import type { WorkListeners } from './work-listeners.ts'

type EndedTurn = TurnContext & {
  readonly reason: TurnEndReason
  readonly error?: { readonly code: string; readonly message: string }
}
type Message = TurnContext & { readonly text: string; readonly signal: AbortSignal }

export class TurnListeners {
  readonly #fire: Fire
  readonly #work: WorkListeners
  /** What hooks of a message add to it, by turn. */
  readonly #contexts = new Map<string, readonly string[]>()
  /** Hooks of the start of a session that run or have run since its last message. */
  readonly #starts = new Map<string, Promise<readonly string[]>>()
  readonly #opened = new WeakSet<object>()

  constructor(fire: Fire, work: WorkListeners) {
    this.#fire = fire
    this.#work = work
  }

  /** Contract: a listener of `BeforeTurn`. */
  async begin({ sessionId, turnId, text, signal, purpose }: Message): Promise<HookDecisionResult | undefined> {
    const start = await this.#starts.get(sessionId)
    this.#starts.delete(sessionId)
    // The message of a subagent is no prompt of the user.
    const isOwn = purpose !== 'subagent'
    const outcome = isOwn ? await this.#fire('UserPromptSubmit', sessionId, { prompt: text }, { signal }) : NO_OUTCOME
    const blocks = [
      ...(start ?? []).map((context) => block(isOwn ? 'SessionStart' : 'SubagentStart', context)),
      ...outcome.contexts.map((context) => block('UserPromptSubmit', context)),
    ]
    if (blocks.length > 0) this.#contexts.set(turnId, blocks)
    if (outcome.stop !== undefined) return { decision: 'deny', reason: outcome.stop }
    return outcome.decision === 'deny' ? { decision: 'deny', reason: outcome.reason } : undefined
  }

  /** Contract: a listener of the hook that rewrites messages: what hooks said of this one is behind it, as data. */
  extend(text: string, { turnId }: TurnContext): string | undefined {
    const blocks = this.#contexts.get(turnId)
    this.#contexts.delete(turnId)
    return blocks && [text, ...blocks].join('\n\n')
  }

  /** Contract: a listener of `BeforeTurnEnd`. */
  async beforeEnd(ending: TurnEnding, turn: TurnContext): Promise<TurnEnding | undefined> {
    const { answer, continuations, continueWith: earlier, signal } = ending
    const { event, sessionId, fields: own, subjects } = this.#work.describeEnd(turn)
    const fields = { stop_hook_active: continuations > 0, last_assistant_message: answer, ...own }
    const { decision, reason, stop } = await this.#fire(event, sessionId, fields, { signal, subjects })
    if (decision !== 'deny' || stop !== undefined || signal.aborted) return undefined
    return { ...ending, continueWith: [...(earlier ? [earlier] : []), reason].join('\n\n') }
  }

  async ended({ sessionId, reason, error }: EndedTurn): Promise<void> {
    const details = error && { error_details: `${error.code}: ${error.message}` }
    if (reason === 'failed') await this.#fire('StopFailure', sessionId, { error: reason, ...details })
  }

  /** Does not wait: the first message does. */
  opened({ conversation, reason }: OpenedConversation): void {
    const source = reason === 'resumed' ? 'resume' : this.#opened.has(conversation) ? 'clear' : 'startup'
    this.#opened.add(conversation)
    const { sessionId } = conversation
    this.#starts.set(sessionId, this.#start(sessionId, source))
  }

  /** A summary stands for what was said: what hooks print goes to the model with the next message. Contract: `SessionCompacted`. */
  async compacted(compacted: CompactedSession): Promise<void> {
    await this.#work.compacted(compacted)
    const { sessionId } = compacted
    const before = this.#starts.get(sessionId)
    const start = this.#start(sessionId, 'compact')
    this.#starts.set(
      sessionId,
      Promise.all([before ?? [], start]).then((all) => all.flat()),
    )
    await start
  }

  /** Contract: a listener of `SubagentStarted`. */
  async subagentStarted(subagent: Subagent): Promise<void> {
    const contexts = this.#work.subagentStarted(subagent)
    this.#starts.set(subagent.sessionId, contexts)
    await contexts
  }

  async #start(sessionId: string, source: string): Promise<readonly string[]> {
    return (await this.#fire('SessionStart', sessionId, { source }, { subjects: [source] })).contexts
  }

  async closed({ sessionId, reason: why, conversation }: ClosedConversation): Promise<void> {
    this.#starts.delete(sessionId)
    const reason = why === 'switched' ? 'resume' : conversation.front.waits ? 'prompt_input_exit' : 'other'
    await this.#fire('SessionEnd', sessionId, { reason }, { subjects: [reason] })
  }

  /** Contract: a listener of `BeforeCompaction`. */
  async compress({
    sessionId,
    trigger,
    focus = '',
    signal,
  }: CompactionAttempt): Promise<HookDecisionResult | undefined> {
    const kind = trigger === 'automatic' ? 'auto' : 'manual'
    const fields = { trigger: kind, custom_instructions: focus }
    this.#work.compressing(sessionId, kind)
    const { decision, reason, stop } = await this.#fire('PreCompact', sessionId, fields, { signal, subjects: [kind] })
    if (stop !== undefined) return { decision: 'deny', reason: stop }
    return decision === 'deny' ? { decision: 'deny', reason } : undefined
  }

  async asked({ sessionId, tool, action, reason }: ApprovalRequest): Promise<void> {
    const kind = 'permission_prompt'
    const fields = { notification_type: kind, title: tool, message: `It ${reason}: ${action}` }
    await this.#fire('Notification', sessionId, fields, { subjects: [kind] })
  }

  async questioned({ sessionId, text }: UserQuestion): Promise<void> {
    const kind = 'elicitation_dialog'
    const fields = { notification_type: kind, title: 'Question', message: text }
    await this.#fire('Notification', sessionId, fields, { subjects: [kind] })
  }

  async configChanged(): Promise<void> {
    const source = 'user_settings'
    await this.#fire('ConfigChange', '', { source }, { subjects: [source] })
  }
}

/** Data behind a message, which ends where it should: marks in the text are taken apart. */
function block(event: EventName, text: string): string {
  const inside = text.replace(/<(\/?)data/gi, '<$1 data')
  return `<data source="hook ${event}" note="added by a hook that the user configured">\n${inside}\n</data>`
}
