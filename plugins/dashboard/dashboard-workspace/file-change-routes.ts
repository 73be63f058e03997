/** Changes of single files: a text that was edited, and removal. Each can be taken back by a checkpoint. */
import { chmod, lstat, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { writeAtomically } from 'svc/sdk/kit/files'
import { z } from 'zod'
import { entrySchema, readEntry } from './file-routes.ts'
import { keepCopy } from './kept-copy.ts'
import { type Context, findTarget, type Place, path, session } from './workspace.ts'

/** Bytes of a text; a larger file is uploaded. */
const MAX_TEXT = 2 * 2 ** 20

export function fileChangeRoutes(ctx: Context): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'POST',
      path: '/api/fs/write-text',
      summary: 'Writes a text file; 409 when it was changed since it was read. A checkpoint is taken first',
      maxBytes: MAX_TEXT * 2,
      body: z.object({
        session,
        path: path.min(1),
        content: z.string().max(MAX_TEXT),
        mtime: z.number().nullable().meta({
          description: 'That of the file when it was read; null for one that does not exist yet.',
        }),
      }),
      response: z.object({ ok: z.literal(true), entry: entrySchema, checkpoint: z.string().nullable() }),
      async handle({ body }) {
        const place = await findTarget(ctx, body.session, body.path)
        const before = await requireUnchanged(place, body.mtime)
        const reason = `before ${place.name} was edited in the dashboard`
        const checkpoint = before ? await keepCopy(ctx, place.root, reason) : null
        await requireUnchanged(place, body.mtime)
        await writeAtomically(place.path, body.content)
        if (before) await chmod(place.path, before.mode & 0o777)
        const entry = await readEntry(dirname(place.path), getParent(place), basename(place.path))
        return { ok: true as const, entry: entry as z.infer<typeof entrySchema>, checkpoint }
      },
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/files',
      summary: 'Removes a file or a folder; a checkpoint is taken first, which brings it back',
      body: z.object({ session, path: path.min(1), recursive: z.boolean().default(false) }),
      response: z.object({ ok: z.literal(true), path: z.string(), checkpoint: z.string() }),
      async handle({ body }) {
        const place = await findTarget(ctx, body.session, body.path)
        if (place.path === place.root)
          throw new SvcError('DASHBOARD_FILE_PATH', 'The folder of the session itself is not removed.', { status: 400 })
        const facts = await lstat(place.path).catch((cause: unknown) => {
          throw new SvcError('DASHBOARD_FILE_ABSENT', `"${place.name}" does not exist.`, { status: 404, cause })
        })
        const checkpoint = await keepCopy(ctx, place.root, `before ${place.name} was removed in the dashboard`)
        if (!facts.isDirectory()) await unlink(place.path)
        else if (body.recursive) await rm(place.path, { recursive: true })
        else await removeEmpty(place)
        return { ok: true as const, path: place.name, checkpoint }
      },
    }),
  ]
}

async function removeEmpty(place: Place): Promise<void> {
  await rmdir(place.path).catch((cause: unknown) => {
    const message = `"${place.name}" is not empty. Set \`recursive\` to remove it with its content.`
    throw new SvcError('DASHBOARD_FILE_TAKEN', message, { status: 409, cause })
  })
}

/** The file as it is; undefined for a new one. Throws `DASHBOARD_FILE_TAKEN` if it is not as the client read it. */
async function requireUnchanged(place: Place, mtime: number | null) {
  const facts = await stat(place.path).catch(() => undefined)
  if (facts?.isFile() === false) throw taken(place)
  if ((facts?.mtimeMs ?? null) !== mtime) throw taken(place)
  return facts
}

function taken({ name }: Place): SvcError {
  const message = `"${name}" was changed since it was read, or is not a file. Read it again; nothing was overwritten.`
  return new SvcError('DASHBOARD_FILE_TAKEN', message, { status: 409 })
}

function getParent({ name }: Place): string {
  return name.split('/').slice(0, -1).join('/')
}
