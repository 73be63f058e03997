/** Chat platforms: how each is, its settings, a look at its connection, and a rehearsal against a stand-in. */
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { type ConfigEdit, ConfigFile, Plugins } from 'svc/sdk/host'
import { requireService } from 'svc/sdk/kit/net'
import { PlatformDryRuns } from 'svc/sdk/platform'
import { z } from 'zod'
import { type Context, findPlatform, findPlugin, listPlatforms, platformSchema } from './platforms.ts'

const changeSchema = z.object({
  enabled: z.boolean().optional(),
  env: z.record(z.string(), z.string().min(1).max(65_536)).default({}),
  clear_env: z.array(z.string()).max(100).default([]),
})
const stepSchema = z.object({
  name: z.string(),
  result: z.enum(['ok', 'warning', 'failed']),
  detail: z.string(),
  advice: z.string().nullable(),
})

export function platformRoutes(ctx: Context): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/messaging/platforms',
      summary: 'Chat platforms, the variables that each reads, and how a running gateway has them',
      response: z.object({ gateway_running: z.boolean(), platforms: z.array(platformSchema) }),
      async handle() {
        const { isRunning, platforms } = await listPlatforms(ctx)
        return { gateway_running: isRunning, platforms }
      },
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/messaging/platforms/:id',
      summary: 'Switches a platform on or off, and sets or removes the variables that it reads',
      body: changeSchema,
      response: z.object({ ok: z.literal(true), platform: platformSchema }),
      async handle({ params, body }) {
        const id = params['id'] ?? ''
        const edits = listEdits(ctx, id, body)
        await ctx.use(ConfigFile).write(edits, { author: 'dashboard', reason: `settings of the platform ${id}` })
        // The reply, and a gateway of this process, know of it at once.
        await ctx.use(Plugins).applyConfig()
        return { ok: true as const, platform: await findPlatform(ctx, id) }
      },
    }),
    ...trialRoutes(ctx),
  ]
}

/** Throws `DASHBOARD_PLATFORM` and `DASHBOARD_PLATFORM_VARIABLE` before anything is written. */
function listEdits(ctx: Context, id: string, change: z.infer<typeof changeSchema>): ConfigEdit[] {
  const known = findPlugin(ctx, id).manifest.env ?? []
  const set = Object.entries(change.env)
  for (const name of [...set.map(([key]) => key), ...change.clear_env])
    if (!known.some((each) => each.name === name))
      throw new SvcError('DASHBOARD_PLATFORM_VARIABLE', `The platform ${id} does not read ${name}.`, { status: 400 })
  return [
    ...(change.enabled === undefined ? [] : [{ path: `platforms.${id}.enabled`, value: change.enabled }]),
    ...set.map(([path, value]) => ({ path, value })),
    ...change.clear_env.map((path) => ({ path, value: undefined })),
  ]
}

function trialRoutes(ctx: Context): DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'POST',
      path: '/api/messaging/platforms/:id/test',
      summary: 'What the gateway says of the connection of a platform; nothing new is connected',
      response: z.object({ ok: z.boolean(), state: z.string(), message: z.string() }),
      async handle({ params }) {
        const platform = await findPlatform(ctx, params['id'] ?? '')
        const { state, name, error_message: reason } = platform
        return { ok: state === 'connected', state, message: reason ?? explain(state, name) }
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/messaging/platforms/:id/rehearse',
      summary: 'Runs the settings of a platform against a stand-in for its service; nothing leaves this machine',
      body: z.object({ chaos: z.array(z.string().max(64)).max(20).default([]) }),
      response: z.object({ ok: z.boolean(), steps: z.array(stepSchema) }),
      async handle({ params, body: { chaos }, signal }) {
        const { manifest } = findPlugin(ctx, params['id'] ?? '')
        const id = manifest.contributes?.['platforms']?.[0] ?? manifest.name
        const rehearsals = requireService(await ctx.use(Plugins).bring(PlatformDryRuns), 'rehearsals')
        const steps = await rehearsals.run(id, { chaos, signal })
        return {
          ok: steps.every(({ result }) => result !== 'failed'),
          steps: steps.map((step) => ({ ...step, advice: step.advice ?? null })),
        }
      },
    }),
  ]
}

function explain(state: string, name: string): string {
  const texts: Readonly<Record<string, string>> = {
    connected: `${name} is connected.`,
    connecting: `${name} is being connected.`,
    degraded: `${name} is connected, but was not heard of for a while.`,
    paused: `${name} is paused. Resume it: svc gateway resume ${name}`,
    disabled: `${name} is switched off.`,
    not_configured: `${name} is not set up. Set its variables first.`,
    gateway_stopped: 'The gateway does not run. Start it: svc gateway start',
  }
  return texts[state] ?? `${name}: ${state}.`
}
