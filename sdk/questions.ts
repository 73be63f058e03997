/** Questions of the agent to a person, in the middle of a turn. Provided by the plugin of the tool `clarify`. */
import type { TurnEventData } from './agent.ts'
import type { Dispose, PluginContext } from './plugin.ts'
import { Clock } from './ports.ts'
import { defineService, type Service } from './token.ts'

/** A question. */
export interface UserQuestion {
  readonly id: string
  readonly sessionId: string
  readonly turnId: string
  readonly text: string
  /** At most four; a person may always answer in free text. */
  readonly choices: readonly string[]
  /** Milliseconds since 1970; the question expires then. */
  readonly expiresAt: number
}

/** A front end where a person can answer. */
export interface QuestionHandler {
  readonly name: string
  /** Whether it can show a question of this session now. */
  reaches(sessionId: string): boolean
  /** Shows the question; undefined if it was not answered. Aborted when another front end answered or it expired. */
  ask(question: UserQuestion, signal: AbortSignal): Promise<string | undefined>
}

/** The answer of a person, and the front end it came from. */
export interface QuestionAnswer {
  readonly text: string
  readonly by: string
}

/** Why there is no answer. `nobody`: no front end reaches the session, or no front end got an answer. */
export type UnansweredReason = 'nobody' | 'timeout' | 'interrupted'

/** Several front ends may show one question; the first answer counts. */
export interface Questions {
  connect(respondent: QuestionHandler): Dispose
  /** Whether a front end of this session could ask a person now. */
  reaches(sessionId: string): boolean
  /** Shows a question and waits until it is settled. A question with the same id that is still open is given up. */
  ask(question: UserQuestion, signal: AbortSignal): Promise<QuestionAnswer | UnansweredReason>
  pending(): readonly UserQuestion[]
  /** Throws `QUESTION_UNKNOWN` when it is not pending any more. */
  answer(id: string, text: string, by: string): void
}
export const Questions: Service<Questions> = defineService('questions', { registers: ['connect'] })

const CONFIRM_MS = 600_000

/**
 * Asks a person to decide between two options. `undefined` if no person could be asked or none answered within ten
 * minutes: the caller then takes the safe option. Only the exact choice `yes` agrees; any other text is a no.
 */
export async function askToConfirm(
  ctx: Pick<PluginContext<unknown>, 'find' | 'use'>,
  asked: Pick<UserQuestion, 'id' | 'sessionId' | 'turnId' | 'text'> & {
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
