/** Questions of the agent to a person, in the middle of a turn. Provided by whoever brings the tool `clarify`. */
import type { Disposer } from './plugin.ts'
import { type Service, service } from './token.ts'

/** A question. */
export interface Question {
  readonly id: string
  readonly sessionId: string
  readonly turnId: string
  readonly text: string
  /** At most four; a person may always answer in words of their own. */
  readonly choices: readonly string[]
  /** Milliseconds since 1970; after that nobody answers any more. */
  readonly expiresAt: number
}

/** A front end where somebody can answer. */
export interface Respondent {
  readonly name: string
  /** Whether it can show a question of this session now. */
  reaches(sessionId: string): boolean
  /** Shows it; undefined when nobody answered. Aborted when it was answered elsewhere or ran out of time. */
  ask(question: Question, signal: AbortSignal): Promise<string | undefined>
}

/** Several front ends may show one question; the first answer counts. */
export interface Questions {
  connect(respondent: Respondent): Disposer
  pending(): readonly Question[]
  /** Throws `QUESTION_UNKNOWN` when it is not pending any more. */
  answer(id: string, text: string, by: string): void
}
export const Questions: Service<Questions> = service('questions')
