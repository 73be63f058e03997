/** config.yaml: as values for a form, as text for an editor, and what was changed in it. */
import { createHash } from 'node:crypto'
import { Config, type PluginContext } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { type ConfigChange, ConfigFile } from 'svc/sdk/host'
import { withStatus } from 'svc/sdk/kit/net'
import { z } from 'zod'
import { STATUSES } from './statuses.ts'

type Context = PluginContext<undefined>

const BY = { author: 'dashboard', reason: 'set in the dashboard' }
const MAX_TEXT = 4 * 2 ** 20

const changeSchema = z.object({
  id: z.number(),
  at: z.number(),
  author: z.string(),
  reason: z.string(),
  diff: z.string(),
  undone_by: z.number().nullable(),
})
const writtenSchema = z.object({ ok: z.literal(true), change: changeSchema.nullable() })
const problemSchema = z.object({
  severity: z.enum(['error', 'warning']),
  path: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  line: z.number().optional(),
})
const fieldSchema = z.object({
  path: z.string(),
  type: z.enum(['string', 'number', 'boolean', 'list', 'object', 'unknown']),
  value: z.unknown(),
  default: z.unknown(),
  description: z.string(),
  category: z.string(),
  secret: z.boolean(),
  fixed: z.string().nullable(),
})

export function configRoutes(ctx: Context): readonly DashboardRoute[] {
  return [...valueRoutes(ctx), ...textRoutes(ctx), ...changeRoutes(ctx)]
}

function valueRoutes(ctx: Context): DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/config',
      summary: 'What is set in config.yaml; secrets are masked',
      response: z.object({ config: z.record(z.string(), z.unknown()), path: z.string() }),
      async handle() {
        const { value } = await ctx.use(ConfigFile).read('')
        const config = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
        return { config, path: ctx.use(Config).file }
      },
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/config',
      summary:
        'Sets keys of config.yaml by their dotted paths, in one step; null removes a key. Others stay as they are',
      body: z.object({ edits: z.record(z.string().min(1), z.unknown()) }),
      response: writtenSchema,
      handle: ({ body: { edits } }) =>
        withStatus(STATUSES, async () => {
          const list = Object.entries(edits).map(([path, value]) => ({
            path,
            value: value === null ? undefined : value,
          }))
          const change = await ctx.use(ConfigFile).write(list, BY)
          return { ok: true as const, change: toChange(change) }
        }),
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/config/defaults',
      summary: 'The values that hold where config.yaml sets nothing, as config.yaml would have them',
      response: z.object({ config: z.record(z.string(), z.unknown()) }),
      async handle() {
        const config: Record<string, unknown> = {}
        for (const { path, default: value } of await ctx.use(ConfigFile).keys()) place(config, path.split('.'), value)
        return { config }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/config/schema',
      summary: 'All keys that are set or that a plugin knows, for a form',
      response: z.object({ fields: z.array(fieldSchema) }),
      async handle() {
        const keys = await ctx.use(ConfigFile).keys()
        const fields = keys.map((key) => ({
          path: key.path,
          type: getType(key.value ?? key.default),
          value: key.value ?? null,
          default: key.default ?? null,
          description: key.description ?? '',
          category: key.path.split('.')[0] ?? '',
          secret: key.secret,
          fixed: key.fixed ?? null,
        }))
        return { fields }
      },
    }),
  ]
}

function textRoutes(ctx: Context): DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/config/raw',
      summary: 'The text of config.yaml, with the version that a change of it has to name',
      response: z.object({ yaml: z.string(), path: z.string(), version: z.string() }),
      async handle() {
        const yaml = await ctx.use(ConfigFile).text()
        return { yaml, path: ctx.use(Config).file, version: getVersion(yaml) }
      },
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/config/raw',
      summary: 'Replaces the text of config.yaml; 409 when another edit changed the same lines since `base` was read',
      maxBytes: MAX_TEXT,
      body: z.object({
        yaml_text: z.string(),
        base: z
          .string()
          .optional()
          .meta({ description: 'The text that the edit began with; left out: the present one.' }),
      }),
      response: writtenSchema.extend({ version: z.string() }),
      handle: ({ body: { yaml_text: text, base } }) =>
        withStatus(STATUSES, async () => {
          const file = ctx.use(ConfigFile)
          const change = await file.replace(text, base ?? (await file.text()), BY)
          return { ok: true as const, change: toChange(change), version: getVersion(await file.text()) }
        }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/config/check',
      summary: 'Problems and unused keys of config.yaml and .env, or of a text before it is written',
      maxBytes: MAX_TEXT,
      body: z.object({ yaml_text: z.string().optional() }),
      response: z.object({ problems: z.array(problemSchema) }),
      async handle({ body: { yaml_text: text } }) {
        const problems = await ctx.use(ConfigFile).check(text)
        return { problems: problems.map((each) => ({ ...each })) }
      },
    }),
  ]
}

function changeRoutes(ctx: Context): DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/config/changes',
      summary: 'Changes that were written, the newest first, each with its diff',
      query: z.object({ limit: z.coerce.number().int().min(1).max(500).default(50) }),
      response: z.object({ changes: z.array(changeSchema) }),
      async handle({ query: { limit } }) {
        const changes = (await ctx.use(ConfigFile).history()).slice(0, limit)
        return { changes: changes.flatMap((change) => toChange(change) ?? []) }
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/config/undo',
      summary: 'Takes back the newest change, or the one with this id; 409 when later edits touch it',
      body: z.object({ id: z.number().int().optional() }),
      response: writtenSchema,
      handle: ({ body: { id } }) =>
        withStatus(STATUSES, async () => ({ ok: true as const, change: toChange(await ctx.use(ConfigFile).undo(id)) })),
    }),
  ]
}

/** Blocks are made on the way; one that has keys of its own is not replaced by its default as a whole. */
function place(into: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (value === undefined) return
  const below = into[key]
  const isBlock = typeof below === 'object' && below !== null && !Array.isArray(below)
  if (rest.length === 0) {
    if (!isBlock) into[key] = value
    return
  }
  const block = isBlock ? { ...below } : {}
  into[key] = block
  place(block as Record<string, unknown>, rest, value)
}

function toChange(change: ConfigChange | undefined): z.infer<typeof changeSchema> | null {
  if (!change) return null
  const { id, at, author, reason, diff, undoneBy } = change
  return { id, at, author, reason, diff, undone_by: undoneBy ?? null }
}

function getVersion(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function getType(value: unknown): z.infer<typeof fieldSchema>['type'] {
  if (Array.isArray(value)) return 'list'
  if (value === undefined || value === null) return 'unknown'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' || type === 'object' ? type : 'unknown'
}
