/** Uploads: announced with their size, sent in pieces, and given their name when they are whole. */
import { basename, dirname } from 'node:path'
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { entrySchema, readEntry } from './file-routes.ts'
import { PIECE_BYTES, type Uploads } from './uploads.ts'
import { type Context, findTarget, path, session } from './workspace.ts'

const bytes = z.number().int().min(0)

export function uploadRoutes(ctx: Context, uploads: Uploads): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'POST',
      path: '/api/files/uploads',
      summary: 'Announces an upload; one that is too large is refused before any of it is sent',
      body: z.object({ session, path: path.min(1), size: bytes, overwrite: z.boolean().default(false) }),
      response: z.object({ id: z.string(), piece_bytes: z.number() }),
      async handle({ body }) {
        const target = await findTarget(ctx, body.session, body.path)
        if (target.path === target.root)
          throw new SvcError('DASHBOARD_FILE_PATH', 'Name a file in the folder.', { status: 400 })
        return { id: await uploads.begin(target, body), piece_bytes: PIECE_BYTES }
      },
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/files/uploads/:id',
      summary: 'The next piece of an upload, as bytes, from the offset on',
      query: z.object({ offset: z.coerce.number().int().min(0) }),
      response: z.object({ received: z.number() }),
      maxBytes: PIECE_BYTES,
      handle: async ({ params, query, http }) => ({
        received: await uploads.write(params['id'] ?? '', query.offset, http.body),
      }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/files/uploads/:id/finish',
      summary: 'Stores an upload that is whole under its name',
      response: z.object({ ok: z.literal(true), entry: entrySchema.optional() }),
      async handle({ params }) {
        const { name, path: file } = await uploads.finish(params['id'] ?? '')
        const parent = name.split('/').slice(0, -1).join('/')
        const entry = await readEntry(dirname(file), parent, basename(file))
        return { ok: true as const, ...(entry && { entry }) }
      },
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/files/uploads/:id',
      summary: 'Gives an upload up; nothing of it is left',
      response: z.object({ ok: z.boolean() }),
      handle: async ({ params }) => ({ ok: await uploads.drop(params['id'] ?? '') }),
    }),
  ]
}
