/** A turn for a client: its steps are progress, and what it asks is put to the person at the client by forms. */
import type { ApprovalChoice, ApprovalRequest, ChoiceDialog, TurnEvent, UserQuestion } from 'svc/sdk'
import { type Logger, logFault } from 'svc/sdk'
import type { McpClientCall } from 'svc/sdk/mcp'
import type { ConversationNotice, FrontEndHandlers } from 'svc/sdk/sessions'
import { toolCallLabel } from 'svc/sdk/terminal'

type Event<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>

/** Contract: `FrontEndHandlers` of the SDK. */
export class ClientFront implements FrontEndHandlers {
  readonly surface = 'mcp'
  readonly commands = 'cli'
  readonly #call: McpClientCall
  readonly #log: Logger
  readonly #mask: (text: string) => string
  /** The last answer, and how the turn ended. */
  text = ''
  error: string | undefined
  readonly results: Event<'tool.complete'>[] = []
  end: Event<'turn.end'> | undefined

  constructor(call: McpClientCall, { log, mask }: { readonly log: Logger; mask(text: string): string }) {
    this.#call = call
    this.#log = log
    this.#mask = mask
  }

  show(event: TurnEvent): void {
    if (event.type === 'turn.start') this.text = ''
    else if (event.type === 'message.complete') this.text = event.text
    else if (event.type === 'error') this.error = event.message
    else if (event.type === 'turn.end') this.end = event
    else if (event.type === 'tool.start') this.#tell(`${event.name} ${toolCallLabel(event.input, this.#mask)}`)
    else if (event.type === 'tool.progress') this.#tell(this.#mask(event.text))
    else if (event.type === 'tool.complete') this.results.push(event)
    else if (event.type === 'notice') this.say({ text: event.text, tone: 'warning' })
  }

  say({ text, tone }: ConversationNotice): void {
    if (tone === 'error') this.error ??= text
    this.#call.log(tone, text)
  }

  changed(): void {}

  /** Without forms no person can be asked, and nothing is allowed. */
  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice | undefined> {
    const { action, reason, choices, covers } = request
    const about = covers === undefined ? '' : ` A standing answer covers ${covers}.`
    const message = `svc asks for your approval. It ${reason}: ${action}${about}`
    const answer = await this.#ask(
      { message, field: { type: 'string', title: 'Allow it?', enum: [...choices] } },
      signal,
    )
    return choices.find((choice) => choice === answer)
  }

  answer({ text, choices }: UserQuestion, signal: AbortSignal): Promise<string | undefined> {
    const options = choices.length > 0 ? ` (${choices.join(', ')})` : ''
    return this.#ask({ message: `${text}${options}`, field: { type: 'string', title: 'Answer' } }, signal)
  }

  async confirm(question: string, signal: AbortSignal): Promise<boolean | undefined> {
    const field = { type: 'string' as const, title: 'Answer', enum: ['yes', 'no'] }
    const answer = await this.#ask({ message: question, field }, signal)
    return answer === undefined ? undefined : answer === 'yes'
  }

  choose({ title, items }: ChoiceDialog, signal: AbortSignal): Promise<string | undefined> {
    const names = { enum: items.map(({ id }) => id), enumNames: items.map(({ label }) => label) }
    return this.#ask({ message: title, field: { type: 'string', title: 'Choice', ...names } }, signal)
  }

  /** A secret is not asked for: forms are not for secrets. */
  async ask(
    { text, secret }: { readonly text: string; readonly secret?: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    return secret ? undefined : this.#ask({ message: text, field: { type: 'string', title: 'Answer' } }, signal)
  }

  async #ask(
    { message, field }: { readonly message: string; readonly field: Readonly<Record<string, unknown>> },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    try {
      const form = { message, fields: { answer: field }, required: ['answer'] }
      const reply = await this.#call.fillIn?.(form, signal)
      const answer = reply?.action === 'accept' ? reply.content?.['answer'] : undefined
      return answer === undefined ? undefined : String(answer)
    } catch (error) {
      if (!signal.aborted) logFault(this.#log, 'a client did not answer a form', error)
      return undefined
    }
  }

  #tell(message: string): void {
    this.#call.progress({ message })
  }
}
