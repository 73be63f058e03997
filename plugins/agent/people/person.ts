/** The person of one session: what is asked becomes a question that front ends show. */
import {
  type ChoiceDialog,
  Clock,
  Conversations,
  createTranslator,
  logFault,
  type Person,
  type PersonOptions,
  type PluginContext,
  Random,
  type TurnEventData,
  type UserQuestion,
} from 'svc/sdk'
import type { PersonSource } from 'svc/sdk/host'
import type { QuestionForm } from 'svc/sdk/safety'
import type { PendingQuestions } from './pending-questions.ts'

/** Where no person sits at the front end, a question does not hold its turn for ever. */
const DEFAULT_MS = 3_600_000
/** The most that a timer can wait. */
const MAX_MS = 2_147_483_647

interface PersonDeps {
  readonly pending: PendingQuestions
  readonly sessionId: string
  readonly source: PersonSource
}

/** Contract: `Person` of the SDK. */
export class SessionPerson implements Person {
  readonly #ctx: PluginContext<undefined>
  readonly #deps: PersonDeps
  #open = 0

  constructor(ctx: PluginContext<undefined>, deps: PersonDeps) {
    this.#ctx = ctx
    this.#deps = deps
  }

  get isReachable(): boolean {
    return this.#deps.pending.reaches(this.#deps.sessionId)
  }

  get isAsked(): boolean {
    return this.#open > 0
  }

  readonly confirm: Person['confirm'] = async (question, options = {}) => {
    const t = createTranslator(this.#ctx)
    const answer = await this.#ask(question, [t('Yes'), t('No')], { kind: 'confirm' }, options)
    return answer === undefined ? undefined : answer === 'yes'
  }

  readonly choose: Person['choose'] = (...[asked, second, third]) => {
    const isList = typeof asked === 'string'
    const { title, ...dialog } = isList ? { title: asked, items: second as readonly string[] } : asked
    const options = (isList ? third : (second as PersonOptions | undefined)) ?? {}
    const items = dialog.items.map((item) => (typeof item === 'string' ? { id: item, label: item } : item))
    if (items.length === 0) return Promise.resolve(undefined)
    const { current } = dialog as Partial<ChoiceDialog>
    const form: QuestionForm = { kind: 'choose', items, ...(current !== undefined && { current }) }
    const labels = items.map(({ label }) => label)
    return this.#ask(title, labels, form, options)
  }

  readonly ask: Person['ask'] = (question, { secret, ...options } = {}) =>
    this.#ask(question, [], { kind: 'text', ...(secret && { secret: true }) }, options)

  readonly edit: Person['edit'] = (title, { text = '', ...options } = {}) =>
    this.#ask(title, [], { kind: 'edit', text }, options)

  readonly say: Person['say'] = (text, tone) => {
    const { pending, sessionId } = this.#deps
    try {
      const conversation = this.#ctx.find(Conversations)?.of(pending.resolve(sessionId))
      if (conversation) conversation.say(text, tone)
      else this.#emit({ type: 'notice', text })
    } catch (error) {
      logFault(this.#ctx.log, 'a notice could not be shown', error)
    }
  }

  async #ask(
    text: string,
    choices: readonly string[],
    form: QuestionForm,
    { timeoutMs, signal }: PersonOptions,
  ): Promise<string | undefined> {
    const { pending, source, sessionId } = this.#deps
    const signals = [source.turn?.signal, source.signal, signal].filter((each) => each !== undefined)
    const over = AbortSignal.any(signals)
    if (over.aborted || !pending.reaches(sessionId)) return undefined
    const expiresAt = this.#expiry(sessionId, timeoutMs)
    const id = `ask_${this.#ctx.use(Random).hex(8)}`
    const question: UserQuestion = {
      ...{ id, sessionId, text, choices, form },
      ...(source.turn && { turnId: source.turn.turnId }),
      ...(source.command !== undefined && { command: source.command }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(timeoutMs !== undefined && { showsTime: true }),
    }
    this.#open++
    try {
      this.#emit({ type: 'clarify.request', question })
      const answer = await pending.ask(question, over)
      if (typeof answer === 'string') return undefined
      const isSecret = form.kind === 'text' && form.secret === true
      this.#emit({ type: 'clarify.answer', id, text: isSecret ? '' : answer.text, by: answer.by })
      return answer.text
    } catch (error) {
      logFault(this.#ctx.log, 'a question to a person failed', error)
      return undefined
    } finally {
      this.#open--
    }
  }

  /** Milliseconds since 1970; undefined where a person sits and no limit was given. */
  #expiry(sessionId: string, timeoutMs: number | undefined): number | undefined {
    if (timeoutMs === undefined && this.#deps.pending.waits(sessionId)) return undefined
    return this.#ctx.use(Clock).now() + Math.min(MAX_MS, Math.max(0, timeoutMs ?? DEFAULT_MS))
  }

  /** What is asked in a turn is a part of its stream. */
  #emit(event: TurnEventData): void {
    this.#deps.source.turn?.emit(event)
  }
}
