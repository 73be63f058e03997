/** `POST /api/cron/fire`. */
import { Clock, type PluginContext, Secrets } from 'svc/sdk'
import { DashboardLogin, type DashboardRoute, dashboardReply, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { CronJobs } from 'svc/sdk/jobs'
import { requireService } from 'svc/sdk/kit/net'
import { jsonResponse } from 'svc/sdk/web'
import { z } from 'zod'
import { fire } from './fire.ts'
import { readFireToken } from './fire-token.ts'

const PATH = '/api/cron/fire'

export function fireRoute(ctx: PluginContext<undefined>): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: PATH,
    summary:
      'A scheduler elsewhere asks for the run of a job, with a token (JWT, HS256) as bearer: 202 `{status, job_id}`, 200 `{status: "gone"}`, 400 and 401 `{error}`',
    // The token is the credential, and opens nothing else.
    auth: 'public',
    maxBytes: 4096,
    body: z.looseObject({
      job_id: z.string().max(100).optional().meta({ description: 'As in the token, which decides.' }),
    }),
    response: z.object({ status: z.enum(['accepted', 'gone']), job_id: z.string().optional() }),
    async handle({ http, client, body }) {
      const login = ctx.find(DashboardLogin)
      const secret = ctx.use(Secrets).get('SVC_CRON_FIRE_SECRET')
      const token = await readFireToken(http.headers['authorization'], secret, ctx.use(Clock).now())
      const use = { name: 'cron-fire', address: client.address, route: `POST ${PATH}` }
      login?.record(typeof token === 'string' ? { ...use, refusal: token } : use)
      // As for all secrets of routes: what is not recorded opens nothing.
      if (!login || typeof token === 'string') return refuse(401, 'invalid fire token')
      if (body.job_id !== undefined && body.job_id !== token.jobId)
        return refuse(400, 'job_id is not the job of the token')
      const jobs = requireService(await ctx.use(Plugins).bring(CronJobs), CronJobs.id)
      const status = await fire(jobs, token)
      return status === 'gone' ? { status } : dashboardReply(jsonResponse({ status, job_id: token.jobId }, 202))
    },
  })
}

const refuse = (status: number, error: string) => dashboardReply(jsonResponse({ error }, status))
