/** Questions to the person behind a connected program, until they are answered or no longer wanted. */
import { type PluginContext, Random, SvcError } from 'svc/sdk'

/** A question that waits. */
interface Pending {
  readonly sessionId: string
  readonly kind: string
  readonly payload: { readonly request_id: string }
  answer(value: unknown): void
}

export interface QuestionsDeps {
  readonly ctx: Pick<PluginContext<undefined>, 'use'>
  emit(type: string, payload: object, sessionId: string): void
}

export class PendingQuestions {
  readonly #deps: QuestionsDeps
  readonly #pending = new Map<string, Pending>()
  #isEnded = false

  constructor(deps: QuestionsDeps) {
    this.#deps = deps
  }

  /**
   * Sends the event `kind` and resolves with the answer; undefined once `signal` aborts, which sends `….expire`. `id` is
   * the `request_id`: left out, a new one.
   */
  ask<Answer>(
    kind: 'approval.request' | 'clarify.request' | 'secret.request',
    question: { readonly sessionId: string; readonly id?: string; readonly payload: object },
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    const { sessionId, payload, id = this.#deps.ctx.use(Random).hex(8) } = question
    if (signal.aborted || this.#isEnded) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const settle = (value: unknown) => {
        signal.removeEventListener('abort', expire)
        this.#pending.delete(id)
        resolve(value as Answer | undefined)
      }
      const expire = () => {
        settle(undefined)
        this.#deps.emit(kind.replace('.request', '.expire'), { request_id: id }, sessionId)
      }
      signal.addEventListener('abort', expire)
      this.#pending.set(id, { sessionId, kind, payload: { request_id: id, ...payload }, answer: settle })
      this.#deps.emit(kind, { request_id: id, ...payload }, sessionId)
    })
  }

  /** Answers a question. Throws `RPC_NOT_PENDING`. */
  answer(kind: string, id: string, value: unknown): void {
    const found = this.#pending.get(id)
    if (found?.kind !== kind) throw new SvcError('RPC_NOT_PENDING', `No question "${id}" waits for an answer.`)
    found.answer(value)
  }

  /** Whether a question with this id waits. */
  has(id: string): boolean {
    return this.#pending.has(id)
  }

  /** The events of all that wait, for a program that comes later. */
  open(): readonly { readonly type: string; readonly payload: Pending['payload'] }[] {
    return [...this.#pending.values()].map(({ kind, payload }) => ({ type: kind, payload }))
  }

  /** Ids of the questions of one kind in a session, the oldest first. */
  list(kind: string, sessionId: string): readonly string[] {
    return [...this.#pending].flatMap(([id, each]) => (each.kind === kind && each.sessionId === sessionId ? [id] : []))
  }

  /** No answer can come any more: open and later questions have none. */
  end(): void {
    this.#isEnded = true
    this.drop()
  }

  /** Leaves all questions of a session, or all there are, without an answer. */
  drop(sessionId?: string): void {
    for (const each of [...this.#pending.values()])
      if (sessionId === undefined || each.sessionId === sessionId) each.answer(undefined)
  }
}
