/** Approvals: a person decides whether a tool may do what it is about to do. Provided by the plugin `approvals`. */

import { defineService, type NotifyHook, notifyHook, type Service } from './declarations.ts'
import type { Registration } from './plugin.ts'
import type { UnansweredReason } from './questions.ts'
import type { ToolContext } from './tools.ts'
import type { DecisionQuestion, Denial } from './verdict.ts'

/**
 * The possible answers. A standing answer covers exactly what `covers` of the request describes: `session` for this
 * session, `project` for every session that works in the same folder, `always` everywhere.
 * @since 0.1
 */
export type ApprovalChoice = 'once' | 'session' | 'project' | 'always' | 'deny'

/** A question to a person. It is bound to exactly this command, folder and environment. @since 0.1 */
export interface ApprovalRequest {
  readonly id: string
  readonly sessionId: string
  readonly turnId: string
  /** The call that waits for the answer; left out in requests of earlier versions. */
  readonly callId?: string
  readonly tool: string
  /** What would be done, as it would be done: the command, the file. */
  readonly action: string
  /** Why it is asked: "deletes folders recursively". */
  readonly reason: string
  readonly choices: readonly ApprovalChoice[]
  /** What a standing answer would cover, in one sentence; left out: only `once` is offered. */
  readonly covers?: string
  /** Milliseconds since 1970; silence until then is a denial. */
  readonly expiresAt: number
}

/** A front end where a person can answer. @since 0.2 */
export interface ApprovalHandler {
  /** The front end's name, for the record of who decided. */
  readonly name: string
  /** A person sits at it: what is asked there has no time limit. */
  readonly waits?: true
  /** Whether it can show a request of this session now. */
  reaches(sessionId: string): boolean
  /** Shows the request; undefined if it was not answered. Aborted when another front end answered or it expired. */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice | undefined>
}

/**
 * Requests are on disk before they are shown and can be answered on any connected front end, also after a restart.
 * @since 0.1
 */
export interface Approvals {
  /** Offers a front end until the returned function is called. With no front end in reach, requests are denied at once. */
  connect(approver: ApprovalHandler): Registration
  /**
   * Shows the requests of a session where another session is shown, until the returned function is called: subagents ask through
   * their parent. `parent` is called for each request. Questions that are off for the parent are off for the session.
   */
  forward(sessionId: string, parent: () => string): Registration
  pending(): readonly ApprovalRequest[]
  /**
   * Brings in a person with each question in turn, unless a standing answer covers it or questions are off. Allowed only
   * if every question was. Does not throw.
   */
  request(
    questions: readonly DecisionQuestion[],
    about: { readonly tool: string; readonly action: string },
    turn: ToolContext,
  ): Promise<{ readonly allow: boolean } & Denial>
  /**
   * Answers a request. `reason` says why it is denied: the model reads it, cut at 280 characters. Throws
   * `APPROVAL_UNKNOWN` if the request is no longer pending, `APPROVAL_CHOICE` if the choice was not offered.
   */
  answer(id: string, choice: ApprovalChoice, by: string, reason?: string): void
  /**
   * Lets this process, or one session of it, do without questions until the returned function is called. What is never
   * allowed and what `approvals.deny` forbids stays so.
   */
  askNothing(sessionId?: string): Registration
  /** Whether this session does without questions, on its own or with the whole process. */
  asksNothing(sessionId: string): boolean
  /** Reverts `askNothing` for this session; returns false if it was not in effect. */
  askAgain(sessionId: string): boolean
}
export const Approvals: Service<Approvals> = defineService('approvals', {
  registers: ['connect', 'askNothing', 'forward'],
})

/**
 * A person is being asked: the request is shown on the front ends in reach. It is not called again for what a crash left.
 * @since 0.2
 */
export const ApprovalRequested: NotifyHook<ApprovalRequest> = notifyHook('approval:requested')

/** How a request ended. @since 0.2 */
export interface AnsweredApproval {
  readonly request: ApprovalRequest
  /** `deny` as well where no person answered. */
  readonly choice: ApprovalChoice
  /** The front end or command that answered; left out: no person did. */
  readonly by?: string
  /** Why no person answered: no front end got an answer, time was over, the turn was stopped. */
  readonly unanswered?: UnansweredReason
}

/**
 * A request was answered, or ended without an answer. Called after the answer is stored, before the tool runs.
 * @since 0.2
 */
export const ApprovalAnswered: NotifyHook<AnsweredApproval> = notifyHook('approval:answered')
