/** Hooks around turns and conversations: messages, ends, sessions, compression, approvals and the configuration. */
import {
  type ApprovalRequest,
  type HookDecisionResult,
  type PluginContext,
  Sessions,
  type TurnContext,
  type TurnEndReason,
} from 'svc/sdk'
import type { ClosedConversation, CompactionAttempt, OpenedConversation, TurnEnding } from 'svc/sdk/hooks'
import type { Outcome } from './answer.ts'
import type { Config } from './config.ts'
import type { EventName } from './events.ts'
import type { HookRunner } from './runner.ts'

type Fields = Readonly<Record<string, unknown>>
type EndedTurn = TurnContext & {
  readonly reason: TurnEndReason
  readonly error?: { readonly code: string; readonly message: string }
}
type Message = TurnContext & { readonly text: string; readonly signal: AbortSignal }

/** Reports what hooks have to say to a person. Does not throw. */
export type Say = (sessionId: string, text: string) => void

export class TurnListeners {
  readonly #ctx: PluginContext<Config>
  readonly #runner: HookRunner
  readonly #say: Say
  /** What hooks of a message add to it, by turn. */
  readonly #contexts = new Map<string, readonly string[]>()
  /** Hooks of the start of a session that run or have run since its last message. */
  readonly #starts = new Map<string, Promise<Outcome>>()
  readonly #opened = new WeakSet<object>()

  constructor(ctx: PluginContext<Config>, runner: HookRunner, say: Say) {
    this.#ctx = ctx
    this.#runner = runner
    this.#say = say
  }

  /** Contract: a listener of `BeforeTurn`. */
  async begin({ sessionId, turnId, text, signal }: Message): Promise<HookDecisionResult | undefined> {
    const start = await this.#starts.get(sessionId)
    this.#starts.delete(sessionId)
    const outcome = await this.#fire('UserPromptSubmit', sessionId, { prompt: text }, { signal })
    const blocks = [
      ...(start?.contexts ?? []).map((context) => block('SessionStart', context)),
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
  async beforeEnd(ending: TurnEnding, { sessionId }: TurnContext): Promise<TurnEnding | undefined> {
    const { answer, continuations, continueWith: earlier, signal } = ending
    const fields = { stop_hook_active: continuations > 0, last_assistant_message: answer }
    const { decision, reason, stop } = await this.#fire('Stop', sessionId, fields, { signal })
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
    this.#starts.set(sessionId, this.#fire('SessionStart', sessionId, { source }, { subjects: [source] }))
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
    const { decision, reason, stop } = await this.#fire('PreCompact', sessionId, fields, { signal, subjects: [kind] })
    if (stop !== undefined) return { decision: 'deny', reason: stop }
    return decision === 'deny' ? { decision: 'deny', reason } : undefined
  }

  async asked({ sessionId, tool, action, reason }: ApprovalRequest): Promise<void> {
    const kind = 'permission_prompt'
    const fields = { notification_type: kind, title: tool, message: `It ${reason}: ${action}` }
    await this.#fire('Notification', sessionId, fields, { subjects: [kind] })
  }

  async configChanged(): Promise<void> {
    const source = 'user_settings'
    await this.#fire('ConfigChange', '', { source }, { subjects: [source] })
  }

  async #fire(
    event: EventName,
    sessionId: string,
    fields: Fields,
    { signal = this.#ctx.signal, subjects = [] }: { signal?: AbortSignal; subjects?: readonly string[] } = {},
  ): Promise<Outcome> {
    const cwd = sessionId === '' ? process.cwd() : this.#ctx.use(Sessions).open(sessionId).cwd
    const outcome = await this.#runner.fire({ event, sessionId, cwd, subjects, signal, input: () => fields })
    for (const message of outcome.messages) this.#say(sessionId, message)
    return outcome
  }
}

/** Data behind a message, which ends where it should: marks in the text are taken apart. */
function block(event: EventName, text: string): string {
  const inside = text.replace(/<(\/?)data/gi, '<$1 data')
  return `<data source="hook ${event}" note="added by a hook that the user configured">\n${inside}\n</data>`
}
