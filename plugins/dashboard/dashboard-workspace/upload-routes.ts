/** Uploads: announced with their size, sent in pieces, and given their name when they are whole. */
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { getRequestSize, parseDataUrl } from './data-url.ts'
import { entrySchema, readEntry } from './file-routes.ts'
import { keepCopy } from './kept-copy.ts'
import { MAX_UPLOAD, PIECE_BYTES, type Uploads } from './uploads.ts'
import { type Context, findTarget, type Place, path, session } from './workspace.ts'

const bytes = z.number().int().min(0)

export function uploadRoutes(ctx: Context, uploads: Uploads): readonly DashboardRoute[] {
  return [
    jsonRoute(ctx, uploads),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/files/uploads',
      summary: 'Announces an upload; one that is too large is refused before any of it is sent',
      body: z.object({ session, path: path.min(1), size: bytes, overwrite: z.boolean().default(false) }),
      response: z.object({ id: z.string(), piece_bytes: z.number() }),
      async handle({ body }) {
        const target = await findFile(ctx, body.session, body.path)
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
        const entry = await readStored(await uploads.finish(params['id'] ?? ''))
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

function jsonRoute(ctx: Context, uploads: Uploads): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/files/upload',
    summary: 'Stores a file that is sent whole, as a `data:` URL; a checkpoint is taken before one is replaced',
    maxBytes: getRequestSize(MAX_UPLOAD),
    body: z.object({ session, path: path.min(1), data_url: z.string().min(1), overwrite: z.boolean().default(true) }),
    response: z.object({
      ...{ ok: z.literal(true), path: z.string(), entry: entrySchema.optional() },
      checkpoint: z.string().nullable().meta({ description: 'It has the file that was replaced; null for a new one.' }),
    }),
    async handle({ body }) {
      const target = await findFile(ctx, body.session, body.path)
      const content = parseDataUrl(body.data_url)
      const id = await uploads.begin(target, { size: content.byteLength, overwrite: body.overwrite })
      try {
        await uploads.write(id, 0, content)
        const isNew = (await stat(target.path).catch(() => undefined)) === undefined
        const reason = `before ${target.name} was replaced in the dashboard`
        const checkpoint = isNew ? null : await keepCopy(ctx, target.root, reason)
        const entry = await readStored(await uploads.finish(id))
        return { ok: true as const, path: target.name, ...(entry && { entry }), checkpoint }
      } finally {
        await uploads.drop(id)
      }
    },
  })
}

/** Throws `DASHBOARD_FILE_PATH` for the folder itself. */
async function findFile(ctx: Context, id: string | undefined, typed: string): Promise<Place> {
  const target = await findTarget(ctx, id, typed)
  if (target.path !== target.root) return target
  throw new SvcError('DASHBOARD_FILE_PATH', 'Name a file in the folder.', { status: 400 })
}

async function readStored({ name, path: file }: Place) {
  const parent = name.split('/').slice(0, -1).join('/')
  return readEntry(dirname(file), parent, basename(file))
}
