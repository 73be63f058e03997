/** A conversation of an editor: what happens becomes updates, in order, and questions become requests. */
import type { SessionUpdate, StopReason } from '@agentclientprotocol/sdk'
import type { ApprovalRequest, ChoiceDialog, Message, PluginContext, TurnEvent, UserQuestion } from 'svc/sdk'
import type { ConversationChange, ConversationNotice, FrontEndHandlers } from 'svc/sdk/sessions'
import { EditorCalls } from './calls.ts'
import type { Editor } from './editor.ts'
import type { FileChanges } from './file-changes.ts'
import { EditorQuestions } from './questions.ts'
import { ToolCallFormat } from './tool-calls.ts'
import { listPlan, toImage, toText, toUsageUpdate } from './updates.ts'

export interface FrontDeps {
  readonly ctx: PluginContext<undefined>
  readonly editor: Editor
  readonly changes: FileChanges
  /** The session, and the folder in which it works. */
  readonly place: { readonly sessionId: string; readonly cwd: string }
  /** Settings, messages or the title of the session may be different. */
  changed(): void
}

/** How a turn ended. */
export interface TurnEnd {
  readonly stopReason: StopReason
  readonly error?: { readonly code: string; readonly message: string }
}

type Event<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>

/** Contract: `FrontEndHandlers` of the SDK. */
export class AcpFront implements FrontEndHandlers {
  readonly surface = 'acp'
  readonly commands = 'cli'
  readonly waits = true
  readonly #deps: FrontDeps
  readonly #questions: EditorQuestions
  readonly #calls: EditorCalls
  /** Settles when the editor was told of all that happened so far. */
  #told: Promise<void> = Promise.resolve()
  /** Counts messages: the editor tells them apart by their ids. */
  #messages = 0
  /** Something of the newest answer was shown. */
  #isWritten = false
  #isCut = false
  #error: TurnEnd['error']
  #model = { provider: '', model: '' }
  #plan = '[]'
  /** Of the newest turn that ended; a prompt removes it before it begins one. */
  end: TurnEnd | undefined

  constructor(deps: FrontDeps) {
    const { ctx, editor, place, changes } = deps
    this.#deps = deps
    this.#questions = new EditorQuestions(editor, place)
    const tell = (make: () => Promise<SessionUpdate>) => this.tell(make)
    this.#calls = new EditorCalls({ format: new ToolCallFormat(ctx), place, changes, tell })
  }

  /** Resolves when the editor was told of all that happened so far. */
  settled(): Promise<void> {
    return this.#told
  }

  tell(update: SessionUpdate | (() => Promise<SessionUpdate | undefined>)): void {
    this.#told = this.#told.then(async () => {
      const made = typeof update === 'function' ? await update() : update
      if (made) await this.#deps.editor.tell(this.#deps.place.sessionId, made)
    })
  }

  show(event: TurnEvent): void {
    if (event.type.startsWith('tool.')) this.#showCall(event)
    else if (event.type.startsWith('turn.')) this.#showTurn(event)
    else this.#showMessage(event)
  }

  say({ text, tone }: ConversationNotice): void {
    this.#messages++
    if (tone !== 'info' && this.#deps.editor.hasNotices)
      this.tell({ sessionUpdate: 'notice', severity: tone, title: text })
    else this.#write('agent_message_chunk', text)
  }

  changed(change: ConversationChange): void {
    if (change === 'settings' || change === 'messages') this.#deps.changed()
  }

  async approve(request: ApprovalRequest, signal: AbortSignal): ReturnType<NonNullable<FrontEndHandlers['approve']>> {
    await this.#told
    const { id, turnId, callId, tool } = request
    const known = callId === undefined ? undefined : this.#calls.describe(turnId, callId)
    const call = known ?? { toolCallId: id, title: tool, kind: 'other' as const }
    return this.#questions.approve(request, { ...call, status: 'pending' }, signal)
  }

  async answer(question: UserQuestion, signal: AbortSignal): Promise<string | undefined> {
    await this.#told
    return this.#questions.answer(question, signal)
  }

  async confirm(question: string, signal: AbortSignal): Promise<boolean | undefined> {
    await this.#told
    return this.#questions.confirm(question, signal)
  }

  async choose(menu: ChoiceDialog, signal: AbortSignal): Promise<string | undefined> {
    await this.#told
    return this.#questions.choose(menu, signal)
  }

  async ask(
    question: { readonly text: string; readonly secret?: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    await this.#told
    return this.#questions.ask(question, signal)
  }

  /** Tells of stored messages, as if they had just been written. */
  replay(messages: readonly Message[]): void {
    /** Ids of calls are unique within one answer. */
    let answer = ''
    for (const message of messages) {
      this.#messages++
      if (message.role === 'assistant') answer = `stored-${this.#messages}`
      this.#replayOne(message, answer)
    }
    this.#calls.clear()
    this.#tellPlan()
  }

  #replayOne(message: Message, answer: string): void {
    if (message.role === 'user') {
      this.#write('user_message_chunk', message.text)
      for (const image of message.images ?? [])
        this.tell({ sessionUpdate: 'user_message_chunk', content: toImage(image), ...this.#id() })
    } else if (message.role === 'assistant') {
      this.#write('agent_thought_chunk', message.reasoning ?? '')
      this.#write('agent_message_chunk', message.text)
      for (const { id: callId, name, input } of message.toolCalls ?? [])
        this.#calls.start({ turnId: answer, callId, name, input })
    } else if (message.role === 'tool') {
      const { callId, text, failed = false } = message
      const at = { sessionId: this.#deps.place.sessionId, turnId: answer, seq: 0 }
      this.#calls.change({ type: 'tool.complete', callId, name: '', ok: !failed, text, ...at })
    }
  }

  #showTurn(event: TurnEvent): void {
    if (event.type === 'turn.start') this.#model = { provider: event.provider, model: event.model }
    if (event.type !== 'turn.end') {
      this.#error = undefined
      this.#isCut = false
      return
    }
    this.#calls.clear()
    this.end = toEnd(event, this.#isCut, this.#error)
    this.#deps.changed()
  }

  #showCall(event: TurnEvent): void {
    if (event.type === 'tool.start') this.#calls.start(event)
    if (event.type === 'tool.running' || event.type === 'tool.progress') this.#calls.change(event)
    if (event.type !== 'tool.complete') return
    this.#calls.change(event)
    this.#tellPlan()
  }

  #showMessage(event: TurnEvent): void {
    if (event.type === 'model.start') {
      this.#model = { provider: event.provider, model: event.model }
      this.#messages++
      this.#isWritten = false
    } else if (event.type === 'model.end') this.#isCut = event.reason === 'length'
    else if (event.type === 'reasoning.delta') this.#write('agent_thought_chunk', event.text)
    else if (event.type === 'message.delta') {
      this.#isWritten = true
      this.#write('agent_message_chunk', event.text)
    } else if (event.type === 'message.complete') {
      if (!this.#isWritten) this.#write('agent_message_chunk', event.text)
    } else if (event.type === 'image')
      this.tell({ sessionUpdate: 'agent_message_chunk', content: toImage(event.image), ...this.#id() })
    else if (event.type === 'usage') this.#tellUsage(event)
    else if (event.type === 'notice') this.#tellNotice(event)
    else if (event.type === 'error') this.#error = { code: event.code, message: event.message }
  }

  /** What only matters while the turn runs is for editors that have notices. */
  #tellNotice({ text, isPassing }: Event<'notice'>): void {
    if (this.#deps.editor.hasNotices) this.tell({ sessionUpdate: 'notice', severity: 'warning', title: text })
    else if (!isPassing) this.#write('agent_thought_chunk', `${text}\n`)
  }

  #write(sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk', text: string): void {
    if (text !== '') this.tell({ sessionUpdate, content: toText(text), ...this.#id() })
  }

  #id(): { readonly messageId: string } {
    return { messageId: `m${this.#messages}` }
  }

  #tellUsage({ usage }: Event<'usage'>): void {
    const { ctx, place } = this.#deps
    const update = toUsageUpdate(ctx, place.sessionId, { usage, ...this.#model })
    if (update) this.tell(update)
  }

  #tellPlan(): void {
    const entries = listPlan(this.#deps.ctx, this.#deps.place.sessionId)
    const plan = JSON.stringify(entries)
    if (plan === this.#plan) return
    this.#plan = plan
    this.tell({ sessionUpdate: 'plan', entries })
  }
}

const REASONS: Readonly<Record<Event<'turn.end'>['reason'], StopReason>> = {
  completed: 'end_turn',
  interrupted: 'cancelled',
  'max-iterations': 'max_turn_requests',
  failed: 'end_turn',
  crashed: 'end_turn',
}

function toEnd({ reason }: Event<'turn.end'>, isCut: boolean, error: TurnEnd['error']): TurnEnd {
  if (error?.code === 'TURN_REFUSED') return { stopReason: 'refusal' }
  if (reason === 'completed' && isCut) return { stopReason: 'max_tokens' }
  return { stopReason: REASONS[reason], ...(error && reason === 'failed' && { error }) }
}
