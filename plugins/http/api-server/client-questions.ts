/** Questions and approvals of turns whose client can answer: shown to it, listed for it, answered by it. */
import {
  type ApprovalChoice,
  type ApprovalRequest,
  Approvals,
  type Dispose,
  type PluginContext,
  Questions,
  SvcError,
  type TurnEvent,
  type UserQuestion,
} from 'svc/sdk'
import type { HttpRequest } from 'svc/sdk/web'
import { wants } from './api.ts'
import type { Config } from './config.ts'
import { about } from './envelope.ts'
import { readApprovalChoice } from './question-format.ts'

/** What waits for an answer. */
export type Pending = { readonly sessionId: string } & (
  | { readonly question: UserQuestion }
  | { readonly request: ApprovalRequest }
)

type AskedEvent = Extract<TurnEvent, { type: 'clarify.request' | 'approval.request' }>

/** A turn whose client answers. */
interface AnsweringTurn {
  readonly sessionId: string
  /** Only the holder of this session key may answer. */
  readonly scope: string
  /** Told what is asked; left out where the client reads the journal of the session. */
  readonly ask?: (pending: Pending) => void
}

/**
 * Whether the client says that it can answer: by the header, or by the member `svc` of the body, which a client of a WebSocket
 * can send with each message.
 */
export function isInteractive({ headers }: HttpRequest, body: unknown): boolean {
  const { svc } = (body ?? {}) as { readonly svc?: { readonly interactive?: unknown } | null }
  return /^(?:1|true)$/i.test(headers['x-svc-interactive'] ?? '') || wants(svc?.interactive)
}

export class ClientQuestions {
  readonly #ctx: PluginContext<Config>
  /** By id. */
  readonly #pending: Map<string, { readonly pending: Pending; readonly scope: string }> = new Map()

  constructor(ctx: PluginContext<Config>) {
    this.#ctx = ctx
  }

  /** The client of this session is one who can be asked, until the returned function is called. */
  add({ sessionId, scope, ask }: AnsweringTurn): Dispose {
    const front = { name: 'api', reaches: (asked: string) => asked === sessionId }
    const wait = (id: string, pending: Pending, signal: AbortSignal): Promise<undefined> => {
      this.#pending.set(id, { pending, scope })
      ask?.(pending)
      return waitForAbort(signal).finally(() => this.#pending.delete(id))
    }
    const questions = this.#ctx.find(Questions)?.connect({
      ...front,
      // A secret has no place in a request.
      ask: async (question, signal) =>
        question.form?.kind === 'text' && question.form.secret
          ? undefined
          : wait(question.id, { sessionId, question }, signal),
    })
    const approvals = this.#ctx.find(Approvals)?.connect({
      ...front,
      ask: (request, signal) => wait(request.id, { sessionId, request }, signal),
    })
    return async () => {
      await questions?.()
      await approvals?.()
    }
  }

  /**
   * The events of a turn whose client answers. What is asked before its first event, and for its subagents, is not an event of
   * the turn and comes between them.
   */
  async *withQuestions(
    { sessionId, scope }: Omit<AnsweringTurn, 'ask'>,
    events: AsyncGenerator<TurnEvent>,
  ): AsyncGenerator<TurnEvent> {
    const asked: Pending[] = []
    const shown = new Set<string>()
    let last: TurnEvent | undefined
    let wake = () => {}
    const withdraw = this.add({
      sessionId,
      scope,
      ask: (pending) => {
        if (last !== undefined && getTurnId(pending) === last.turnId) return
        asked.push(pending)
        wake()
      },
    })
    const isNew = (id: string) => !shown.has(id) && shown.add(id)
    try {
      for (let next: Promise<IteratorResult<TurnEvent>> | undefined; ; ) {
        const pending = asked.shift()
        if (pending) {
          if (isNew(getId(pending))) yield toEvent(pending, last)
          continue
        }
        next ??= events.next()
        const coming = next
        const came = await new Promise<IteratorResult<TurnEvent> | undefined>((resolve, reject) => {
          wake = () => resolve(undefined)
          coming.then(resolve, reject)
        })
        if (!came) continue
        if (came.done) return
        last = came.value
        next = undefined
        const id = getAskedId(last)
        if (id === undefined || isNew(id)) yield last
      }
    } finally {
      await withdraw()
      void events.return(undefined).catch(() => {})
    }
  }

  /** What waits for an answer of the holder of this key, the oldest first. */
  pending(scope: string): readonly Pending[] {
    return [...this.#pending.values()].flatMap((each) => (each.scope === scope ? [each.pending] : []))
  }

  /**
   * Throws `API_QUESTION_NOT_FOUND`, `API_INVALID_APPROVAL_CHOICE`, and `QUESTION_ANSWER` for an answer that the question does
   * not have.
   */
  answer(id: string, answer: string, scope: string): void {
    const { pending, scope: holder } = this.#pending.get(id) ?? {}
    if (!pending || holder !== scope) {
      const text = `No question "${id.slice(0, 100)}" waits for an answer: it was answered, or its time is over.`
      throw new SvcError('API_QUESTION_NOT_FOUND', text, { status: 404 })
    }
    if ('question' in pending) this.#ctx.use(Questions).answer(id, answer, 'api')
    else this.#decide(pending.request, answer)
  }

  #decide({ id, choices }: ApprovalRequest, answer: string): void {
    const choice = readApprovalChoice(answer)
    if (choice === undefined || !choices.includes(choice)) throw wrongChoice('answer', choices)
    this.#ctx.use(Approvals).answer(id, choice, 'api')
  }
}

/** The error for an answer to an approval that was not offered. */
export function wrongChoice(field: string, offered: readonly ApprovalChoice[]): SvcError {
  const message = `${field} is one of ${offered.join(', ')}.`
  return about(field, new SvcError('API_INVALID_APPROVAL_CHOICE', message, { status: 400 }))
}

function getId(pending: Pending): string {
  return 'question' in pending ? pending.question.id : pending.request.id
}

function getAskedId(event: TurnEvent): string | undefined {
  if (event.type === 'clarify.request') return event.question.id
  return event.type === 'approval.request' ? event.request.id : undefined
}

function getTurnId(pending: Pending): string | undefined {
  return 'question' in pending ? pending.question.turnId : pending.request.turnId
}

/** As an event that stands behind `last`, whose place in the journal it shares. */
function toEvent(pending: Pending, last: TurnEvent | undefined): AskedEvent {
  const turnId = last?.turnId ?? getTurnId(pending) ?? ''
  const place = { sessionId: pending.sessionId, turnId, seq: last?.seq ?? 0 }
  return 'question' in pending
    ? { type: 'clarify.request', question: pending.question, ...place }
    : { type: 'approval.request', request: pending.request, ...place }
}

function waitForAbort(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
