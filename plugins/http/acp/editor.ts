/** The editor at the other end of a connection: what it can do, what it is told and what it is asked. */
import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationRequest,
  ElicitationPropertySchema,
  PermissionOption,
  RequestPermissionRequest,
  SessionUpdate,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk'
import type { Logger } from 'svc/sdk'

export class Editor {
  /** From `initialize`; nothing before it. */
  capabilities: ClientCapabilities = {}
  readonly #client: AgentContext
  readonly #log: Logger

  constructor(client: AgentContext, log: Logger) {
    this.#client = client
    this.#log = log
  }

  get hasForms(): boolean {
    return Boolean(this.capabilities.elicitation?.form)
  }

  get hasNotices(): boolean {
    return Boolean(this.capabilities.session?.notices)
  }

  /** Never rejects. */
  async tell(sessionId: string, update: SessionUpdate): Promise<void> {
    try {
      await this.#client.notify('session/update', { sessionId, update })
    } catch (error) {
      this.#log.debug('the editor could not be told', { update: update.sessionUpdate, error })
    }
  }

  /** The `optionId` that was chosen; undefined when none was. Never rejects. */
  async permit(
    sessionId: string,
    { toolCall, options }: { readonly toolCall: ToolCallUpdate; readonly options: PermissionOption[] },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const request: RequestPermissionRequest = { sessionId, toolCall, options }
    const sending = { cancellationSignal: signal, stopWaitingOnCancel: true }
    try {
      const { outcome } = await this.#client.request('session/request_permission', request, sending)
      return outcome.outcome === 'selected' ? outcome.optionId : undefined
    } catch (error) {
      if (!signal.aborted) this.#log.warn('the editor did not answer a request for permission', { error })
      return undefined
    }
  }

  /** The value of the only field of a form; undefined when it was not filled in. Never rejects. */
  async fillIn(
    sessionId: string,
    { message, field }: { readonly message: string; readonly field: ElicitationPropertySchema },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const requestedSchema = { type: 'object' as const, properties: { answer: field }, required: ['answer'] }
    const request: CreateElicitationRequest = { mode: 'form', sessionId, message, requestedSchema }
    const sending = { cancellationSignal: signal, stopWaitingOnCancel: true }
    try {
      const reply = await this.#client.request('elicitation/create', request, sending)
      if (reply.action !== 'accept') return undefined
      const value = (reply.content as Record<string, unknown> | null | undefined)?.['answer']
      return value === undefined ? undefined : String(value)
    } catch (error) {
      if (!signal.aborted) this.#log.warn('the editor did not answer a form', { error })
      return undefined
    }
  }
}
