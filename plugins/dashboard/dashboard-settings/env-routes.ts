/** Variables that plugins read, with their secrets: set, replaced, removed, and shown one by one. */
import { Clock, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { ConfigFile, Plugins } from 'svc/sdk/host'
import { withStatus } from 'svc/sdk/kit/net'
import { z } from 'zod'
import { STATUSES } from './statuses.ts'

type Context = PluginContext<undefined>

const BY = { author: 'dashboard', reason: 'set in the dashboard' }
const REVEAL_WINDOW_MS = 30_000
const MAX_REVEALS = 5
const key = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)

const variableSchema = z.object({
  key: z.string(),
  is_set: z.boolean(),
  source: z.string().nullable(),
  redacted_value: z.string().nullable(),
  description: z.string(),
  is_password: z.boolean(),
  plugins: z.array(z.string()),
  kind: z.string(),
})

export function envRoutes(ctx: Context): readonly DashboardRoute[] {
  const shown: number[] = []
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/env',
      summary: 'Variables that plugins read, and whether each is set; values are masked',
      response: z.object({ variables: z.array(variableSchema) }),
      handle: () => ({ variables: listVariables(ctx) }),
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/env',
      summary: 'Sets a variable in .env',
      body: z.object({ key, value: z.string().min(1).max(65_536) }),
      response: z.object({ ok: z.literal(true), key: z.string() }),
      handle: ({ body }) =>
        withStatus(STATUSES, async () => {
          checkKnown(ctx, body.key)
          await ctx.use(ConfigFile).write([{ path: body.key, value: body.value }], BY)
          // Who asks again right after this is told of the new value.
          await ctx.use(Plugins).applyConfig()
          return { ok: true as const, key: body.key }
        }),
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/env',
      summary: 'Removes a variable from .env',
      body: z.object({ key }),
      response: z.object({ ok: z.literal(true), key: z.string() }),
      handle: ({ body }) =>
        withStatus(STATUSES, async () => {
          if (ctx.use(Secrets).source(body.key) !== '.env') throw unknown(body.key)
          await ctx.use(ConfigFile).write([{ path: body.key, value: undefined }], BY)
          await ctx.use(Plugins).applyConfig()
          return { ok: true as const, key: body.key }
        }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/env/reveal',
      summary: 'The value of a variable; five within half a minute at most',
      body: z.object({ key }),
      response: z.object({ key: z.string(), value: z.string() }),
      handle({ body }) {
        checkKnown(ctx, body.key)
        const now = ctx.use(Clock).monotonic()
        while (shown[0] !== undefined && now - shown[0] >= REVEAL_WINDOW_MS) shown.shift()
        if (shown.length >= MAX_REVEALS)
          throw new SvcError('DASHBOARD_REVEALS', 'Too many secrets were shown. Wait half a minute.', { status: 429 })
        shown.push(now)
        const value = ctx.use(Secrets).get(body.key)
        if (value === undefined) throw unknown(body.key)
        return { key: body.key, value }
      },
    }),
  ]
}

/** Of several plugins that read a variable the first describes it. */
function listVariables(ctx: Context): z.infer<typeof variableSchema>[] {
  const secrets = ctx.use(Secrets)
  const found = new Map<string, z.infer<typeof variableSchema>>()
  for (const { manifest } of ctx.use(Plugins).list())
    for (const { name, description, secret } of manifest.env ?? []) {
      const known = found.get(name)
      if (known) {
        known.plugins.push(manifest.name)
        continue
      }
      const value = secrets.get(name)
      found.set(name, {
        key: name,
        is_set: value !== undefined,
        source: secrets.source(name) ?? null,
        redacted_value: value === undefined ? null : secret ? redact(value) : value,
        description,
        is_password: secret === true,
        plugins: [manifest.name],
        kind: manifest.kind,
      })
    }
  return [...found.values()].sort((one, two) => (one.key < two.key ? -1 : 1))
}

/** Enough to tell one key from another, where the rest of it cannot be guessed. */
function redact(value: string): string {
  return value.length >= 20 ? `${value.slice(0, 4)}…${value.slice(-4)}` : '…'
}

function checkKnown(ctx: Context, name: string): void {
  const isKnown = ctx
    .use(Plugins)
    .list()
    .some(({ manifest }) => manifest.env?.some((each) => each.name === name))
  if (!isKnown && ctx.use(Secrets).source(name) !== '.env') throw unknown(name)
}

function unknown(name: string): SvcError {
  return new SvcError('DASHBOARD_VARIABLE', `No plugin reads ${name}, or it is not set in .env.`, { status: 404 })
}
