/** Approvals that wait, and checkpoints of the files of a folder. */
import type { PluginContext } from 'svc/sdk'
import { Approvals } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
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
  const find = () => requireService(ctx.find(Checkpoints), Checkpoints.id)
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
          const found = await find().list(query.cwd, { limit: query.limit })
          return {
            checkpoints: found.map(({ number, id, at, reason, sessionId, changed }) => ({
              ...{ number, id, at, reason, ...changed },
              session_id: sessionId ?? null,
            })),
          }
        }),
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/checkpoints/:number/diff',
      summary: 'A unified diff from a checkpoint to how the files are now',
      query: z.object({ cwd }),
      response: z.object({ diff: z.string() }),
      handle: ({ params, query }) =>
        withStatus(STATUSES, async () => ({ diff: await find().diff(query.cwd, params['number'] ?? '') })),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/checkpoints/:number/restore',
      summary: 'Puts the files of a checkpoint back, or one of them',
      body: z.object({ cwd, file: z.string().optional() }),
      response: z.object({ ok: z.literal(true), result: z.unknown() }),
      handle: ({ params, body }) =>
        withStatus(STATUSES, async () => {
          const result = await find().restore(body.cwd, params['number'] ?? '', body.file)
          return { ok: true as const, result }
        }),
    }),
  ]
}
