/** Files as desktop apps ask for them: lists whose failures are data, texts with their kind, and files as `data:` URLs. */
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { findMediaType } from 'svc/sdk/kit/files'
import { z } from 'zod'
import { requireSize, toDataUrl } from './data-url.ts'
import { entrySchema, listFolder, readText } from './file-routes.ts'
import { readGit } from './git-program.ts'
import { findLanguage } from './languages.ts'
import { openFile } from './opened-file.ts'
import { type Context, findPlace, findRoot, path, session } from './workspace.ts'

const MIB = 2 ** 20
/** Bytes of a file whose beginning is shown as text. */
const MAX_TEXT_FILE = 64 * MIB
/** Bytes of a file that is sent as a `data:` URL. */
const MAX_DATA = 16 * MIB
const OTHER_TYPE = 'application/octet-stream'

const place = z.object({ session, path: path.default('') })
const file = z.object({ session, path: path.min(1) })

export function filesystemRoutes(ctx: Context): readonly DashboardRoute[] {
  return [listRoute(ctx), textRoute(ctx), dataRoute(ctx), ...folderRoutes(ctx)]
}

function listRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/fs/list',
    summary: 'What is in a folder; why it cannot be listed is data, and a path outside the workspace is refused',
    query: place,
    response: z.object({
      entries: z.array(entrySchema),
      truncated: z.boolean(),
      error: z.string().nullable().meta({ description: 'The code of the system: ENOENT, ENOTDIR, EACCES.' }),
    }),
    async handle({ query }) {
      try {
        const { entries, truncated } = await listFolder(ctx, query.session, query.path)
        return { entries, truncated, error: null }
      } catch (error) {
        const code = findSystemCode(error)
        if (code === undefined) throw error
        return { entries: [], truncated: false, error: code }
      }
    },
  })
}

/** Of an error about a folder that is not there or cannot be read; undefined for any other. */
function findSystemCode(error: unknown): string | undefined {
  if (!(error instanceof SvcError) || error.code !== 'DASHBOARD_FILE_ABSENT') return undefined
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  return code?.startsWith('E') ? code : 'ENOENT'
}

function textRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/fs/read-text',
    summary: 'The text of a file of at most 64 MiB, its first half MiB, with its language and media type',
    query: file,
    response: z.object({
      ...{ path: z.string(), byteSize: z.number(), mimeType: z.string(), language: z.string().nullable() },
      ...{ binary: z.boolean(), text: z.string(), truncated: z.boolean() },
    }),
    async handle({ query }) {
      await using opened = await openFile(ctx, query.session, query.path)
      const { name } = opened.place
      requireSize(name, opened.size, MAX_TEXT_FILE)
      const { text, truncated } = await readText(opened)
      const mimeType = findMediaType(name) ?? (text === null ? OTHER_TYPE : 'text/plain')
      return {
        ...{ path: name, byteSize: opened.size, mimeType, language: findLanguage(name) ?? null },
        ...{ binary: text === null, text: text ?? '', truncated: text !== null && truncated },
      }
    },
  })
}

function dataRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/fs/read-data-url',
    summary: 'A file of at most 16 MiB as a `data:` URL, with the media type of its name',
    query: file,
    response: z.object({ dataUrl: z.string() }),
    async handle({ query }) {
      await using opened = await openFile(ctx, query.session, query.path)
      const { name } = opened.place
      requireSize(name, opened.size, MAX_DATA)
      return { dataUrl: toDataUrl(findMediaType(name) ?? OTHER_TYPE, await opened.read(MAX_DATA)) }
    },
  })
}

function folderRoutes(ctx: Context): DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/fs/git-root',
      summary: 'The folder of the repository that a file or folder is in; null where there is no repository',
      query: place,
      response: z.object({ root: z.string().nullable() }),
      async handle({ query, signal }) {
        const { path: found } = await findPlace(ctx, query.session, query.path)
        const cwd = (await stat(found)).isDirectory() ? found : dirname(found)
        return { root: await askGit(ctx, { cwd, signal }, ['rev-parse', '--show-toplevel']) }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/fs/default-cwd',
      summary: 'The folder that a session works in, or a new one would, and the branch that is checked out there',
      query: z.object({ session }),
      response: z.object({ cwd: z.string(), branch: z.string().nullable() }),
      async handle({ query, signal }) {
        const cwd = await findRoot(ctx, query.session)
        return { cwd, branch: await askGit(ctx, { cwd, signal }, ['symbolic-ref', '--quiet', '--short', 'HEAD']) }
      },
    }),
  ]
}

/** One line that git answers without running a program; null for what it does not know, also outside of repositories. */
async function askGit(ctx: Context, at: Parameters<typeof readGit>[1], args: readonly string[]) {
  try {
    return (await readGit(ctx, at, args)).trim() || null
  } catch (error) {
    if (error instanceof SvcError && error.code === 'DASHBOARD_GIT') return null
    throw error
  }
}
