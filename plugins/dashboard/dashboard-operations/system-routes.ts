/** The machine and the checks of the installation. */
import { statfs } from 'node:fs/promises'
import { arch, cpus, freemem, loadavg, release, totalmem, uptime } from 'node:os'
import { Home, type PluginContext } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Health, Plugins } from 'svc/sdk/host'
import { requireService } from 'svc/sdk/kit/net'
import { getMachineName } from 'svc/sdk/kit/process'
import { z } from 'zod'

type Context = PluginContext<undefined>

export function systemRoutes(ctx: Context): readonly DashboardRoute[] {
  return [healthRoute(ctx), statsRoute(ctx)]
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
