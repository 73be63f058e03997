/** Plans one task or all in triage, and says what became of each. */
import { type CliArguments, type CliContext, Home, SvcError } from 'svc/sdk'
import { Boards, type PlannedTask, type PlanOptions } from 'svc/sdk/kanban'
import { formatCount, hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import type { Context } from './planner.ts'

export interface PlanCommand {
  readonly input: CliArguments
  readonly io: CliContext
  readonly verb: string
  readonly action: (ctx: Context, id: string, options: PlanOptions) => Promise<PlannedTask>
}

const MAX_TASKS = 1000

/** 1 when one was not planned. */
export async function plan(ctx: Context, { input, io, verb, action }: PlanCommand): Promise<number> {
  const isAll = hasFlag(input, 'all')
  const isJson = hasFlag(input, 'json')
  const ids = await chooseTasks(ctx, input, verb)
  const by = String(input.options['author'] ?? ctx.use(Home).profile ?? 'default')
  const results: PlannedTask[] = []
  for (const id of ids) {
    if (!isJson) io.err(`${id} ...\n`)
    const result = await action(ctx, id, { by, signal: io.signal })
    results.push(result)
    if (!isJson) print(io, result)
  }
  if (isJson) printJson(io, isAll ? { results: results.map(toJson) } : results.map(toJson)[0])
  else if (ids.length === 0) io.out('No task is in triage. Create one: svc kanban create TITLE --triage\n')
  return results.every(({ reason }) => reason === undefined) ? 0 : 1
}

async function chooseTasks(ctx: Context, input: CliArguments, verb: string): Promise<readonly string[]> {
  const [typed] = input.args
  const isAll = hasFlag(input, 'all')
  const refuse = (message: string) =>
    new SvcError('CLI_USAGE', `${message} Try: svc kanban ${verb} --help`, { status: 400 })
  if (isAll && typed !== undefined) throw refuse('--all is about all tasks in triage; leave the task out.')
  if (!isAll && typed === undefined) throw refuse('Name a task, or say --all.')
  if (typed !== undefined) return [typed]
  const { board, tenant } = input.options
  const query = { ...(typeof board === 'string' && { board }), ...(typeof tenant === 'string' && { tenant }) }
  const { tasks } = await ctx.use(Boards).list({ ...query, statuses: ['triage'], limit: MAX_TASKS })
  return tasks.map(({ id }) => id)
}

/** As `--json` says it. */
function toJson({ taskId, reason, isFanOut, childIds, newTitle }: PlannedTask) {
  return {
    ok: reason === undefined,
    task_id: taskId,
    reason: reason ?? null,
    fanout: isFanOut,
    child_ids: childIds,
    new_title: newTitle ?? null,
  }
}

function print(io: CliContext, { taskId, reason, isFanOut, childIds, newTitle }: PlannedTask): void {
  if (reason !== undefined) io.err(`svc: ${taskId} was not changed: ${safeLine(reason)}\n`)
  else if (isFanOut) io.out(`${taskId} waits for ${formatCount(childIds.length, 'task')}: ${childIds.join(', ')}\n`)
  else io.out(`${taskId} is specified${newTitle === undefined ? '' : `: ${safeLine(newTitle)}`}\n`)
}
