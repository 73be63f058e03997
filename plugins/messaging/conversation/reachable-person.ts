/** The person at a front end, as one whom approvals and questions reach. */
import { Approvals, type Dispose, type PluginContext, Questions } from 'svc/sdk'
import { whileProvided } from 'svc/sdk/host'
import type { ApprovalHandler, QuestionHandler } from 'svc/sdk/safety'
import { canAsk, type FrontEndHandlers, showQuestion } from 'svc/sdk/sessions'

/** Connects the front end while those services are loaded; what is returned disconnects it. */
export function connectPerson(
  ctx: PluginContext<undefined>,
  front: FrontEndHandlers,
  reaches: (sessionId: string) => boolean,
): Dispose[] {
  const { surface: name } = front
  const ask: ApprovalHandler['ask'] = (...asked) => front.approve?.(...asked) ?? Promise.resolve(undefined)
  const reply: QuestionHandler['ask'] = (...asked) => showQuestion(front, ...asked)
  const sits = front.waits ? { waits: true as const } : {}
  const approvals = whileProvided(
    ctx,
    Approvals,
    (approvals) => front.approve && approvals.connect({ name, reaches, ask, ...sits }),
  )
  const questions = whileProvided(ctx, Questions, (questions) =>
    canAsk(front) ? questions.connect({ name, reaches, ask: reply, ...sits }) : undefined,
  )
  return [approvals, questions]
}
