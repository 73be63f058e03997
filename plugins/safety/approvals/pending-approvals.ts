/** Where requests wait for people: shown on every front end in reach, and the first answer counts. */

import {
  type ApprovalChoice,
  type ApprovalRequest,
  type Approvals,
  type Clock,
  errorCode,
  type Logger,
  type Registration,
  SvcError,
  type ToolContext,
} from 'svc/sdk'
import type { AnsweredApproval } from 'svc/sdk/hooks'
import { toRegistration } from 'svc/sdk/kit/async'
import { isPidInUse } from 'svc/sdk/kit/process'
import type { ApprovalHandler } from 'svc/sdk/safety'
import type { Answer, ApprovalStore, BoundRequest, StoredRequest } from './store.ts'

/** Longest reason of a denial that is passed to the model. */
const MAX_REASON_CHARACTERS = 280

/** A request that code of this process waits for. */
interface Waiting {
  readonly request: ApprovalRequest
  readonly resolve: (answer: Answer) => void
  /** Who was first. */
  answeredBy?: string
}

/**
 * Who can be asked, and what is known of answers: nowhere but in the memory of the process that asks. It outlives a reload
 * of this plugin, as turns that wait and open front ends do.
 */
export class Answers {
  readonly approvers: Set<ApprovalHandler> = new Set()
  /** Sessions that do without questions; `undefined` is every one. */
  readonly unasked: Set<{ readonly sessionId: string | undefined }> = new Set()
  readonly waiting: Map<string, Waiting> = new Map()
  /** Sessions whose requests are shown where another one is. */
  readonly forwards: Map<string, () => string> = new Map()
  /** Answers to requests that a crash left, by id: given before their turn resumes. */
  readonly early: Map<string, Answer> = new Map()
}

/** The dependencies of the class. */
export interface PendingApprovalsDeps {
  /** Outlives this generation of the plugin, as turns do. */
  readonly answers: Answers
  readonly store: () => ApprovalStore
  readonly clock: () => Clock
  readonly log: Logger
  /** Says that a person is being asked. Does not throw. */
  readonly announce: (request: ApprovalRequest) => void
  /** Says how a request ended. Does not throw. */
  readonly announceAnswer: (answered: AnsweredApproval) => void
}

/** How long a question waits for a person at a terminal: practically for ever, within the range of a timer. */
const PATIENCE_MS = 20 * 24 * 60 * 60_000

/** Why there is no answer. */
export type Unanswered = 'nobody' | 'timeout' | 'interrupted'

/** Contract: `Approvals` of the SDK, but for `request`. */
export class PendingApprovals implements Omit<Approvals, 'request'> {
  readonly #ports: PendingApprovalsDeps

  constructor(deps: PendingApprovalsDeps) {
    this.#ports = deps
  }

  connect(approver: ApprovalHandler): Registration {
    const { approvers } = this.#ports.answers
    approvers.add(approver)
    return toRegistration(() => void approvers.delete(approver))
  }

  askNothing(sessionId?: string): Registration {
    const { unasked } = this.#ports.answers
    const entry = { sessionId }
    unasked.add(entry)
    return toRegistration(() => void unasked.delete(entry))
  }

  forward(sessionId: string, parent: () => string): Registration {
    const { forwards } = this.#ports.answers
    forwards.set(sessionId, parent)
    return toRegistration(() => void (forwards.get(sessionId) === parent && forwards.delete(sessionId)))
  }

  /** The session where the requests of this one are shown, and those on the way there. */
  #listShown(sessionId: string): readonly string[] {
    const { forwards } = this.#ports.answers
    const sessions = [sessionId]
    for (;;) {
      const next = forwards.get(sessions.at(-1) ?? '')?.()
      if (next === undefined || sessions.includes(next)) return sessions
      sessions.push(next)
    }
  }

  /** Reverts `askNothing` for one session; returns false if it was not in effect. */
  askAgain(session: string): boolean {
    const { unasked } = this.#ports.answers
    const ended = [...unasked].filter(({ sessionId }) => sessionId === session)
    for (const entry of ended) unasked.delete(entry)
    return ended.length > 0
  }

  /** Whether questions are off for this session; without one, for every session. */
  asksNothing(session?: string): boolean {
    const sessions = session === undefined ? [] : this.#listShown(session)
    return [...this.#ports.answers.unasked].some(
      ({ sessionId }) => sessionId === undefined || sessions.includes(sessionId),
    )
  }

  pending(): readonly ApprovalRequest[] {
    const { answers } = this.#ports
    const isAnswered = (id: string) => answers.early.has(id) || answers.waiting.get(id)?.answeredBy !== undefined
    return this.#stored().flatMap(({ request }) => (isAnswered(request.id) ? [] : [request]))
  }

  /** Those that a turn of this process waits for. */
  waiting(): readonly ApprovalRequest[] {
    const all = [...this.#ports.answers.waiting.values()]
    return all.flatMap(({ request, answeredBy }) => (answeredBy === undefined ? [request] : []))
  }

  /** Whether this very thing was asked before a crash and is not settled. */
  holds(sessionId: string, hash: string): boolean {
    return this.#ports.store().left(sessionId, hash, this.#ports.clock().now()) !== undefined
  }

  answer(id: string, choice: ApprovalChoice, by: string, reason?: string): void {
    const { answers } = this.#ports
    const waiting = answers.waiting.get(id)
    const { choices } = waiting && waiting.answeredBy === undefined ? waiting.request : this.#left(id)
    if (!choices.includes(choice))
      throw new SvcError('APPROVAL_CHOICE', `"${choice}" is no answer here; use ${choices.join(', ')}.`, {
        status: 400,
      })
    const given = { choice, by, ...(reason?.trim() && { reason: cutReason(reason) }) }
    if (!waiting) return void answers.early.set(id, given)
    waiting.answeredBy = by
    waiting.resolve(given)
  }

  /** Writes the request down, shows it, and waits. */
  async ask(request: BoundRequest, turn: ToolContext): Promise<Answer | Unanswered> {
    const { store, clock, answers } = this.#ports
    const left = store().left(request.sessionId, request.hash, clock().now())
    const early = left && this.#takeEarly(left, request)
    if (left && early) return this.#settle(withId(request, left.id), early, turn)
    const shownIn = this.#listShown(request.sessionId).at(-1) ?? request.sessionId
    const reached = [...this.#ports.answers.approvers].filter((approver) => approver.reaches(shownIn))
    if (!reached.length) return 'nobody'
    // Under the id that people have seen, but what is shown is what is about to be done, whatever was on disk.
    const waits = reached.some((approver) => approver.waits)
    const timed = waits ? { ...request, expiresAt: clock().now() + PATIENCE_MS } : request
    const whole = left ? { ...timed, id: left.id } : timed
    store().add(whole, process.pid, clock().now())
    const { hash: _, ...shown } = whole
    turn.emit({ type: 'approval.request', request: shown })
    this.#ports.announce(shown)
    try {
      return this.#settle(shown, await this.#wait(shown, reached, turn.signal), turn)
    } finally {
      answers.waiting.delete(shown.id)
    }
  }

  #takeEarly({ id, tool, action }: ApprovalRequest, request: BoundRequest): Answer | undefined {
    const { early } = this.#ports.answers
    const answer = early.get(id)
    early.delete(id)
    const isSame = tool === request.tool && action === request.action
    return answer && isSame && request.choices.includes(answer.choice) ? answer : undefined
  }

  #stored(): StoredRequest[] {
    return this.#ports.store().pending(this.#ports.clock().now())
  }

  /** A request that a crash left and that is not answered yet. Throws `APPROVAL_UNKNOWN`. */
  #left(id: string): ApprovalRequest {
    const stored = this.#stored().find(({ request }) => request.id === id)
    const isElsewhere = stored && stored.pid !== process.pid && isPidInUse(stored.pid)
    const { early, waiting } = this.#ports.answers
    const by = waiting.get(id)?.answeredBy ?? early.get(id)?.by ?? this.#ports.store().answeredBy(id)
    if (stored && !isElsewhere && by === undefined) return stored.request
    const why = by === undefined ? '' : ` It was answered by ${by}.`
    const where = isElsewhere ? ` Process ${stored.pid} waits for it: svc approvals answer ${id} CHOICE` : ''
    throw new SvcError('APPROVAL_UNKNOWN', `No request ${id} waits for an answer here.${why}${where}`, { status: 409 })
  }

  #settle(request: ApprovalRequest, answer: Answer | Unanswered, turn: ToolContext): Answer | Unanswered {
    const { store, clock, announceAnswer } = this.#ports
    const { id } = request
    const given = typeof answer === 'string' ? undefined : answer
    const first = store().settle(id, given, clock().now())
    turn.emit({ type: 'approval.answer', id, choice: given?.choice ?? 'deny', by: given?.by ?? String(answer) })
    const counts = first || !given ? answer : 'nobody'
    announceAnswer({
      request,
      ...(typeof counts === 'string'
        ? { choice: 'deny', unanswered: counts }
        : { choice: counts.choice, by: counts.by }),
    })
    return counts
  }

  async #wait(
    request: ApprovalRequest,
    reached: readonly ApprovalHandler[],
    signal: AbortSignal,
  ): Promise<Answer | Unanswered> {
    const { clock, answers, log } = this.#ports
    const over = new AbortController()
    const stops: (() => void)[] = []
    try {
      return await new Promise<Answer | Unanswered>((resolve) => {
        const interrupted = () => resolve('interrupted')
        if (signal.aborted) interrupted()
        signal.addEventListener('abort', interrupted, { once: true })
        stops.push(() => signal.removeEventListener('abort', interrupted))
        answers.waiting.set(request.id, { request, resolve })
        stops.push(clock().after(Math.max(0, request.expiresAt - clock().now()), () => resolve('timeout')))
        const silent = reached.map(async (approver) => {
          const choice = await approver.ask(request, over.signal)
          if (choice !== undefined && !over.signal.aborted) this.#take(request.id, choice, approver.name)
        })
        for (const each of silent)
          each.catch((error: unknown) => log.warn('a front end could not ask', { error: String(error) }))
        void Promise.allSettled(silent).then(() => resolve('nobody'))
      })
    } finally {
      over.abort()
      for (const stop of stops) stop()
    }
  }

  /** A second answer is not an error: another person was faster. */
  #take(id: string, choice: ApprovalChoice, by: string): void {
    try {
      this.answer(id, choice, by)
    } catch (error) {
      if (errorCode(error) !== 'APPROVAL_UNKNOWN') throw error
    }
  }
}

/** Under the id that people have seen. */
function withId({ hash: _, ...request }: BoundRequest, id: string): ApprovalRequest {
  return { ...request, id }
}

/** One line, so that it cannot be taken for more than the reason. */
function cutReason(reason: string): string {
  return [...reason.replace(/\s+/g, ' ').trim()].slice(0, MAX_REASON_CHARACTERS).join('')
}
