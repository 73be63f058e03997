/** What is in the folder of a session: lists, texts, downloads, new folders. */
import { lstat, mkdir, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import { type DashboardRoute, dashboardReply, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { type OpenedFile, openFile } from './opened-file.ts'
import { type Context, findPlace, findTarget, path, session } from './workspace.ts'

const MAX_ENTRIES = 2000
/** Bytes of a text that is shown. */
const MAX_TEXT = 512 * 1024

export const entrySchema = z.object({
  name: z.string(),
  path: z.string(),
  is_directory: z.boolean(),
  is_link: z.boolean(),
  size: z.number(),
  mtime: z.number(),
})
export type Entry = z.infer<typeof entrySchema>
const place = z.object({ session, path: path.default('') })

export function fileRoutes(ctx: Context): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/files',
      summary: 'What is in a folder of the workspace of a session',
      query: place,
      response: z.object({
        root: z.string(),
        path: z.string(),
        parent: z.string().nullable(),
        entries: z.array(entrySchema),
        truncated: z.boolean(),
      }),
      async handle({ query }) {
        const { root, name, ...listed } = await listFolder(ctx, query.session, query.path)
        const parent = name === '' ? null : name.split('/').slice(0, -1).join('/')
        return { root, path: name, parent, ...listed }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/files/read',
      summary: 'The text of a file, its first half MiB; null for a file that is no text',
      query: place,
      response: z.object({
        name: z.string(),
        path: z.string(),
        size: z.number(),
        mtime: z.number(),
        text: z.string().nullable(),
        truncated: z.boolean(),
      }),
      async handle({ query }) {
        await using file = await openFile(ctx, query.session, query.path)
        const { name } = file.place
        return { name: basename(name), path: name, size: file.size, mtime: file.modifiedAt, ...(await readText(file)) }
      },
    }),
    downloadRoute(ctx),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/files/mkdir',
      summary: 'Makes a folder, with those on its way',
      body: z.object({ session, path: path.min(1) }),
      response: z.object({ ok: z.literal(true), path: z.string() }),
      async handle({ body }) {
        const { name, path: folder } = await findTarget(ctx, body.session, body.path)
        await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
          throw new SvcError('DASHBOARD_FILE_TAKEN', `No folder can be made there: ${errorMessage(cause)}`, {
            status: 409,
            cause,
          })
        })
        return { ok: true as const, path: name }
      },
    }),
  ]
}

/** Throws `DASHBOARD_FILE_ABSENT`, whose cause is the error of the system for what is not a folder. */
export async function listFolder(ctx: Context, id: string | undefined, typed: string) {
  const { root, name, path: folder } = await findPlace(ctx, id, typed)
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new SvcError('DASHBOARD_FILE_ABSENT', `"${name}" is no folder.`, { status: 404, cause })
  })
  const shown = names.sort().slice(0, MAX_ENTRIES)
  const entries = await Promise.all(shown.map((each) => readEntry(folder, name, each)))
  return {
    ...{ root, name, truncated: names.length > MAX_ENTRIES },
    entries: entries.filter((entry) => entry !== undefined).sort(foldersFirst),
  }
}

/** The first half MiB of a file; null for one that is not text. */
export async function readText(file: OpenedFile): Promise<{ text: string | null; truncated: boolean }> {
  const truncated = file.size > MAX_TEXT
  return { text: decode(await file.read(MAX_TEXT), truncated), truncated }
}

function downloadRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/files/download',
    summary: 'A file as a download; it breaks off when the file changes meanwhile',
    isDownload: true,
    query: place,
    async handle({ query }) {
      const file = await openFile(ctx, query.session, query.path)
      const name = encodeURIComponent(basename(file.place.name))
      return dashboardReply({
        headers: {
          'content-type': 'application/octet-stream',
          'content-length': String(file.size),
          'content-disposition': `attachment; filename*=UTF-8''${name}`,
          'cache-control': 'no-store',
        },
        body: (async function* () {
          await using opened = file
          yield* opened.pieces()
        })(),
      })
    },
  })
}

/** Undefined for one that was removed meanwhile. */
export async function readEntry(folder: string, parent: string, name: string): Promise<Entry | undefined> {
  const facts = await lstat(join(folder, name)).catch(() => undefined)
  if (!facts) return undefined
  return {
    name,
    path: parent === '' ? name : `${parent}/${name}`,
    is_directory: facts.isDirectory(),
    is_link: facts.isSymbolicLink(),
    size: facts.size,
    mtime: facts.mtimeMs,
  }
}

function foldersFirst(one: Entry, two: Entry): number {
  return Number(two.is_directory) - Number(one.is_directory) || one.name.localeCompare(two.name)
}

/** Undefined bytes of a character at the cut are no sign of a file that is no text. */
function decode(bytes: Uint8Array, isCut: boolean): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return null
  }
}
