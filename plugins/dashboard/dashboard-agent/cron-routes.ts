/** Scheduled jobs and their runs. */
import type { PluginContext } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { CronJobs, type JobChanges, type JobRun, type ScheduledJob } from 'svc/sdk/jobs'
import { requireService, withStatus } from 'svc/sdk/kit/net'
import { z } from 'zod'
import { STATUSES } from './statuses.ts'

type Context = PluginContext<undefined>

const MAX_PROMPT = 50_000
const names = z.array(z.string().min(1).max(200)).max(50)
const fields = {
  name: z.string().trim().min(1).max(200).optional(),
  prompt: z.string().max(MAX_PROMPT).optional(),
  deliver: z.string().min(1).max(500).optional().meta({ description: 'Targets, with commas between them.' }),
  skills: names.optional(),
  provider: z.string().max(200).nullish(),
  model: z.string().max(200).nullish(),
  script: z.string().max(1000).nullish(),
  no_agent: z.boolean().optional(),
  context_from: names.optional(),
  enabled_toolsets: names.nullish(),
  workdir: z.string().max(4096).nullish(),
  repeat: z.number().int().min(1).nullish(),
  budget_usd: z.number().positive().nullish(),
}
const schedule = z.string().min(1).max(200)

const runSchema = z.object({
  job_id: z.string(),
  due_at: z.number(),
  trigger: z.string(),
  outcome: z.string(),
  status: z.string().nullable(),
  reason: z.string().nullable(),
  error: z.string().nullable(),
  output: z.string().nullable(),
  delivery_error: z.string().nullable(),
  session_id: z.string().nullable(),
  started_at: z.number().nullable(),
  ended_at: z.number().nullable(),
  cost_usd: z.number().nullable(),
})
const jobSchema = z.object({
  id: z.string(),
  name: z.string(),
  prompt: z.string(),
  script: z.string().nullable(),
  no_agent: z.boolean(),
  skills: z.array(z.string()),
  schedule: z.object({ kind: z.string(), display: z.string() }),
  repeat: z.object({ times: z.number().nullable(), completed: z.number() }),
  enabled: z.boolean(),
  state: z.enum(['scheduled', 'paused', 'completed', 'removed']),
  paused_reason: z.string().nullable(),
  deliver: z.string(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  context_from: z.array(z.string()),
  enabled_toolsets: z.array(z.string()).nullable(),
  workdir: z.string().nullable(),
  budget_usd: z.number().nullable(),
  next_run_at: z.number().nullable(),
  created_at: z.number(),
  last_run: runSchema.nullable(),
})

export function cronRoutes(ctx: Context): readonly DashboardRoute[] {
  const bring = async () => requireService(await ctx.use(Plugins).bring(CronJobs), CronJobs.id)
  const withJobs = <T>(work: (jobs: CronJobs) => Promise<T>) => withStatus(STATUSES, async () => work(await bring()))
  return [...listRoutes(withJobs), ...jobRoutes(withJobs)]
}

type WithJobs = <T>(work: (jobs: CronJobs) => Promise<T>) => Promise<T>

function listRoutes(withJobs: WithJobs): DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/cron/jobs',
      summary: 'Scheduled jobs by the next due time, and how the scheduler is',
      query: z.object({ all: z.enum(['true', 'false']).default('true') }),
      response: z.object({ jobs: z.array(jobSchema), status: z.looseObject({ last_tick_at: z.number().nullable() }) }),
      handle: ({ query }) =>
        withJobs(async (jobs) => {
          const found = await jobs.list({ all: query.all === 'true' })
          const listed = found.filter(({ state }) => state !== 'removed')
          const { lastTickAt, queued, running } = await jobs.status()
          const last = await Promise.all(listed.map(({ id }) => jobs.runs({ job: id, outcomes: ['ran'], limit: 1 })))
          return {
            jobs: listed.map((job, at) => toJob(jobs, job, last[at]?.[0])),
            status: { last_tick_at: lastTickAt ?? null, queued, running },
          }
        }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/cron/jobs',
      summary: 'Makes a job',
      body: z.object({ ...fields, schedule }),
      response: jobSchema,
      handle: ({ body }) =>
        withJobs(async (jobs) => {
          const { schedule: text, ...given } = body
          const settings = dropNulls(toChanges(given))
          return toJob(jobs, await jobs.create({ deliver: ['file'], ...settings, schedule: await jobs.parse(text) }))
        }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/cron/preview',
      summary: 'How a schedule is read, and when it is due next',
      body: z.object({ schedule }),
      response: z.object({ display: z.string(), next: z.array(z.number()) }),
      handle: ({ body }) =>
        withJobs(async (jobs) => {
          const parsed = await jobs.parse(body.schedule)
          return { display: jobs.describe(parsed), next: [...(await jobs.preview(parsed))] }
        }),
    }),
  ]
}

function jobRoutes(withJobs: WithJobs): DashboardRoute[] {
  const one = '/api/cron/jobs/:id'
  const getId = (params: Readonly<Record<string, string>>) => params['id'] ?? ''
  const act = (word: 'pause' | 'resume', summary: string) =>
    defineDashboardRoute({
      method: 'POST',
      path: `${one}/${word}`,
      summary,
      response: jobSchema,
      handle: ({ params }) => withJobs(async (jobs) => toJob(jobs, await jobs[word](getId(params)))),
    })
  return [
    defineDashboardRoute({
      method: 'GET',
      path: one,
      summary: 'One job',
      response: jobSchema,
      handle: ({ params }) => withJobs(async (jobs) => toJob(jobs, await jobs.get(getId(params)))),
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: one,
      summary: 'Changes a job; null removes a setting',
      body: z.object({ ...fields, schedule: schedule.optional() }),
      response: jobSchema,
      handle: ({ params, body: { schedule: text, ...given } }) =>
        withJobs(async (jobs) => {
          const changes = { ...toChanges(given), ...(text !== undefined && { schedule: await jobs.parse(text) }) }
          return toJob(jobs, await jobs.edit(getId(params), changes))
        }),
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: one,
      summary: 'Removes a job; it can be restored for 30 days',
      response: z.object({ ok: z.literal(true) }),
      handle: ({ params }) =>
        withJobs(async (jobs) => {
          await jobs.remove(getId(params))
          return { ok: true as const }
        }),
    }),
    defineDashboardRoute({
      method: 'GET',
      path: `${one}/runs`,
      summary: 'What became of the due times of a job, the newest first',
      query: z.object({ limit: z.coerce.number().int().min(1).max(500).default(50) }),
      response: z.object({ runs: z.array(runSchema) }),
      handle: ({ params, query: { limit } }) =>
        withJobs(async (jobs) => ({ runs: (await jobs.runs({ job: getId(params), limit })).map(toRun) })),
    }),
    act('pause', 'Pauses a job'),
    act('resume', 'Lets a job be due again'),
    defineDashboardRoute({
      method: 'POST',
      path: `${one}/trigger`,
      summary: 'Queues a run for now, which a running gateway begins',
      response: runSchema,
      handle: ({ params }) => withJobs(async (jobs) => toRun(await jobs.trigger(getId(params)))),
    }),
  ]
}

type Given = z.infer<z.ZodObject<typeof fields>>

/** What was named, in the words of the jobs. */
function toChanges(given: Given): JobChanges {
  const changes = {
    name: given.name,
    prompt: given.prompt,
    deliver: given.deliver?.split(',').map((target) => target.trim()),
    skills: given.skills,
    provider: given.provider,
    model: given.model,
    script: given.script,
    isScriptOnly: given.no_agent,
    contextFrom: given.context_from,
    toolsets: given.enabled_toolsets,
    cwd: given.workdir,
    repeat: given.repeat,
    budgetUsd: given.budget_usd,
  }
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

function dropNulls(changes: JobChanges): object {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null))
}

function toJob(jobs: CronJobs, job: ScheduledJob, last?: JobRun): z.infer<typeof jobSchema> {
  return {
    id: job.id,
    name: job.name,
    prompt: job.prompt,
    script: job.script ?? null,
    no_agent: job.isScriptOnly,
    skills: [...job.skills],
    schedule: { kind: job.schedule.kind, display: jobs.describe(job.schedule) },
    repeat: { times: job.repeat ?? null, completed: job.runCount },
    enabled: job.state === 'scheduled',
    state: job.state,
    paused_reason: job.state === 'paused' ? (job.reason ?? null) : null,
    deliver: job.deliver.join(','),
    provider: job.provider ?? null,
    model: job.model ?? null,
    context_from: [...job.contextFrom],
    enabled_toolsets: job.toolsets ? [...job.toolsets] : null,
    workdir: job.cwd ?? null,
    budget_usd: job.budgetUsd ?? null,
    next_run_at: job.nextDueAt ?? null,
    created_at: job.createdAt,
    last_run: last ? toRun(last) : null,
  }
}

function toRun(run: JobRun): z.infer<typeof runSchema> {
  return {
    job_id: run.jobId,
    due_at: run.dueAt,
    trigger: run.trigger,
    outcome: run.outcome,
    status: run.status ?? null,
    reason: run.reason ?? null,
    error: run.error ?? null,
    output: run.output ?? null,
    delivery_error: run.deliveryError ?? null,
    session_id: run.sessionId ?? null,
    started_at: run.startedAt ?? null,
    ended_at: run.endedAt ?? null,
    cost_usd: run.costUsd ?? null,
  }
}
