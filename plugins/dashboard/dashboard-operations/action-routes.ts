/** Actions as routes: those under way, how one goes, and what their beginning answers. */
import type { PluginContext } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { type Action, type ActionReport, type Actions, MAX_LINES } from './actions.ts'
import { findProfile, type OwnCommand, runOwnCommand } from './own-command.ts'

type Context = PluginContext<undefined>

/** What follows an action. */
export const begunSchema = z.object({
  ok: z.literal(true),
  pid: z.number().meta({ description: 'The process that does it.' }),
  name: z.string().meta({ description: 'As GET /api/actions/NAME/status takes it.' }),
  started_at: z.number(),
})
export const profileName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)
/** The profile that a request is for. */
export const profileQuery = z.object({
  profile: profileName.optional().meta({ description: 'Another profile than that of the dashboard.' }),
})
const stateSchema = z.object({
  name: z.string(),
  running: z.boolean(),
  exit_code: z.number().nullable(),
  pid: z.number(),
  started_at: z.number(),
  ended_at: z.number().nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
})
const actionSchema = z.object({ ...stateSchema.shape, lines: z.array(z.string()) })

/** Begins an action that another process does. Throws `DASHBOARD_ACTION`, `DASHBOARD_PROFILE`. */
export function beginCommand(
  ctx: Context,
  actions: Actions,
  { name, ...command }: OwnCommand & { readonly name: string },
): z.infer<typeof begunSchema> {
  const profile = findProfile(ctx, command.profile)
  const work = (report: ActionReport) => runOwnCommand(ctx, { ...command, profile }, report)
  const { pid, startedAt } = actions.begin(name, work)
  return { ok: true, pid, name, started_at: startedAt }
}

export function actionRoutes(actions: Actions): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/actions',
      summary: 'The last action of each name since the start',
      response: z.object({ actions: z.array(stateSchema) }),
      handle: () => ({ actions: actions.list().map(toState) }),
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/actions/:name/status',
      summary: 'How an action goes that outlasts its request, and the last lines that it wrote',
      query: z.object({ lines: z.coerce.number().int().min(0).max(MAX_LINES).default(200) }),
      response: actionSchema,
      handle({ params, query: { lines: most } }) {
        const action = actions.get(params['name'] ?? '')
        return { ...toState(action), lines: most === 0 ? [] : action.lines.slice(-most) }
      },
    }),
  ]
}

function toState({ name, pid, startedAt, endedAt, exitCode, error }: Action): z.infer<typeof stateSchema> {
  const isRunning = endedAt === undefined
  return {
    ...{ name, running: isRunning, pid, started_at: startedAt },
    exit_code: isRunning ? null : (exitCode ?? (error ? 1 : 0)),
    ended_at: endedAt ?? null,
    error: error ?? null,
  }
}
