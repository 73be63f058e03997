/** Scheduled jobs over the API. Errors of these routes are `{ "error": "sentence" }`, as clients of this interface expect. */
import { logFault, type PluginContext, SvcError } from 'svc/sdk'
import { CronJobs, type JobChanges, type ScheduledJob } from 'svc/sdk/jobs'
import { type HttpRequest, type HttpResponse, type HttpRoute, jsonResponse, parseJsonBody } from 'svc/sdk/web'
import { z } from 'zod'

type Context = PluginContext<undefined>
type Handle = (jobs: CronJobs, request: HttpRequest) => Promise<unknown>

const MAX_NAME = 200
const MAX_PROMPT = 5000
const shared = {
  prompt: z.string().max(MAX_PROMPT).optional(),
  deliver: z.string().min(1).max(500).optional().meta({ description: 'Targets, separated by commas (local).' }),
  repeat: z.number().int().min(1).nullish(),
  model: z.string().max(MAX_NAME).nullish(),
}
const names = z.array(z.string().min(1).max(MAX_NAME)).max(50).optional()
const newJob = z.looseObject({
  name: z.string().trim().min(1).max(MAX_NAME),
  schedule: z.string().min(1).max(MAX_NAME),
  ...shared,
  skills: names,
})
const changedJob = z.looseObject({
  name: z.string().trim().min(1).max(MAX_NAME).optional(),
  schedule: z.string().min(1).max(MAX_NAME).optional(),
  ...shared,
  skills: names,
  enabled: z.boolean().optional(),
})

export function jobRoutes(ctx: Context): HttpRoute[] {
  const one = '/api/jobs/:id'
  const id = ({ params }: HttpRequest) => params['id'] ?? ''
  const job = (jobs: CronJobs, found: ScheduledJob) => ({ job: toWire(jobs, found) })
  const route = (method: HttpRoute['method'], path: string, summary: string, handle: Handle): HttpRoute => {
    return { method, path, summary, handle: (request) => answer(ctx, handle, request) }
  }
  return [
    route('GET', '/api/jobs', 'Scheduled jobs', async (jobs, { query }) => {
      const found = await jobs.list({ all: query.get('include_disabled') === 'true' })
      return { jobs: found.filter(({ state }) => state !== 'removed').map((each) => toWire(jobs, each)) }
    }),
    { ...route('POST', '/api/jobs', 'Add a job', addJob), request: newJob },
    route('GET', one, 'One of them', async (jobs, request) => job(jobs, await jobs.get(id(request)))),
    { ...route('PATCH', one, 'Change a job', changeJob), request: changedJob },
    route('DELETE', one, 'Remove a job', async (jobs, request) => {
      await jobs.remove(id(request))
      return { ok: true }
    }),
    route('POST', `${one}/pause`, 'Pause a job', async (jobs, request) => job(jobs, await jobs.pause(id(request)))),
    route('POST', `${one}/resume`, 'Resume a job', async (jobs, request) => job(jobs, await jobs.resume(id(request)))),
    route('POST', `${one}/run`, 'Run a job now', async (jobs, request) => {
      await jobs.trigger(id(request))
      return job(jobs, await jobs.get(id(request)))
    }),
  ]
}

async function answer(ctx: Context, handle: Handle, request: HttpRequest): Promise<HttpResponse> {
  const jobs = ctx.find(CronJobs)
  if (!jobs)
    throw new SvcError('API_NOT_AVAILABLE', 'Scheduled jobs are not available on this server.', { status: 501 })
  try {
    return jsonResponse(await handle(jobs, request))
  } catch (error) {
    // What is wrong with the request is the client's; anything else has the words of the server.
    if (!(error instanceof SvcError) || error.status >= 500) throw error
    logFault(ctx.log, 'a request about a job was refused', error)
    return jsonResponse({ error: error.message }, error.status)
  }
}

async function addJob(jobs: CronJobs, request: HttpRequest): Promise<unknown> {
  const { name, schedule, deliver, ...given } = readBody(request, newJob)
  const { prompt, skills, repeat, model } = given
  const added = await jobs.create({
    name,
    schedule: await jobs.parse(schedule),
    deliver: splitTargets(deliver ?? 'local'),
    ...(prompt !== undefined && { prompt }),
    ...(skills !== undefined && { skills }),
    ...(repeat != null && { repeat }),
    ...(model != null && { model }),
  })
  return { job: toWire(jobs, added) }
}

async function changeJob(jobs: CronJobs, request: HttpRequest): Promise<unknown> {
  const { schedule, deliver, enabled, name, prompt, skills, repeat, model } = readBody(request, changedJob)
  const id = request.params['id'] ?? ''
  const changes: JobChanges = {
    ...(name !== undefined && { name }),
    ...(prompt !== undefined && { prompt }),
    ...(skills !== undefined && { skills }),
    ...(repeat !== undefined && { repeat }),
    ...(model !== undefined && { model }),
    ...(schedule !== undefined && { schedule: await jobs.parse(schedule) }),
    ...(deliver !== undefined && { deliver: splitTargets(deliver) }),
  }
  let changed = Object.keys(changes).length > 0 ? await jobs.edit(id, changes) : await jobs.get(id)
  if (enabled === true && changed.state === 'paused') changed = await jobs.resume(changed.id)
  if (enabled === false && changed.state === 'scheduled') changed = await jobs.pause(changed.id)
  return { job: toWire(jobs, changed) }
}

function readBody<T>({ body }: HttpRequest, schema: z.ZodType<T>): T {
  const parsed = parseJsonBody(body)
  if (parsed.kind !== 'value') throw invalid(parsed.kind === 'limit' ? parsed.reason : 'The body is not JSON.')
  const read = schema.safeParse(parsed.value)
  if (read.success) return read.data
  const { path, message } = read.error.issues[0] ?? { path: [], message: 'is wrong' }
  throw invalid(`${path.join('.') || 'body'}: ${message}`)
}

const invalid = (text: string) => new SvcError('API_JOB_INVALID', text, { status: 400 })
const splitTargets = (text: string) => text.split(',').map((target) => target.trim())

const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())

function toWire(jobs: CronJobs, job: ScheduledJob): object {
  const { schedule } = job
  const display = jobs.describe(schedule)
  const when = {
    once: () => ({ kind: 'once', run_at: schedule.kind === 'once' ? time(schedule.at) : null }),
    every: () => ({ kind: 'interval', minutes: schedule.kind === 'every' ? schedule.everyMs / 60_000 : null }),
    expression: () => ({ kind: 'cron', ...(schedule.kind === 'expression' && { expr: schedule.expression }) }),
  }[schedule.kind]()
  return {
    id: job.id,
    name: job.name,
    prompt: job.prompt,
    skills: job.skills,
    script: job.script ?? null,
    no_agent: job.isScriptOnly,
    model: job.model ?? null,
    provider: job.provider ?? null,
    context_from: job.contextFrom,
    schedule: { ...when, display },
    schedule_display: display,
    repeat: { times: job.repeat ?? null, completed: job.runCount },
    enabled: job.state === 'scheduled',
    state: job.state,
    paused_reason: job.state === 'paused' ? (job.reason ?? null) : null,
    deliver: job.deliver.join(','),
    created_at: time(job.createdAt),
    next_run_at: time(job.nextDueAt),
  }
}
