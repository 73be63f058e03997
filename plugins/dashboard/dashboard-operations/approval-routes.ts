/** Approvals that wait, and checkpoints of the files of a folder. */
import type { PluginContext } from 'svc/sdk'
import { Approvals } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { requireService, withStatus } from 'svc/sdk/kit/net'
import { Checkpoints } from 'svc/sdk/sessions'
import { z } from 'zod'
import { STATUSES } from './statuses.ts'

const CHOICES = ['once', 'session', 'project', 'always', 'deny'] as const

const approvalSchema = z.object({
  id: z.string(),
  session_id: z.string(),
  turn_id: z.string(),
  tool: z.string(),
  action: z.string(),
  reason: z.string(),
  choices: z.array(z.enum(CHOICES)),
  covers: z.string().nullable(),
  expires_at: z.number(),
})
const checkpointSchema = z.object({
  number: z.number(),
  id: z.string(),
  at: z.number(),
  reason: z.string(),
  session_id: z.string().nullable(),
  files: z.number(),
  insertions: z.number(),
  deletions: z.number(),
})

const restoredSchema = z.object({
  restored: z.array(z.string()),
  removed: z.array(z.string()),
  left_alone: z.array(z.object({ path: z.string(), why: z.string() })),
  before: z.string().meta({ description: 'The checkpoint of how it was before: restoring it takes this back.' }),
})

export function approvalRoutes(ctx: PluginContext<undefined>): readonly DashboardRoute[] {
  const find = () => requireService(ctx.find(Approvals), Approvals.id)
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/approvals',
      summary: 'Approvals of this process that wait for a person',
      response: z.object({ approvals: z.array(approvalSchema) }),
      handle: () => ({
        approvals: find()
          .pending()
          .map((request) => ({
            id: request.id,
            session_id: request.sessionId,
            turn_id: request.turnId,
            tool: request.tool,
            action: request.action,
            reason: request.reason,
            choices: [...request.choices],
            covers: request.covers ?? null,
            expires_at: request.expiresAt,
          })),
      }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/approvals/:id',
      summary: 'Answers an approval; the model reads the reason of a denial',
      body: z.object({ choice: z.enum(CHOICES), reason: z.string().max(280).optional() }),
      response: z.object({ ok: z.literal(true) }),
      handle: ({ params, body: { choice, reason } }) =>
        withStatus(STATUSES, async () => {
          find().answer(params['id'] ?? '', choice, 'dashboard', reason)
          return { ok: true as const }
        }),
    }),
    ...checkpointRoutes(ctx),
  ]
}

function checkpointRoutes(ctx: PluginContext<undefined>): DashboardRoute[] {
  const find = async () => requireService(await ctx.use(Plugins).bring(Checkpoints), Checkpoints.id)
  const cwd = z.string().min(1).max(4096).meta({ description: 'The folder whose files they are of.' })
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/checkpoints',
      summary: 'Checkpoints of the files of a folder, the newest first',
      query: z.object({ cwd, limit: z.coerce.number().int().min(1).max(200).default(50) }),
      response: z.object({ checkpoints: z.array(checkpointSchema) }),
      handle: ({ query }) =>
        withStatus(STATUSES, async () => {
          const found = await (await find()).list(query.cwd, { limit: query.limit })
          return {
            checkpoints: found.map(({ number, id, at, reason, sessionId, changed }) => ({
              ...{ number, id, at, reason, ...changed },
              session_id: sessionId ?? null,
            })),
          }
        }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/checkpoints',
      summary: 'Takes a checkpoint of the files of a folder now; without an id `why` says why none was taken',
      body: z.object({ cwd, reason: z.string().min(1).max(200).default('by hand') }),
      response: z.object({ id: z.string().nullable(), why: z.string().nullable() }),
      handle: ({ body }) =>
        withStatus(STATUSES, async () => {
          const { id = null, why = null } = await (await find()).take(body.cwd, body.reason)
          return { id, why }
        }),
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/checkpoints/:number/diff',
      summary: 'A unified diff from a checkpoint to how the files are now',
      query: z.object({ cwd }),
      response: z.object({ diff: z.string() }),
      handle: ({ params, query }) =>
        withStatus(STATUSES, async () => ({ diff: await (await find()).diff(query.cwd, params['number'] ?? '') })),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/checkpoints/:number/restore',
      summary: 'Puts the files of a checkpoint back, or one of them; `number` may be its id, too',
      body: z.object({ cwd, file: z.string().optional() }),
      response: z.object({ ok: z.literal(true), result: restoredSchema }),
      handle: ({ params, body }) =>
        withStatus(STATUSES, async () => {
          const done = await (await find()).restore(body.cwd, params['number'] ?? '', body.file)
          const { restored, removed, leftAlone = [], before } = done
          return {
            ok: true as const,
            result: { restored: [...restored], removed: [...removed], left_alone: [...leftAlone], before },
          }
        }),
    }),
  ]
}
