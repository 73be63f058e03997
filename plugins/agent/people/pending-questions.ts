/** Where questions wait for people: shown on every front end in reach, and the first answer counts. */

import {
  type QuestionAnswer as Answer,
  type Clock,
  errorCode,
  errorMessage,
  type Logger,
  type Questions,
  type Registration,
  SvcError,
  type UnansweredReason,
  type UserQuestion,
} from 'svc/sdk'
import type { AnsweredQuestion } from 'svc/sdk/hooks'
import { toRegistration } from 'svc/sdk/kit/async'
import type { QuestionHandler } from 'svc/sdk/safety'
import { readAnswer } from './read-answer.ts'

/** The dependencies of the class. */
export interface PendingQuestionsDeps {
  readonly clock: () => Clock
  readonly log: Logger
  /** Both say what happened and do not throw. */
  readonly asked?: (question: UserQuestion) => void
  readonly answered?: (answered: AnsweredQuestion) => void
}

/** A chain of subagents is not followed further: two that ask through each other would never end. */
const MAX_FORWARDS = 16

interface Open {
  readonly question: UserQuestion
  readonly settle: (answer: Answer | UnansweredReason) => void
}

/** Contract: `Questions` of the SDK. Questions live as long as their turn; a turn that is resumed asks again. */
export class PendingQuestions implements Questions {
  readonly #ports: PendingQuestionsDeps
  readonly #respondents: Set<QuestionHandler> = new Set()
  readonly #open: Map<string, Open> = new Map()
  /** By session: where the person is asked instead. */
  readonly #parents: Map<string, () => string> = new Map()

  constructor(deps: PendingQuestionsDeps) {
    this.#ports = deps
  }

  connect(respondent: QuestionHandler): Registration {
    this.#respondents.add(respondent)
    return toRegistration(() => void this.#respondents.delete(respondent))
  }

  pending(): readonly UserQuestion[] {
    return [...this.#open.values()].map(({ question }) => question)
  }

  answer(id: string, text: string, by: string): void {
    const open = this.#open.get(id)
    if (!open)
      throw new SvcError('QUESTION_UNKNOWN', 'This question is not open any more; it needs no answer.', { status: 404 })
    const answer = readAnswer(open.question, text)
    if (answer === undefined)
      throw new SvcError('QUESTION_ANSWER', 'This is not an answer to the question. Answer with one of its choices.', {
        status: 400,
      })
    this.#open.delete(id)
    open.settle({ text: answer, by })
  }

  /** Whether a person could be asked now. */
  reaches(sessionId: string): boolean {
    return this.#reached(this.resolve(sessionId)).length > 0
  }

  waits(sessionId: string): boolean {
    return this.#reached(this.resolve(sessionId)).some(({ waits }) => waits)
  }

  /** See `People.forward`. */
  forward(sessionId: string, parent: () => string): Registration {
    this.#parents.set(sessionId, parent)
    return toRegistration(() => {
      if (this.#parents.get(sessionId) === parent) this.#parents.delete(sessionId)
    })
  }

  /** The session at whose front end the person of this one is. */
  resolve(sessionId: string): string {
    let asked = sessionId
    for (let count = 0; count < MAX_FORWARDS; count++) {
      const parent = this.#parents.get(asked)?.()
      if (parent === undefined) break
      asked = parent
    }
    return asked
  }

  #reached(sessionId: string): readonly QuestionHandler[] {
    return [...this.#respondents].filter((respondent) => respondent.reaches(sessionId))
  }

  /** Shows a question and waits until it is settled. A question with the same id that is still open is given up. */
  async ask(asked: UserQuestion, signal: AbortSignal): Promise<Answer | UnansweredReason> {
    const question = { ...asked, sessionId: this.resolve(asked.sessionId) }
    const reached = this.#reached(question.sessionId)
    if (reached.length === 0) return 'nobody'
    this.#open.get(question.id)?.settle('interrupted')
    this.#ports.asked?.(question)
    const answer = await this.#wait(question, reached, signal)
    this.#ports.answered?.(describeAnswer(question, answer))
    return answer
  }

  async #wait(
    question: UserQuestion,
    reached: readonly QuestionHandler[],
    signal: AbortSignal,
  ): Promise<Answer | UnansweredReason> {
    const { clock } = this.#ports
    const over = new AbortController()
    let stop = () => {}
    try {
      return await new Promise<Answer | UnansweredReason>((settle) => {
        const interrupted = () => settle('interrupted')
        if (signal.aborted) interrupted()
        signal.addEventListener('abort', interrupted, { once: true })
        const { expiresAt } = question
        const cancel =
          expiresAt === undefined
            ? () => {}
            : clock().after(Math.max(0, expiresAt - clock().now()), () => settle('timeout'))
        stop = () => {
          signal.removeEventListener('abort', interrupted)
          cancel()
        }
        this.#open.set(question.id, { question, settle })
        void this.#show(question, reached, over.signal).then(() => settle('nobody'))
      })
    } finally {
      over.abort()
      stop()
      if (this.#open.get(question.id)?.question === question) this.#open.delete(question.id)
    }
  }

  /** Gives up what is open: the plugin goes. */
  close(): void {
    for (const { settle } of this.#open.values()) settle('interrupted')
  }

  /** Resolves once no front end waits for a person any more. */
  async #show(question: UserQuestion, reached: readonly QuestionHandler[], signal: AbortSignal): Promise<void> {
    await Promise.all(
      reached.map(async (respondent) => {
        try {
          const text = await respondent.ask(question, signal)
          if (text !== undefined && !signal.aborted) this.#take(question.id, text, respondent.name)
        } catch (error) {
          const fields = { respondent: respondent.name, error: errorMessage(error) }
          this.#ports.log.warn('a front end could not show a question', fields)
        }
      }),
    )
  }

  /** A second answer is not an error: another person was faster. One that the form does not have is none. */
  #take(id: string, text: string, by: string): void {
    try {
      this.answer(id, text, by)
    } catch (error) {
      const code = errorCode(error)
      if (code !== 'QUESTION_UNKNOWN' && code !== 'QUESTION_ANSWER') throw error
    }
  }
}

/** Without what must not be told to others. */
function describeAnswer(question: UserQuestion, answer: Answer | UnansweredReason): AnsweredQuestion {
  if (typeof answer === 'string') return { question, unanswered: answer }
  const { form } = question
  const isSecret = form?.kind === 'text' && form.secret === true
  return { question, by: answer.by, ...(!isSecret && { text: answer.text }) }
}
