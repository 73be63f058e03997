/** Whether a call may run: the hard line first, then all gates, then a person where a gate asks. */
import {
  Approvals,
  BeforeToolCall,
  Clock,
  type Denial,
  errorMessage,
  type HookDecision,
  logFault,
  type PluginContext,
  type ToolCallEvent,
  type ToolContext,
} from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import { HardLimits } from 'svc/sdk/shell'
import type { Config } from './config.ts'

/** The hard line judges text, so it has no reason to take long. */
const HARD_LINE_MS = 30_000
const UNKNOWN_EFFECT: Denial = {
  code: 'unknown-effect',
  reason:
    'it had begun when svc stopped, so whether it took effect is unknown, and no person could be asked whether to run it again',
  advice: 'Find out what it has done before you continue',
}

/** The reason follows "Not allowed: ". */
export interface Permission extends Denial {
  readonly allow: boolean
  /** What gates add for the model. */
  readonly context?: string
}

/** Asks all that may object. Does not throw: what fails denies. */
export async function permission(ctx: PluginContext<Config>, request: ToolCallEvent): Promise<Permission> {
  try {
    const never = await hardLine(ctx, request)
    if (never !== undefined) return { allow: false, ...never }
    const verdict = await ctx.call(BeforeToolCall, request)
    const { context } = verdict ?? {}
    return { ...(await judge(ctx, request, verdict)), ...(context !== undefined && { context }) }
  } catch (error) {
    logFault(ctx.log, `a check of ${request.name} failed`, error)
    return { allow: false, code: 'check-failed', reason: `a check failed: ${errorMessage(error)}` }
  }
}

async function judge(
  ctx: PluginContext<Config>,
  request: ToolCallEvent,
  verdict: HookDecision | undefined,
): Promise<Permission> {
  if (verdict?.decision === 'deny') return { allow: false, ...denialIn(verdict) }
  if (verdict?.decision === 'ask') return await ask(ctx, request, verdict)
  // Gates that have nothing against a call do not know whether it took effect before.
  return request.turn.again && !verdict?.allow ? { allow: false, ...UNKNOWN_EFFECT } : { allow: true }
}

/** Not a listener, so that nothing comes before it. Its absence is a refusal for all that reaches beyond svc. */
async function hardLine(ctx: PluginContext<Config>, { tool, acts, turn }: ToolCallEvent): Promise<Denial | undefined> {
  const { command, writes } = acts
  if (tool.reach === 'nothing' && command === undefined && !writes?.length) return undefined
  const line = ctx.find(HardLimits)
  if (!line) {
    const reason = 'nothing checks what may never be done: the service hard-line is missing; see `svc plugins`'
    return { code: 'check-missing', reason }
  }
  const { sessionId, cwd } = turn
  try {
    const never = await soon(ctx, turn, async () => line.check({ ...acts, cwd: acts.cwd ?? cwd, sessionId }))
    if (never === undefined) return undefined
    return { code: 'hard-line', reason: `this ${never}, which no setting and no answer allows` }
  } catch (error) {
    logFault(ctx.log, 'the service hard-line failed', error)
    const reason = `the service hard-line, without which nothing is done, failed: ${errorMessage(error)}; see \`svc plugins\``
    return { code: 'check-failed', reason }
  }
}

async function ask(ctx: PluginContext<Config>, request: ToolCallEvent, verdict: HookDecision): Promise<Permission> {
  const { name, input, acts, turn } = request
  const approvals = ctx.find(Approvals)
  const questions = verdict.questions ?? []
  if (!approvals || questions.length === 0)
    return {
      allow: false,
      code: 'no-approver',
      reason: `${denialIn(verdict).reason}, and nothing here can ask a person`,
    }
  const action = acts.command ?? `${name} ${JSON.stringify(input)}`
  const { allow, reason, code, advice } = await approvals.request(questions, { tool: name, action }, turn)
  return { allow: allow === true, ...defined({ reason, code, advice }) }
}

/** With the plugins that say so. */
function denialIn({ reason = 'denied', code, advice, by = [] }: HookDecision): Denial & { readonly reason: string } {
  const told = by.length === 0 ? reason : `${reason} (${by.join(', ')})`
  return { reason: told, ...defined({ code, advice }) }
}

/** Without the fields that are undefined. */
export function defined({ reason, code, advice }: { [K in keyof Denial]: Denial[K] | undefined }): Denial {
  return {
    ...(reason !== undefined && { reason }),
    ...(code !== undefined && { code }),
    ...(advice !== undefined && { advice }),
  }
}

async function soon<T>(ctx: PluginContext<Config>, { signal }: ToolContext, work: () => Promise<T>): Promise<T> {
  return withDeadline(ctx.use(Clock), HARD_LINE_MS, work, () => new Error('it took too long'), { signal })
}
