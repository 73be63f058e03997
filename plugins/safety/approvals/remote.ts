/** Questions of other processes: `svc approvals` sees and answers them over their control sockets, never through a file. */
import { type ApprovalChoice, type ApprovalRequest, type PluginContext, SvcError } from 'svc/sdk'
import { Control, type ControlAnswer, type ControlMethod } from 'svc/sdk/host'
import type { PendingApprovals } from './pending-approvals.ts'

/** A question, and the process that waits for its answer. */
export interface RemoteRequest extends ApprovalRequest {
  readonly pid: number
  /** What runs there, such as `chat`. */
  readonly command: string
}

const PENDING = 'approvals.pending'
const ANSWER = 'approvals.answer'
const LIMIT_MS = 5000
const UNKNOWN = 'APPROVAL_UNKNOWN'
export const CHOICES = ['once', 'session', 'project', 'always', 'deny'] as const satisfies readonly ApprovalChoice[]

/** The control methods of pending approvals; the socket identifies the caller. */
export function approvalMethods(pending: PendingApprovals): Record<string, ControlMethod> {
  return {
    [PENDING]: { read: true, run: () => pending.waiting() },
    [ANSWER]: (params) => {
      const { id, choice } = (params ?? {}) as { id?: unknown; choice?: unknown }
      const wanted = CHOICES.find((each) => each === choice)
      const isWaiting = pending.waiting().some((request) => request.id === id)
      if (typeof id !== 'string' || !wanted || !isWaiting)
        throw new SvcError(UNKNOWN, `No request ${String(id)} waits for an answer here.`, { status: 409 })
      pending.answer(id, wanted, 'svc approvals')
      return { id, choice: wanted }
    },
  }
}

/** What waits for an answer in any process of this home. */
export async function remotePending(ctx: PluginContext<unknown>): Promise<RemoteRequest[]> {
  const answers = await ctx.use(Control).ask(PENDING, {}, { timeoutMs: LIMIT_MS })
  return answers.flatMap(({ pid, command, result }) =>
    Array.isArray(result) ? (result as ApprovalRequest[]).map((request) => ({ ...request, pid, command })) : [],
  )
}

/** Answers a question where it waits. Throws what the process said, or `APPROVAL_UNKNOWN`. */
export async function answerRemote(ctx: PluginContext<unknown>, id: string, choice: ApprovalChoice): Promise<void> {
  const answers = await ctx.use(Control).ask(ANSWER, { id, choice }, { timeoutMs: LIMIT_MS })
  if (answers.some(({ error }) => !error)) return
  const said = answers.flatMap(({ error }: ControlAnswer) => error ?? [])
  const { code, message } = said.find((error) => error.code !== 'CONTROL_METHOD_UNKNOWN' && error.code !== UNKNOWN) ?? {
    code: UNKNOWN,
    message: `No request ${id} waits for an answer in a running svc. If svc was stopped, continue the conversation: it asks again.`,
  }
  throw new SvcError(code, message)
}
