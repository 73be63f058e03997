/** The machine, the checks of the installation, platforms and profiles. */
import { statfs } from 'node:fs/promises'
import { arch, cpus, freemem, loadavg, release, totalmem, uptime } from 'node:os'
import { Home, type PluginContext } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Control, Health, Plugins } from 'svc/sdk/host'
import { WorkerProfiles } from 'svc/sdk/kanban'
import { requireService } from 'svc/sdk/kit/net'
import { getMachineName } from 'svc/sdk/kit/process'
import { Gateway, type GatewayStatus } from 'svc/sdk/platform'
import { z } from 'zod'

type Context = PluginContext<undefined>

const ASK_MS = 1500

export function systemRoutes(ctx: Context): readonly DashboardRoute[] {
  return [healthRoute(ctx), statsRoute(ctx), platformsRoute(ctx), profilesRoute(ctx)]
}

function healthRoute(ctx: Context): DashboardRoute {
  const finding = z.object({
    state: z.enum(['ok', 'warning', 'problem']),
    text: z.string(),
    fix: z.string().nullable(),
  })
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/health',
    summary: 'The checks of `svc doctor`, run now',
    response: z.object({
      checks: z.array(z.object({ check: z.string(), title: z.string(), findings: z.array(finding) })),
    }),
    async handle({ signal }) {
      const checks = await requireService(await ctx.use(Plugins).bring(Health), Health.id).run(signal)
      return {
        checks: checks.map(({ check, title, findings }) => ({
          ...{ check, title },
          findings: findings.map(({ state, text, fix }) => ({ state, text, fix: fix ?? null })),
        })),
      }
    },
  })
}

function statsRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/system/stats',
    summary: 'The machine and this process',
    response: z.object({
      os: z.string(),
      os_release: z.string(),
      arch: z.string(),
      hostname: z.string(),
      node_version: z.string(),
      svc_version: z.string(),
      cpu_count: z.number(),
      load_avg: z.array(z.number()),
      uptime_seconds: z.number(),
      memory: z.object({ total: z.number(), available: z.number() }),
      disk: z.object({ total: z.number(), free: z.number() }).nullable(),
      process: z.object({ pid: z.number(), rss: z.number(), uptime_seconds: z.number() }),
      home: z.string(),
      profile: z.string().nullable(),
    }),
    async handle() {
      const home = ctx.use(Home)
      const disk = await statfs(home.dir).catch(() => undefined)
      return {
        os: process.platform,
        os_release: release(),
        arch: arch(),
        hostname: getMachineName(),
        node_version: process.version,
        svc_version: ctx.use(Plugins).info(ctx.name)?.manifest.version ?? '',
        cpu_count: cpus().length,
        load_avg: loadavg(),
        uptime_seconds: Math.floor(uptime()),
        memory: { total: totalmem(), available: freemem() },
        disk: disk ? { total: disk.bsize * disk.blocks, free: disk.bsize * disk.bavail } : null,
        process: { pid: process.pid, rss: process.memoryUsage.rss(), uptime_seconds: Math.floor(process.uptime()) },
        home: home.dir,
        profile: home.profile ?? null,
      }
    },
  })
}

function platformsRoute(ctx: Context): DashboardRoute {
  const platform = z.object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    state: z.string(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    env_vars: z.array(z.object({ key: z.string(), description: z.string(), is_password: z.boolean() })),
  })
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/messaging/platforms',
    summary: 'Chat platforms, the variables that each reads, and how a running gateway has them',
    response: z.object({ gateway_running: z.boolean(), platforms: z.array(platform) }),
    async handle() {
      const status = await findGateway(ctx)
      const plugins = ctx.use(Plugins).list()
      return {
        gateway_running: status !== undefined,
        platforms: plugins
          .filter(({ manifest }) => manifest.kind === 'platform')
          .map(({ manifest }) => {
            const id = manifest.contributes?.['platforms']?.[0] ?? manifest.name
            const now = status?.platforms.find(({ name }) => name === id)
            return {
              id,
              name: now?.label ?? id,
              description: manifest.description,
              state: now?.state ?? (status ? 'not_configured' : 'gateway_stopped'),
              error_code: now?.code ?? null,
              error_message: now?.reason ?? null,
              env_vars: (manifest.env ?? []).map(({ name, description, secret }) => ({
                ...{ key: name, description },
                is_password: secret === true,
              })),
            }
          }),
      }
    },
  })
}

/** That of this process, or of another one of this home. */
async function findGateway(ctx: Context): Promise<GatewayStatus | undefined> {
  const own = ctx.find(Gateway)?.status()
  if (own && own.state !== 'stopped') return own
  const answers = await ctx.use(Control).ask('gateway.status', {}, { timeoutMs: ASK_MS })
  return answers.find(({ command, error }) => command === 'gateway' && !error)?.result as GatewayStatus | undefined
}

function profilesRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/profiles',
    summary: 'Profiles of this installation, and the one that this process serves',
    response: z.object({
      profiles: z.array(z.looseObject({ name: z.string() })),
      current: z.string(),
    }),
    async handle() {
      const profiles = await requireService(await ctx.use(Plugins).bring(WorkerProfiles), WorkerProfiles.id).list()
      return { profiles: profiles.map((each) => ({ ...each })), current: ctx.use(Home).profile ?? 'default' }
    },
  })
}
