/** Planning of tasks in triage: at once, or as a plan that a person sees first and accepts. */
import { Plugins } from 'svc/sdk/host'
import { type PlannedTask, type TaskPlan, TaskPlanner } from 'svc/sdk/kanban'
import type { ApiRoute } from 'svc/sdk/web'
import { z } from 'zod'
import { AUTHOR, type Context, defineRoute, getId, requireService } from './route.ts'

const author = z.string().max(200).nullish()
const text = z.string().max(32_768).nullish()
const planned = z.object({
  ok: z.boolean(),
  task_id: z.string(),
  reason: z.string().nullable(),
  fanout: z.boolean(),
  child_ids: z.array(z.string()),
  new_title: z.string().nullable(),
})
const wirePlan = z.object({
  fanout: z.boolean(),
  rationale: z.string().nullable(),
  title: z.string().nullable().meta({ description: 'Of one task; null: as it is.' }),
  body: z.string().nullable(),
  assignee: z.string().nullable(),
  tasks: z.array(
    z.object({
      title: z.string(),
      body: z.string(),
      assignee: z.string().nullable(),
      parents: z.array(z.number()).meta({ description: 'Positions, from 0, of the tasks whose results it needs.' }),
    }),
  ),
})
const accepted = z.looseObject({
  author,
  plan: z.looseObject({
    fanout: z.boolean(),
    rationale: text,
    title: text,
    body: text,
    assignee: text,
    tasks: z
      .array(
        z.looseObject({ title: z.string().max(2000), body: text, assignee: text, parents: z.array(z.int()).nullish() }),
      )
      .max(1000)
      .nullish(),
  }),
})

export function planRoutes(ctx: Context): readonly ApiRoute[] {
  const find = async () => requireService(await ctx.use(Plugins).bring(TaskPlanner))
  const plan = (verb: 'decompose' | 'specify', summary: string) =>
    defineRoute(ctx, {
      method: 'POST',
      path: `/tasks/:id/${verb}`,
      summary,
      body: z.looseObject({ author }),
      response: planned,
      async handle(boards, request) {
        // What does not exist is refused; why a task was not planned is in the result.
        await boards.get(getId(request))
        const { body, signal } = request
        return toPlanned(await (await find())[verb](getId(request), { by: body.author || AUTHOR, signal }))
      },
    })
  return [
    plan('decompose', 'Has a model take a task in triage apart, or write what it is about'),
    plan('specify', 'Has a model write what a task in triage is about'),
    defineRoute(ctx, {
      method: 'POST',
      path: '/tasks/:id/plan',
      summary: 'Has a model propose what a task in triage would be taken apart into; nothing is written',
      body: z.looseObject({}),
      response: z.object({
        ok: z.boolean(),
        task_id: z.string(),
        reason: z.string().nullable(),
        plan: wirePlan.nullable(),
      }),
      async handle(boards, request) {
        await boards.get(getId(request))
        const found = await (await find()).propose(getId(request), { signal: request.signal })
        return {
          ...{ ok: found.plan !== undefined, task_id: found.taskId, reason: found.reason ?? null },
          plan: found.plan ? toWire(found.plan) : null,
        }
      },
    }),
    defineRoute(ctx, {
      method: 'PUT',
      path: '/tasks/:id/plan',
      summary: 'Writes a plan that a person accepted, as proposed or changed: all of it or nothing',
      body: accepted,
      response: planned,
      async handle(boards, request) {
        await boards.get(getId(request))
        const { body, signal } = request
        const options = { by: body.author || AUTHOR, signal }
        return toPlanned(await (await find()).accept(getId(request), fromWire(body.plan), options))
      },
    }),
  ]
}

function toPlanned({ taskId, reason, isFanOut, childIds, newTitle }: PlannedTask): z.infer<typeof planned> {
  return {
    ...{ ok: reason === undefined, task_id: taskId, reason: reason ?? null },
    ...{ fanout: isFanOut, child_ids: [...childIds], new_title: newTitle ?? null },
  }
}

function toWire(plan: TaskPlan): z.infer<typeof wirePlan> {
  const rationale = plan.rationale || null
  if (plan.kind === 'one') {
    const { title = null, body, assignee = null } = plan
    return { ...{ fanout: false, rationale, title, body, assignee }, tasks: [] }
  }
  const tasks = plan.parts.map(({ title, body, assignee = null, parents }) => ({
    ...{ title, body, assignee },
    parents: [...parents],
  }))
  return { ...{ fanout: true, rationale, title: null, body: null, assignee: null }, tasks }
}

function fromWire({ fanout, rationale, title, body, assignee, tasks }: z.infer<typeof accepted>['plan']): TaskPlan {
  const shared = { rationale: rationale ?? '' }
  if (!fanout)
    return { ...shared, kind: 'one', body: body ?? '', ...(title && { title }), ...(assignee && { assignee }) }
  const parts = (tasks ?? []).map((task) => ({
    ...{ title: task.title, body: task.body ?? '', parents: task.parents ?? [] },
    ...(task.assignee && { assignee: task.assignee }),
  }))
  return { ...shared, kind: 'parts', parts }
}
