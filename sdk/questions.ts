/** Questions to a person, and the front ends that show them. Provided by the plugin `people`; to ask one use `Person`. */

import type { ChoiceDialog } from './conversations.ts'
import { defineService, type NotifyHook, notifyHook, type Service } from './declarations.ts'
import type { PluginContext, Registration } from './plugin.ts'
import { Clock } from './ports.ts'
import type { TurnEventData } from './turn-events.ts'

/**
 * The kind of answer that a question has. `confirm`: `yes` or `no`. `choose`: the `id` of an item. `text`: a line.
 * `edit`: a text of several lines that begins as `text`.
 * @since 0.2
 */
export type QuestionForm =
  | { readonly kind: 'confirm' }
  | { readonly kind: 'choose'; readonly items: ChoiceDialog['items']; readonly current?: string }
  | { readonly kind: 'text'; readonly secret?: true }
  | { readonly kind: 'edit'; readonly text: string }

/** A question. @since 0.2 */
export interface UserQuestion {
  readonly id: string
  readonly sessionId: string
  /** The turn that waits for the answer; left out where no turn does. */
  readonly turnId?: string
  readonly text: string
  /** What may be chosen, as texts. A question without a form may always be answered in free text. */
  readonly choices: readonly string[]
  /** Left out: one of `choices`, or free text. */
  readonly form?: QuestionForm
  /** The slash command that asks: who may not use it may not answer. */
  readonly command?: string
  /** Milliseconds since 1970; the question expires then. Left out: it does not expire. */
  readonly expiresAt?: number
  /** The time was given for this question: front ends show how much of it is left. */
  readonly showsTime?: true
}

/** A front end where a person can answer. @since 0.2 */
export interface QuestionHandler {
  readonly name: string
  /** A person sits at it: what is asked there has no time limit of its own. */
  readonly waits?: true
  /** Whether it can show a question of this session now. */
  reaches(sessionId: string): boolean
  /**
   * Shows the question; undefined if it was not answered. Aborted when another front end answered or it expired. The answer
   * is read as in `Questions.answer`; one that the form of the question does not have counts as no answer.
   */
  ask(question: UserQuestion, signal: AbortSignal): Promise<string | undefined>
}

/** The answer of a person, and the front end it came from. @since 0.1 */
export interface QuestionAnswer {
  readonly text: string
  readonly by: string
}

/** Why there is no answer. `nobody`: no front end reaches the session, or no front end got an answer. @since 0.2 */
export type UnansweredReason = 'nobody' | 'timeout' | 'interrupted'

/** Several front ends may show one question; the first answer counts. @since 0.1 */
export interface Questions {
  connect(respondent: QuestionHandler): Registration
  /** Whether a front end of this session could ask a person now. */
  reaches(sessionId: string): boolean
  /** Whether a front end where a person sits could ask one of this session now. */
  waits(sessionId: string): boolean
  /** Shows a question and waits until it is settled. A question with the same id that is still open is given up. */
  ask(question: UserQuestion, signal: AbortSignal): Promise<QuestionAnswer | UnansweredReason>
  pending(): readonly UserQuestion[]
  /**
   * A number stands for a choice, and a label for its item. Throws `QUESTION_UNKNOWN` when the question is not pending any
   * more, and `QUESTION_ANSWER` when its form does not have this answer.
   */
  answer(id: string, text: string, by: string): void
}
export const Questions: Service<Questions> = defineService('questions', { registers: ['connect'] })

const CONFIRM_MS = 600_000

/**
 * Asks a person to decide between two options. `undefined` if no person could be asked or none answered within ten
 * minutes: the caller then takes the safe option. Only the exact choice `yes` agrees; any other text is a no.
 * @since 0.1
 */
export async function askToConfirm(
  ctx: Pick<PluginContext<unknown>, 'find' | 'use'>,
  asked: Pick<UserQuestion, 'id' | 'sessionId' | 'text'> & {
    readonly turnId: string
    readonly yes: string
    readonly no: string
    readonly signal: AbortSignal
    /** Puts the question and its answer into the stream of the turn. */
    emit(event: TurnEventData): void
  },
): Promise<'yes' | 'no' | undefined> {
  const questions = ctx.find(Questions)
  const { id, sessionId, turnId, text, yes, no, signal, emit } = asked
  if (!questions?.reaches(sessionId)) return undefined
  const expiresAt = ctx.use(Clock).now() + CONFIRM_MS
  const question: UserQuestion = { id, sessionId, turnId, text, choices: [yes, no], expiresAt }
  emit({ type: 'clarify.request', question })
  const answer = await questions.ask(question, signal)
  if (typeof answer === 'string') return undefined
  emit({ type: 'clarify.answer', id, text: answer.text, by: answer.by })
  return answer.text === yes ? 'yes' : 'no'
}

/** A person is being asked a question: it is shown on the front ends in reach. Questions are not stored. @since 0.2 */
export const QuestionAsked: NotifyHook<UserQuestion> = notifyHook('question:asked')

/** How a question ended. @since 0.2 */
export interface AnsweredQuestion {
  readonly question: UserQuestion
  /** Left out: no person answered, or the answer is a secret. */
  readonly text?: string
  /** The front end that answered; left out: no person did. */
  readonly by?: string
  readonly unanswered?: UnansweredReason
}

/** A question was answered, or ended without an answer. @since 0.2 */
export const QuestionAnswered: NotifyHook<AnsweredQuestion> = notifyHook('question:answered')
