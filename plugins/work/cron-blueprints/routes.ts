/** Blueprints and suggestions for the dashboard. */
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import type { ScheduledJob } from 'svc/sdk/jobs'
import { z } from 'zod'
import { type CommandDeps, toData } from './cli.ts'
import { asValue } from './library.ts'
import type { Suggestion } from './suggestion-book.ts'

const fieldSchema = z.object({
  name: z.string(),
  type: z.enum(['time', 'enum', 'text', 'weekdays']),
  label: z.string(),
  default: z.string().nullable(),
  options: z.array(z.string()),
  optional: z.boolean(),
  strict: z.boolean(),
  help: z.string().nullable(),
})
const blueprintSchema = z.object({
  key: z.string(),
  title: z.string(),
  description: z.string(),
  category: z.string(),
  tags: z.array(z.string()),
  fields: z.array(fieldSchema),
  skill: z.string().nullable().meta({ description: 'The skill that brings it.' }),
  command: z.string().meta({ description: 'What adds it in a conversation.' }),
  appUrl: z.string().meta({ description: 'Its form, below the address of the dashboard.' }),
})
const jobSchema = z.object({ id: z.string(), name: z.string(), next_run_at: z.number().nullable() })
const suggestionSchema = z.object({
  id: z.number(),
  source: z.enum(['catalog', 'blueprint', 'usage', 'integration']),
  status: z.enum(['pending', 'accepted', 'dismissed']),
  blueprint: z.string(),
  title: z.string(),
  reason: z.string(),
  schedule: z.string().nullable(),
  prompt: z.string().nullable(),
  created_at: z.number(),
})
/** JSON has one number type; ids are small. */
const byNumber = (params: Readonly<Record<string, string>>) =>
  /^[1-9]\d{0,8}$/.test(params['id'] ?? '') ? Number(params['id']) : 0

export function blueprintRoutes({ library, suggestions, jobs }: CommandDeps): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/cron/blueprints',
      summary: 'Jobs with gaps to fill in: those of svc and of skills, and skills whose blueprint cannot be used',
      response: z.object({
        blueprints: z.array(blueprintSchema),
        problems: z.array(z.object({ skill: z.string(), reason: z.string() })),
      }),
      async handle() {
        const { blueprints, problems } = await library.list()
        return {
          blueprints: blueprints.map((each) => ({
            ...toData(each),
            command: `/blueprint ${each.key}`,
            appUrl: `/cron?blueprint=${encodeURIComponent(each.key)}`,
          })),
          problems: problems.map((each) => ({ ...each })),
        }
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/cron/blueprints/instantiate',
      summary: 'Makes a job from a blueprint; 404 for an unknown one, 422 with `param` for a value that cannot be used',
      body: z.object({
        blueprint: z.string().min(1).max(100),
        values: z.record(z.string().max(100), z.string().max(2000)).default({}),
      }),
      response: z.object({ job: jobSchema }),
      async handle({ body }) {
        const { job } = await library.preview(await library.find(body.blueprint), body.values)
        return { job: toJob(await asValue('deliver', async () => (await jobs()).create(job))) }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/cron/suggestions',
      summary: 'Suggested jobs that wait for a yes or a no; nothing of them is scheduled',
      response: z.object({ suggestions: z.array(suggestionSchema) }),
      handle: async () => ({ suggestions: (await suggestions.list()).map(toSuggestion) }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/cron/suggestions/:id/accept',
      summary: 'Makes the job of a suggestion, once; asked again it returns the same job',
      response: z.object({ job: jobSchema }),
      handle: async ({ params }) => ({ job: toJob(await suggestions.accept(byNumber(params))) }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/cron/suggestions/:id/dismiss',
      summary: 'Never suggests it again',
      response: z.object({ ok: z.literal(true) }),
      async handle({ params }) {
        await suggestions.dismiss(byNumber(params))
        return { ok: true as const }
      },
    }),
  ]
}

function toJob({ id, name, nextDueAt }: ScheduledJob): z.infer<typeof jobSchema> {
  return { id, name, next_run_at: nextDueAt ?? null }
}

function toSuggestion({ job, createdAt, key: _, decidedAt: __, jobId: ___, ...rest }: Suggestion) {
  return { ...rest, schedule: job?.schedule ?? null, prompt: job?.prompt ?? null, created_at: createdAt }
}
