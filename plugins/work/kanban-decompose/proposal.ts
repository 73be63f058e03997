/** A plan that a person looks at before anything is written, and what they accepted of it. */
import { Home } from 'svc/sdk'
import {
  MAX_FAN_OUT,
  type PlannedTask,
  type PlanOptions,
  type TaskPart,
  type TaskPlan,
  type TaskProposal,
} from 'svc/sdk/kanban'
import { cleanBody, type Plan, shortenTitle } from './answer.ts'
import { askForPlan, attempt, type Context, refuse, writePlan } from './planner.ts'
import { type Roster, readRoster } from './roster.ts'

type Checked = Exclude<Plan, { kind: 'bad' }>

/** Contract: `TaskPlanner.propose` of the SDK. */
export async function propose(
  ctx: Context,
  id: string,
  { signal }: Pick<PlanOptions, 'signal'>,
): Promise<TaskProposal> {
  const { reason, ...found } = await attempt<TaskProposal>(ctx, id, signal, async (task) => {
    const roster = readRoster(ctx.use(Home), ctx.config)
    const plan = await askForPlan(ctx, task, roster, signal)
    if (plan.kind === 'bad') return { taskId: id, reason: plan.reason }
    const fault = plan.kind === 'parts' ? findGraphFault(plan.parts) : undefined
    return fault === undefined ? { taskId: id, plan: withAssignees(plan, roster) } : { taskId: id, reason: fault }
  })
  return reason === undefined ? found : { taskId: id, reason }
}

/** Contract: `TaskPlanner.accept` of the SDK. */
export function accept(ctx: Context, id: string, plan: TaskPlan, { by, signal }: PlanOptions): Promise<PlannedTask> {
  return attempt(ctx, id, signal, async (task) => {
    const roster = readRoster(ctx.use(Home), ctx.config)
    const checked = check(plan, roster)
    return typeof checked === 'string' ? refuse(id, checked) : await writePlan(ctx, task, checked, { roster, by })
  })
}

function withAssignees(plan: Checked, roster: Roster): TaskPlan {
  if (plan.kind === 'one') return { ...plan, assignee: roster.choose(plan.assignee) }
  return { ...plan, parts: plan.parts.map((part) => ({ ...part, assignee: roster.choose(part.assignee) })) }
}

/** The plan as it is written, or why it is not. */
function check(plan: TaskPlan, roster: Roster): Checked | string {
  const named = plan.kind === 'parts' ? plan.parts.map(({ assignee }) => assignee) : [plan.assignee]
  const unknown = named.find((name) => name && !roster.assignees.some((one) => one.name === name.trim().toLowerCase()))
  if (unknown) return `there is no profile ${JSON.stringify(unknown.slice(0, 64))}`
  const rationale = cleanBody(plan.rationale).slice(0, 1000)
  if (plan.kind === 'one') {
    const { title, body, assignee } = { ...plan, title: shortenTitle(plan.title), body: cleanBody(plan.body) }
    if (body === '') return 'the task has no description'
    return { kind: 'one', rationale, body, ...(title !== '' && { title }), ...(assignee && { assignee }) }
  }
  if (plan.parts.length === 0) return 'the plan has no tasks'
  if (plan.parts.length > MAX_FAN_OUT) return `the plan has ${plan.parts.length} tasks; ${MAX_FAN_OUT} are the most`
  const parts = plan.parts.map(({ title, body, assignee, parents }) => ({
    ...{ title: shortenTitle(title), body: cleanBody(body), parents: [...new Set(parents)] },
    assignee: assignee || undefined,
  }))
  const bare = parts.findIndex(({ title }) => title === '')
  if (bare >= 0) return `task ${bare + 1} of the plan has no title`
  return findGraphFault(parts) ?? { kind: 'parts', rationale, parts }
}

/** Why the parts cannot wait for each other as they say. */
function findGraphFault(parts: readonly Pick<TaskPart, 'parents'>[]): string | undefined {
  for (const [at, { parents }] of parts.entries()) {
    const bad = parents.find((parent) => parts[parent] === undefined || parent === at)
    if (bad !== undefined) return `task ${at + 1} of the plan cannot wait for task ${bad + 1}`
  }
  const open = new Set(parts.keys())
  for (let before = -1; before !== open.size; ) {
    before = open.size
    for (const at of [...open]) if (parts[at]?.parents.every((parent) => !open.has(parent))) open.delete(at)
  }
  const names = [...open].map((at) => at + 1).join(', ')
  return open.size === 0 ? undefined : `the tasks ${names} of the plan wait for each other in a circle`
}
