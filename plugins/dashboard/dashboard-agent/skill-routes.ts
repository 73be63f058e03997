/** Skills: what there is, their texts, and switches for them. */
import { Config, type PluginContext, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { ConfigFile } from 'svc/sdk/host'
import { requireService, withStatus } from 'svc/sdk/kit/net'
import { Skills } from 'svc/sdk/skills'
import { z } from 'zod'
import { STATUSES } from './statuses.ts'

const BY = { author: 'dashboard', reason: 'switched in the dashboard' }

const skillSchema = z.object({
  name: z.string(),
  description: z.string(),
  category: z.string().nullable(),
  enabled: z.boolean(),
  unavailable: z.string().nullable(),
  provenance: z.string(),
  trust: z.string(),
  source: z.string().nullable(),
  tags: z.array(z.string()),
  version: z.string().nullable(),
})

export function skillRoutes(ctx: PluginContext<undefined>): readonly DashboardRoute[] {
  const find = () => requireService(ctx.find(Skills), Skills.id)
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/skills',
      summary: 'All skills, those that are off or unavailable too, and folders that cannot be used',
      response: z.object({
        skills: z.array(skillSchema),
        problems: z.array(z.object({ folder: z.string(), reason: z.string() })),
      }),
      async handle() {
        const [skills, problems] = await Promise.all([find().list(), find().problems()])
        return {
          skills: skills.map((skill) => ({
            name: skill.name,
            description: skill.description,
            category: skill.category ?? null,
            enabled: !skill.isDisabled,
            unavailable: skill.unavailable ?? null,
            provenance: skill.origin,
            trust: skill.trust,
            source: skill.source ?? null,
            tags: [...skill.tags],
            version: skill.version ?? null,
          })),
          problems: problems.map((each) => ({ ...each })),
        }
      },
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/skills/toggle',
      summary: 'Switches a skill on or off',
      body: z.object({ name: z.string().min(1).max(64), enabled: z.boolean() }),
      response: z.object({ ok: z.literal(true), name: z.string(), enabled: z.boolean() }),
      handle: ({ body: { name, enabled } }) =>
        withStatus(STATUSES, async () => {
          if (!(await find().find(name)))
            throw new SvcError('DASHBOARD_SKILL', `There is no skill "${name}".`, { status: 404 })
          const listed = ctx.use(Config).get('skills.disabled')
          const others = (Array.isArray(listed) ? (listed as string[]) : []).filter((each) => each !== name)
          const disabled = enabled ? others : [...others, name]
          await ctx
            .use(ConfigFile)
            .write([{ path: 'skills.disabled', value: disabled.length ? disabled : undefined }], BY)
          return { ok: true as const, name, enabled }
        }),
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/skills/content',
      summary: 'The text of a skill as the model reads it, or another of its files',
      query: z.object({ name: z.string().min(1), path: z.string().optional() }),
      response: z.object({
        name: z.string(),
        path: z.string(),
        content: z.string(),
        files: z.array(z.object({ path: z.string(), bytes: z.number() })),
        missing: z.array(z.string()),
      }),
      handle: ({ query: { name, path } }) =>
        withStatus(STATUSES, async () => {
          const read = await find().read(name, path === undefined ? {} : { path })
          const files = read.files.map((file) => ({ ...file }))
          return { name, path: read.path, content: read.text, files, missing: [...read.missing] }
        }),
    }),
  ]
}
