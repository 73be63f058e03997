/** The tool `cronjob`, as the model is told of it. */
import { defineTool, SvcError, type Tool, type ToolActions, type ToolContext } from 'svc/sdk'
import type { CronJobs, NewJob, ScheduledJob } from 'svc/sdk/jobs'
import { formatMoment } from 'svc/sdk/kit/terminal'
import { formatTarget } from 'svc/sdk/kit/text'
import { formatTitle, textIn } from 'svc/sdk/kit/views'
import { z } from 'zod'

export const NAME = 'cronjob'
const MAX_LISTED = 50

const text = z.string().trim().min(1).max(200).optional()
const input = z.object({
  action: z.enum(['list', 'create', 'update', 'pause', 'resume', 'remove', 'run']),
  job: text.describe('id or name'),
  schedule: text.describe('30m, every 2h, 0 9 * * mon-fri, 2027-01-31T09:00'),
  prompt: z.string().trim().min(1).max(20_000).optional(),
  name: text,
  deliver: text.describe('origin (here), file, none, platform:chat'),
  skills: z.array(z.string().trim().min(1)).max(20).optional(),
  repeat: z.number().int().min(1).optional(),
})
type Input = z.infer<typeof input>
type Bring = () => Promise<CronJobs | undefined>

/** Everything but a look is asked of a person, unless the job of the run was made with the right to do so. */
export function cronTool(bring: Bring): Tool {
  return defineTool<Input>({
    name: NAME,
    description: 'Schedule work for later or again and again. Each run is a conversation that knows only prompt.',
    input,
    effect: 'once',
    toolset: NAME,
    reach: 'nothing',
    view: {
      title: ({ input: asked }) =>
        formatTitle(textIn(asked, 'action'), textIn(asked, 'schedule'), textIn(asked, 'job')),
    },
    // What works for a person may schedule; what was scheduled or handed on may not.
    scope: { notOn: ['subagent', 'kanban'] },
    acts: (asked, { sessionId }) => describeAction(bring, asked, sessionId),
    run: async (asked, turn) => {
      const jobs = await bring()
      if (!jobs) throw new SvcError('CRON_TOOL_INPUT', 'The plugin cron does not run, so there are no jobs.')
      await checkTurn(jobs, turn)
      return act(jobs, asked, turn)
    },
  })
}

/** Throws `CRON_TOOL_NOT_ALLOWED` for a run and its subagents, wherever the tool was switched on. */
async function checkTurn(jobs: CronJobs, { sessionId, groups, surface }: ToolContext): Promise<void> {
  const job = await jobs.ofTurn({ sessionId, groups })
  if (job ? job.mayManageJobs : surface !== 'cron') return
  throw new SvcError('CRON_TOOL_NOT_ALLOWED', 'A scheduled run may not add or change jobs.', { status: 403 })
}

async function act(jobs: CronJobs, asked: Input, { sender }: ToolContext): Promise<string> {
  switch (asked.action) {
    case 'list':
      return listJobs(jobs)
    case 'create':
      return `Added. ${describeJob(jobs, await jobs.create(await readNewJob(jobs, asked, sender && formatTarget(sender))))}`
    case 'update': {
      const job = await jobs.get(need(asked.job, 'job'))
      const schedule = asked.schedule === undefined ? {} : { schedule: await jobs.parse(asked.schedule) }
      return `Changed. ${describeJob(jobs, await jobs.edit(job.id, { ...readSettings(asked), ...schedule }))}`
    }
    case 'run':
      await jobs.trigger(need(asked.job, 'job'))
      return 'Queued; the gateway begins it.'
    default:
      return `Done. ${describeJob(jobs, await jobs[asked.action](need(asked.job, 'job')))}`
  }
}

async function listJobs(jobs: CronJobs): Promise<string> {
  const all = await jobs.list({ all: false })
  const lines = all.slice(0, MAX_LISTED).map((job) => describeJob(jobs, job))
  if (all.length > MAX_LISTED) lines.push(`and ${all.length - MAX_LISTED} more`)
  return lines.join('\n') || 'There are no jobs.'
}

function describeJob(jobs: CronJobs, job: ScheduledJob): string {
  const next = job.nextDueAt === undefined ? job.state : `next ${formatMoment(job.nextDueAt)}`
  return `${job.id} "${job.name}": ${jobs.describe(job.schedule)}, ${next}`
}

async function readNewJob(jobs: CronJobs, asked: Input, origin: string | undefined): Promise<NewJob> {
  const schedule = await jobs.parse(need(asked.schedule, 'schedule'))
  return {
    ...readSettings(asked),
    prompt: need(asked.prompt, 'prompt'),
    schedule,
    ...(origin !== undefined && { origin }),
  }
}

function readSettings({ prompt, name, deliver, skills, repeat }: Input): Partial<Omit<NewJob, 'schedule'>> {
  return {
    ...(prompt !== undefined && { prompt }),
    ...(name !== undefined && { name }),
    ...(deliver !== undefined && { deliver: deliver.split(',').map((target) => target.trim()) }),
    ...(skills !== undefined && { skills }),
    ...(repeat !== undefined && { repeat }),
  }
}

function need(value: string | undefined, field: string): string {
  if (value !== undefined) return value
  throw new SvcError('CRON_TOOL_INPUT', `${field} is missing.`, { status: 400, param: field })
}

const REASONS = {
  create: 'adds work that is done later without you',
  update: 'changes work that is done later without you',
  resume: 'resumes work that is done later without you',
  run: 'runs a scheduled job now',
  pause: 'pauses a scheduled job',
  remove: 'removes a scheduled job',
} as const

async function describeAction(bring: Bring, asked: Input, sessionId: string): Promise<ToolActions> {
  const { action } = asked
  const jobs = await bring()
  if (action === 'list' || !jobs) return { writes: [] }
  // A run has no person. Whether it may is decided when it runs.
  if (await jobs.ofTurn({ sessionId, groups: [] })) return { writes: [] }
  return {
    writes: [],
    ask: {
      reason: REASONS[action],
      action: await preview(jobs, asked),
      subjects: [`${NAME}:${action}`],
      covers: `every call of ${NAME} that ${REASONS[action]}`,
    },
  }
}

/** What a person needs to agree: when, how often, and what. */
async function preview(jobs: CronJobs, asked: Input): Promise<string> {
  const facts = Object.entries(asked).flatMap(([key, value]) =>
    value === undefined || ['action', 'prompt', 'schedule'].includes(key) ? [] : [`${key}: ${String(value)}`],
  )
  const when = asked.schedule === undefined ? [] : [await describeTimes(jobs, asked.schedule)]
  return [`${asked.action} ${NAME}`, ...facts, ...when, ...(asked.prompt === undefined ? [] : [asked.prompt])].join(
    '\n',
  )
}

/** Throws `CRON_SCHEDULE`, which the model reads in place of the question. */
async function describeTimes(jobs: CronJobs, text: string): Promise<string> {
  const schedule = await jobs.parse(text)
  const times = await jobs.preview(schedule, { count: 3 })
  return `${jobs.describe(schedule)}, due ${times.map((at) => formatMoment(at)).join(', ')}`
}
