/** Pictures: those of the workspace and of opened folders of the home, and those that a client sends for a message. */
import { realpath } from 'node:fs/promises'
import { basename, isAbsolute, resolve } from 'node:path'
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { MediaFiles } from 'svc/sdk/media'
import { GuardedFiles, ReadableFolders } from 'svc/sdk/safety'
import { z } from 'zod'
import { getRequestSize, parseDataUrl, requireSize, toDataUrl } from './data-url.ts'
import { openFile } from './opened-file.ts'
import { type Context, isInside, outside, path, session, withStatus } from './workspace.ts'

const MAX_PICTURE = 25 * 2 ** 20

const file = z.object({ session, path: path.min(1) })

/** `folder`: where pictures that clients send are stored. */
export function pictureRoutes(ctx: Context, folder: string): readonly DashboardRoute[] {
  return [mediaRoute(ctx), uploadRoute(ctx, folder)]
}

function mediaRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/media',
    summary: 'A picture of the workspace, or of a folder in the home that tools may read, as a `data:` URL',
    query: file,
    response: z.object({ data_url: z.string() }),
    async handle({ query, signal }) {
      const bytes = await readPicture(ctx, query, signal)
      const { picture } = await examine(ctx, { bytes, name: query.path, signal })
      return { data_url: toDataUrl(picture.mediaType, bytes) }
    },
  })
}

async function readPicture(ctx: Context, asked: z.infer<typeof file>, signal: AbortSignal): Promise<Uint8Array> {
  const folder = await findOpened(ctx, asked.path)
  if (folder === undefined) {
    await using opened = await openFile(ctx, asked.session, asked.path)
    requireSize(asked.path, opened.size, MAX_PICTURE)
    return await opened.read(MAX_PICTURE)
  }
  const read = await ctx
    .use(GuardedFiles)
    .read(asked.path, folder, { maxBytes: MAX_PICTURE, signal })
    .catch((error: unknown) => {
      throw withStatus(error)
    })
  if (!isInside(folder, read.path)) throw outside(asked.path)
  requireSize(asked.path, read.size, MAX_PICTURE)
  return read.bytes
}

/** The folder of the home that a path is in and that a plugin opened for reading, without links; undefined for other paths. */
async function findOpened(ctx: Context, typed: string): Promise<string | undefined> {
  if (!isAbsolute(typed)) return undefined
  const path = resolve(typed)
  for (const { path: folder } of ctx.all(ReadableFolders).all()) {
    const real = await realpath(folder).catch(() => undefined)
    if (real !== undefined && (isInside(folder, path) || isInside(real, path))) return real
  }
  return undefined
}

function uploadRoute(ctx: Context, folder: string): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/chat/image-upload',
    summary: 'Stores a picture for a message, which names its path; the newest 200 are stored',
    maxBytes: getRequestSize(MAX_PICTURE),
    body: z.object({ data_url: z.string().min(1), filename: z.string().max(255).default('picture') }),
    response: z.object({
      ok: z.literal(true),
      ...{ path: z.string(), name: z.string(), bytes: z.number(), mime_type: z.string() },
    }),
    async handle({ body, signal }) {
      const bytes = parseDataUrl(body.data_url)
      const name = basename(body.filename)
      requireSize(name, bytes.byteLength, MAX_PICTURE)
      const { media, picture } = await examine(ctx, { bytes, name, signal })
      const stored = await media.keep(folder, picture)
      return { ok: true as const, path: stored, name, bytes: bytes.byteLength, mime_type: picture.mediaType }
    },
  })
}

interface Examined {
  readonly bytes: Uint8Array
  /** For the message when it is not a picture. */
  readonly name: string
  readonly signal: AbortSignal
}

/** By its bytes, whatever it is called. Throws `DASHBOARD_MEDIA`. */
async function examine(ctx: Context, { bytes, name, signal }: Examined) {
  const media = await ctx.use(Plugins).bring(MediaFiles)
  if (!media) throw new SvcError('DASHBOARD_MEDIA', 'The plugin media does not run.', { status: 503 })
  try {
    return { media, picture: await media.picture({ source: bytes, cwd: '/', signal, maxBytes: MAX_PICTURE }) }
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause
    throw new SvcError('DASHBOARD_MEDIA', `${JSON.stringify(name)}: ${cause.message}`, { status: 415, cause })
  }
}
