/** What a chat asks people, and which of their messages answer: the dialogs of `FrontEndHandlers`. */
import {
  type ApprovalChoice,
  type ApprovalRequest,
  type ChoiceDialog,
  Clock,
  createTranslator,
  type PluginContext,
  Random,
  type Translate,
  type UserQuestion,
} from 'svc/sdk'
import { type InboundMessage, type InboundResult, Outbox, type Platform } from 'svc/sdk/platform'
import { Access } from 'svc/sdk/safety'
import type { DialogOptions, FrontEndHandlers } from 'svc/sdk/sessions'
import type { ChatOutput } from './chat-output.ts'
import { Prompts, shownAt } from './chat-questions.ts'
import type { Config } from './config.ts'
import type { InboxRows } from './inbox-rows.ts'
import { answerLeft } from './left-approvals.ts'
import {
  answerNotice,
  approvalProblem,
  approvalPrompt,
  confirmPrompt,
  editPrompt,
  KEEP,
  menuPrompt,
  type PromptTerms,
  questionPrompt,
  readTerms,
  shortId,
  textPrompt,
} from './prompt-forms.ts'
import { type InboxRow, toWritten } from './store.ts'

/** The chat that dialogs are held in. */
export interface DialogChat {
  readonly output: ChatOutput
  readonly rows: InboxRows
  /** The session that is bound to the chat, if any. */
  sessionId(): string | undefined
}

type DialogHandlers = Pick<FrontEndHandlers, 'approve' | 'answer' | 'confirm' | 'choose' | 'ask' | 'edit' | 'wasShown'>

/** Contract: `FrontEndHandlers` of the SDK. */
export class ChatDialogs implements DialogHandlers {
  readonly #ctx: PluginContext<Config>
  readonly #chat: DialogChat
  readonly #t: Translate
  readonly #prompts: Prompts

  constructor(ctx: PluginContext<Config>, chat: DialogChat, { limits }: Platform) {
    const clock = ctx.use(Clock)
    this.#ctx = ctx
    this.#chat = chat
    this.#t = createTranslator(ctx)
    this.#prompts = new Prompts((post) => chat.output.post(post), {
      buttons: limits.buttons ?? 0,
      shownAt: (key) => shownAt(ctx.use(Outbox), key),
      yielding: {
        after: (end) => clock.after(ctx.config.question_seconds * 1000, end, { background: true }),
        over: () => this.#t('This question is no longer open.'),
      },
    })
  }

  /** Whether a question waits for an answer. */
  get isWaiting(): boolean {
    return this.#prompts.isWaiting
  }

  /** Ends the questions that need not be answered, since something else was said. */
  supersede(): void {
    this.#prompts.supersede()
  }

  /** Ends all questions without an answer. */
  close(): void {
    this.#prompts.close()
  }

  /** The outcome of a message that belongs to a question; undefined when it is a request. */
  take(row: InboxRow): InboundResult | undefined {
    const { message } = row
    const { output, rows } = this.#chat
    let taken = this.#prompts.take(toWritten(row), (name) => this.#may(message, name))
    if (taken !== 'answered' && taken !== 'forbidden' && this.#answersLeft(row)) taken = 'answered'
    const staysOpen = taken === 'early' && this.#prompts.yields
    const said = answerNotice(taken, this.#t)
    const notice = said === undefined ? undefined : output.tellSender(message, said)
    if (taken === 'early')
      rows.note(row, 'early', `it is older than the question that waits${staysOpen ? '' : ', so it is a message'}`)
    if (taken === 'none' || (taken === 'early' && !staysOpen)) return undefined
    rows.note(row, 'answer', taken === 'answered' ? 'it answered a question' : `the question: ${taken}`)
    rows.endAnswer(row)
    return { outcome: taken, ...(notice !== undefined && { notice }) }
  }

  wasShown(approvalId: string): boolean {
    const { newest } = this.#chat.output
    return newest !== undefined && this.#prompts.wasShown(shortId(approvalId), toWritten(newest))
  }

  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice | undefined> {
    const problem = approvalProblem(request, this.#t)
    if (problem !== undefined) {
      this.#chat.output.say({ text: problem, tone: 'warning' })
      return 'deny'
    }
    const answer = await this.#prompts.ask(approvalPrompt(request, this.#t), signal)
    return request.choices.find((choice) => choice === answer)
  }

  async answer(question: UserQuestion, signal: AbortSignal): Promise<string | undefined> {
    const prompt = questionPrompt(question)
    const given = await this.#prompts.ask(prompt, signal)
    return prompt.options.find((option) => option.id === given)?.label ?? given
  }

  async confirm(question: string, signal: AbortSignal, options?: DialogOptions): Promise<boolean | undefined> {
    const prompt = confirmPrompt(this.#newId(), question, this.#terms(options), this.#t)
    const given = await this.#prompts.ask(prompt, signal)
    return given === undefined ? undefined : given === 'yes'
  }

  async choose(menu: ChoiceDialog, signal: AbortSignal, options?: DialogOptions): Promise<string | undefined> {
    const given = await this.#prompts.ask(menuPrompt(this.#newId(), menu, this.#terms(options)), signal)
    return given === undefined ? undefined : menu.items[Number(given)]?.id
  }

  /** A secret has no place in a chat. */
  async ask(
    { text, secret }: { readonly text: string; readonly secret?: boolean },
    signal: AbortSignal,
    options?: DialogOptions,
  ): Promise<string | undefined> {
    if (secret) {
      const refusal = this.#t('This needs a secret. Set it on the machine of svc, never in a chat.')
      this.#chat.output.say({ text: refusal, tone: 'warning' })
      return undefined
    }
    return this.#prompts.ask(textPrompt(this.#newId(), text, this.#terms(options)), signal)
  }

  async edit(
    dialog: { readonly title: string; readonly text: string },
    signal: AbortSignal,
    options?: DialogOptions,
  ): Promise<string | undefined> {
    const prompt = editPrompt(this.#newId(), dialog, this.#terms(options), this.#t)
    const given = await this.#prompts.ask(prompt, signal)
    return given === KEEP && dialog.text !== '' ? dialog.text : given
  }

  /** A resumed turn has not asked again yet. */
  #answersLeft(row: InboxRow): boolean {
    const { message } = row
    const wasShown = (id: string) => this.#prompts.wasShown(id, toWritten(row))
    return answerLeft(this.#ctx, { session: this.#chat.sessionId(), message, wasShown })
  }

  /** Whether the sender may use a slash command, and so answer for it. */
  #may(message: InboundMessage, name: string): boolean {
    return this.#ctx.use(Access).judge(message, { kind: 'command', name }).allow
  }

  #terms(options: DialogOptions | undefined): PromptTerms {
    return readTerms(options, this.#ctx.use(Clock).now(), this.#t)
  }

  #newId(): string {
    return shortId(this.#ctx.use(Random).hex(8))
  }
}
