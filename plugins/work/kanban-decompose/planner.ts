/** Takes a task in triage apart, or specifies it: one question to a model, one change of the board, or none. */
import {
  AuxiliaryModels,
  errorCode,
  errorMessage,
  Home,
  logFault,
  type Message,
  type PluginContext,
  SvcError,
} from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { Boards, type PlannedTask, type PlanOptions, type Task } from 'svc/sdk/kanban'
import { type Part, type Plan, readPlan, readSpecification } from './answer.ts'
import type { Config } from './config.ts'
import { DECOMPOSE, SPECIFY } from './prompts.ts'
import { type Roster, readRoster } from './roster.ts'

export type Context = PluginContext<Config>

/** The reason where no model is connected. */
export const NO_CLIENT = 'no auxiliary client configured'
const MAX_TITLE = 400
const MAX_BODY = 4000

/** Rejects only when it is interrupted; why nothing was written is in the result. */
export function decompose(ctx: Context, id: string, options: PlanOptions): Promise<PlannedTask> {
  return attempt(ctx, id, options.signal, async (task) => {
    const roster = readRoster(ctx.use(Home), ctx.config)
    const plan = await askForPlan(ctx, task, roster, options.signal)
    return plan.kind === 'bad' ? refuse(id, plan.reason) : await writePlan(ctx, task, plan, { roster, by: options.by })
  })
}

/** What a model would make of the task. Throws what `AuxiliaryModels.ask` throws. */
export async function askForPlan(ctx: Context, task: Task, roster: Roster, signal: AbortSignal): Promise<Plan> {
  const facts = {
    ...describe(task),
    profiles: roster.assignees.map(({ name, description }) => ({
      name,
      description: description || 'not described',
    })),
    default_assignee: roster.fallback,
  }
  return readPlan(await ask(ctx, { slot: 'kanban_decomposer', prompt: DECOMPOSE, facts, task }, signal))
}

interface Writing {
  readonly roster: Roster
  readonly by: string
}

/** All or nothing. Throws what the boards throw. */
export function writePlan(
  ctx: Context,
  task: Task,
  plan: Exclude<Plan, { kind: 'bad' }>,
  writing: Writing,
): Promise<PlannedTask> {
  return plan.kind === 'parts' ? fanOut(ctx, task, plan, writing) : writeOne(ctx, task, plan, writing)
}

/** As `decompose`, always into one task. */
export function specify(ctx: Context, id: string, options: PlanOptions): Promise<PlannedTask> {
  return attempt(ctx, id, options.signal, async (task) => {
    const roster = readRoster(ctx.use(Home), ctx.config)
    const found = readSpecification(
      await ask(ctx, { slot: 'triage_specifier', prompt: SPECIFY, facts: describe(task), task }, options.signal),
    )
    if (!found) return refuse(id, 'the model did not answer with a title and a body')
    return await writeOne(ctx, task, { kind: 'one', rationale: '', ...found }, { roster, by: options.by })
  })
}

/** Does it for a task in triage. Why it was not done is in the result; rejects only when it is interrupted. */
export async function attempt<Result>(
  ctx: Context,
  id: string,
  signal: AbortSignal,
  plan: (task: Task) => Promise<Result>,
): Promise<Result | PlannedTask> {
  try {
    const task = await ctx.use(Boards).get(id)
    if (task.status !== 'triage') return refuse(id, `it is ${task.status}; only a task in triage is planned`)
    return await plan(task)
  } catch (error) {
    if (signal.aborted) throw error
    const isMissing = ['AUXILIARY_MISSING', 'KANBAN_NO_CLIENT'].includes(errorCode(error))
    if (!isMissing) logFault(ctx.log, `the task ${id} was not planned`, error)
    return refuse(id, isMissing ? NO_CLIENT : `${errorMessage(error)} (${errorCode(error)})`)
  }
}

interface PlanQuestion {
  readonly slot: string
  readonly prompt: string
  /** What the model is told, as data. */
  readonly facts: object
  readonly task: Task
}

/** The text of the answer. Throws what `AuxiliaryModels.ask` throws. */
async function ask(ctx: Context, { slot, prompt, facts, task }: PlanQuestion, signal: AbortSignal): Promise<string> {
  const models = await ctx.use(Plugins).bring(AuxiliaryModels)
  if (!models) throw new SvcError('KANBAN_NO_CLIENT', NO_CLIENT)
  const messages: readonly Message[] = [
    { role: 'system', text: prompt },
    { role: 'user', text: JSON.stringify(facts) },
  ]
  const groups = [`task:${task.id}`, `board:${task.board}`]
  return (await models.ask({ slot, messages, groups, temperature: 0.3, maxOutputTokens: 6000, signal })).text
}

function describe({ id, title, body }: Task) {
  return { id, title: title.slice(0, MAX_TITLE), body: body.slice(0, MAX_BODY) }
}

async function fanOut(
  ctx: Context,
  { id }: Task,
  { parts, rationale }: Extract<Plan, { kind: 'parts' }>,
  { roster, by }: Writing,
): Promise<PlannedTask> {
  const tasks = parts.map(({ title, body, assignee, parents }) => ({
    title,
    body,
    parents,
    assignee: roster.choose(assignee),
  }))
  const comment = `Taken apart into ${parts.length}:\n${tasks.map(formatPart).join('\n')}${rationale === '' ? '' : `\n\n${rationale}`}`
  const { children } = await ctx.use(Boards).decompose(id, { tasks, rootAssignee: roster.orchestrator, by, comment })
  return { taskId: id, isFanOut: true, childIds: children.map((child) => child.id) }
}

function formatPart(
  { title, assignee, parents }: Pick<Part, 'title' | 'parents'> & { readonly assignee: string },
  at: number,
): string {
  const after = parents.length === 0 ? '' : ` after ${parents.map((parent) => parent + 1).join(', ')}`
  return `${at + 1}. ${title} (${assignee}${after})`
}

async function writeOne(
  ctx: Context,
  task: Task,
  { title, body, assignee, rationale }: Extract<Plan, { kind: 'one' }>,
  { roster, by }: Writing,
): Promise<PlannedTask> {
  const { id } = task
  const comment =
    `Specified as one task.${rationale === '' ? '' : ` ${rationale}`}\n\nBefore: ${task.title}\n${task.body}`
      .trim()
      .slice(0, 32_000)
  const after = await ctx
    .use(Boards)
    .specify(id, { ...(title !== undefined && { title }), body, assignee: roster.choose(assignee), by, comment })
  const isRenamed = after.title !== task.title
  return { taskId: id, isFanOut: false, childIds: [], ...(isRenamed && { newTitle: after.title }) }
}

export function refuse(id: string, reason: string): PlannedTask {
  return { taskId: id, reason, isFanOut: false, childIds: [] }
}
