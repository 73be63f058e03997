/** Plans one task or all in triage, and says what became of each. */
import { type CliArguments, type CliContext, Home, SvcError } from 'svc/sdk'
import { Boards } from 'svc/sdk/kanban'
import { formatCount, hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import type { Context, Planned, PlanOptions } from './planner.ts'

export interface PlanCommand {
  readonly input: CliArguments
  readonly io: CliContext
  readonly verb: string
  readonly action: (ctx: Context, id: string, options: PlanOptions) => Promise<Planned>
}

const MAX_TASKS = 1000

/** 1 when one was not planned. */
export async function plan(ctx: Context, { input, io, verb, action }: PlanCommand): Promise<number> {
  const isAll = hasFlag(input, 'all')
  const isJson = hasFlag(input, 'json')
  const ids = await chooseTasks(ctx, input, verb)
  const by = String(input.options['author'] ?? ctx.use(Home).profile ?? 'default')
  const results: Planned[] = []
  for (const id of ids) {
    if (!isJson) io.err(`${id} ...\n`)
    const result = await action(ctx, id, { by, signal: io.signal })
    results.push(result)
    if (!isJson) print(io, result)
  }
  if (isJson) printJson(io, isAll ? { results } : results[0])
  else if (ids.length === 0) io.out('No task is in triage. Create one: svc kanban create TITLE --triage\n')
  return results.every(({ ok }) => ok) ? 0 : 1
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

function print(io: CliContext, { ok, task_id, reason, fanout, child_ids, new_title }: Planned): void {
  if (!ok) io.err(`svc: ${task_id} was not changed: ${safeLine(reason ?? '')}\n`)
  else if (fanout) io.out(`${task_id} waits for ${formatCount(child_ids.length, 'task')}: ${child_ids.join(', ')}\n`)
  else io.out(`${task_id} is specified${new_title === null ? '' : `: ${safeLine(new_title)}`}\n`)
}
