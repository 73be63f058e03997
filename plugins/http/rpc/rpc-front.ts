/** A conversation of a connected program: what happens becomes events, and questions become requests to it. */
import type { ApprovalRequest, ChoiceDialog, TurnEvent, UserQuestion } from 'svc/sdk'
import type { ConversationChange, ConversationNotice, FrontEndHandlers } from 'svc/sdk/sessions'
import type { PendingQuestions } from './questions.ts'
import { TurnSummary, toRpcEvent } from './turn-events.ts'

export interface FrontDeps {
  /** The `session_id` of the caller. */
  readonly id: string
  readonly questions: PendingQuestions
  emit(type: string, payload: object): void
}

/** Contract: `FrontEndHandlers` of the SDK. */
export class RpcFront implements FrontEndHandlers {
  readonly surface = 'rpc'
  readonly stays = true
  readonly commands = 'cli'
  readonly #deps: FrontDeps
  readonly #summary = new TurnSummary()
  #notices: ConversationNotice[] | undefined
  /** A turn that has said its last event, until its listeners are done. */
  #ending: { readonly over: Promise<void>; end(): void } | undefined

  constructor(deps: FrontDeps) {
    this.#deps = deps
  }

  show(event: TurnEvent): void {
    const { emit } = this.#deps
    const shown = toRpcEvent(event)
    if (shown) emit(shown.type, shown.payload)
    const last = this.#summary.add(event)
    if (!last) return
    let end = () => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#ending = { over, end }
    emit(last.type, last.payload)
  }

  /**
   * Resolves when the turn whose `message.complete` was sent is over for its listeners too, so that the session is not busy
   * with it; at once when no turn is ending.
   */
  async settled(): Promise<void> {
    await this.#ending?.over
  }

  say(notice: ConversationNotice): void {
    if (this.#notices) this.#notices.push(notice)
    else this.#deps.emit('notification.show', { text: notice.text, level: notice.tone })
  }

  /** Runs a command and returns what it said, instead of sending it as notifications. */
  async collect(work: () => Promise<void>): Promise<readonly ConversationNotice[]> {
    const notices: ConversationNotice[] = []
    this.#notices = notices
    try {
      await work()
    } finally {
      this.#notices = undefined
    }
    return notices
  }

  changed(change: ConversationChange): void {
    if (change === 'busy' || change === 'closed') {
      this.#ending?.end()
      this.#ending = undefined
    }
    this.#deps.emit('session.changed', { what: change })
  }

  approve(request: ApprovalRequest, signal: AbortSignal): ReturnType<NonNullable<FrontEndHandlers['approve']>> {
    const { id, tool, action, reason, choices, covers, expiresAt } = request
    const payload = {
      tool,
      command: action,
      description: reason,
      choices,
      allow_permanent: choices.includes('always'),
      ...(covers !== undefined && { covers }),
      expires_at: expiresAt,
    }
    return this.#deps.questions.ask('approval.request', { sessionId: this.#deps.id, id, payload }, signal)
  }

  answer({ id, text, choices }: UserQuestion, signal: AbortSignal): Promise<string | undefined> {
    const payload = { question: text, choices }
    return this.#deps.questions.ask('clarify.request', { sessionId: this.#deps.id, id, payload }, signal)
  }

  async confirm(question: string, signal: AbortSignal): Promise<boolean> {
    const answer = await this.#ask('clarify.request', { question, choices: ['yes', 'no'] }, signal)
    return answer?.trim().toLowerCase() === 'yes'
  }

  async choose({ title, items }: ChoiceDialog, signal: AbortSignal): Promise<string | undefined> {
    const choices = items.map(({ label }) => label)
    const answer = await this.#ask('clarify.request', { question: title, choices, items }, signal)
    return items.find(({ id, label }) => answer === id || answer === label)?.id
  }

  ask(
    { text, secret }: { readonly text: string; readonly secret?: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (secret) return this.#ask('secret.request', { prompt: text }, signal)
    return this.#ask('clarify.request', { question: text, choices: [] }, signal)
  }

  #ask(kind: 'clarify.request' | 'secret.request', payload: object, signal: AbortSignal): Promise<string | undefined> {
    return this.#deps.questions.ask(kind, { sessionId: this.#deps.id, payload }, signal)
  }
}
