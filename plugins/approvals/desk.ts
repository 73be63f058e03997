/** Where requests wait for people: shown on every front end in reach, and the first answer counts. */
import {
  type ApprovalChoice,
  type ApprovalRequest,
  type Approvals,
  type Approver,
  type Clock,
  type Disposer,
  errorCode,
  type Logger,
  type ToolTurn,
} from 'svc/sdk'
import type { Answer, ApprovalStore, BoundRequest } from './store.ts'

/** What the desk needs of the outside. */
export interface DeskPorts {
  readonly store: () => ApprovalStore
  readonly clock: () => Clock
  readonly log: Logger
}

/** Why there is no answer. */
export type Unanswered = 'nobody' | 'timeout' | 'interrupted'

const POLL_MS = 500

/** Contract: `Approvals` of the SDK. */
export class Desk implements Approvals {
  readonly #ports: DeskPorts
  readonly #approvers: Set<Approver> = new Set()
  readonly #waiting: Map<string, (answer: Answer) => void> = new Map()
  /** Sessions that do without questions; `undefined` is every one. */
  readonly #unasked: Set<{ readonly sessionId: string | undefined }> = new Set()

  constructor(ports: DeskPorts) {
    this.#ports = ports
  }

  connect(approver: Approver): Disposer {
    this.#approvers.add(approver)
    return () => void this.#approvers.delete(approver)
  }

  askNothing(sessionId?: string): Disposer {
    const entry = { sessionId }
    this.#unasked.add(entry)
    return () => void this.#unasked.delete(entry)
  }

  /** Whether questions are off for this session. */
  asksNothing(session: string): boolean {
    return [...this.#unasked].some(({ sessionId }) => sessionId === undefined || sessionId === session)
  }

  pending(): readonly ApprovalRequest[] {
    return this.#ports.store().pending(this.#ports.clock().now())
  }

  /** Whether this very thing was asked before a crash and is not settled. */
  holds(sessionId: string, hash: string): boolean {
    return this.#ports.store().left(sessionId, hash, this.#ports.clock().now()) !== undefined
  }

  answer(id: string, choice: ApprovalChoice, by: string): void {
    this.#ports.store().answer(id, { choice, by }, this.#ports.clock().now())
    this.#waiting.get(id)?.({ choice, by })
  }

  /** Writes the request down, shows it, and waits. */
  async ask(request: BoundRequest, turn: ToolTurn): Promise<Answer | Unanswered> {
    const { store, clock } = this.#ports
    const { hash, ...asked } = request
    const left = store().left(request.sessionId, hash, clock().now())
    const early = left && store().answerTo(left.id)
    if (left && early) return this.#settle(left.id, early, turn)
    const reached = [...this.#approvers].filter((approver) => approver.reaches(request.sessionId))
    if (!reached.length) return 'nobody'
    const shown = left ?? asked
    if (!left) store().add(request, clock().now())
    turn.emit({ type: 'approval.request', request: shown })
    const answer = await this.#wait(shown, reached, turn.signal)
    return this.#settle(shown.id, answer, turn)
  }

  #settle(id: string, answer: Answer | Unanswered, turn: ToolTurn): Answer | Unanswered {
    const first = this.#ports.store().use(id)
    if (typeof answer === 'string') {
      turn.emit({ type: 'approval.answer', id, choice: 'deny', by: answer })
      return answer
    }
    turn.emit({ type: 'approval.answer', id, choice: answer.choice, by: answer.by })
    return first ? answer : 'nobody'
  }

  async #wait(
    request: ApprovalRequest,
    reached: readonly Approver[],
    signal: AbortSignal,
  ): Promise<Answer | Unanswered> {
    const { clock, store, log } = this.#ports
    const over = new AbortController()
    const stops: (() => void)[] = []
    try {
      return await new Promise<Answer | Unanswered>((resolve) => {
        const interrupted = () => resolve('interrupted')
        if (signal.aborted) interrupted()
        signal.addEventListener('abort', interrupted, { once: true })
        stops.push(() => signal.removeEventListener('abort', interrupted))
        this.#waiting.set(request.id, resolve)
        stops.push(clock().after(Math.max(0, request.expiresAt - clock().now()), () => resolve('timeout')))
        stops.push(this.#watch(request.id, resolve))
        const silent = reached.map(async (approver) => {
          const choice = await approver.ask(request, over.signal)
          if (choice !== undefined && !over.signal.aborted) this.#take(request.id, choice, approver.name)
        })
        for (const each of silent)
          each.catch((error: unknown) => log.warn('a front end could not ask', { error: String(error) }))
        void Promise.allSettled(silent).then(() => resolve(store().answerTo(request.id) ?? 'nobody'))
      })
    } finally {
      over.abort()
      this.#waiting.delete(request.id)
      for (const stop of stops) stop()
    }
  }

  /** An answer that came after another one is no error: somebody was faster. */
  #take(id: string, choice: ApprovalChoice, by: string): void {
    try {
      this.answer(id, choice, by)
    } catch (error) {
      if (errorCode(error) !== 'APPROVAL_UNKNOWN') throw error
    }
  }

  /** Another process may write the answer. */
  #watch(id: string, resolve: (answer: Answer) => void): () => void {
    const { clock, store } = this.#ports
    let cancel = () => {}
    const look = () => {
      const answer = store().answerTo(id)
      if (answer) resolve(answer)
      else cancel = clock().after(POLL_MS, look)
    }
    cancel = clock().after(POLL_MS, look)
    return () => cancel()
  }
}
