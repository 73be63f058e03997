/** The folder that a session works in, and paths in it. What is outside, and what holds secrets, is not reached. */
import { realpath } from 'node:fs/promises'
import { isAbsolute, posix, relative, sep } from 'node:path'
import { errorCode, type PluginContext, Sessions, SvcError } from 'svc/sdk'
import { GuardedFiles } from 'svc/sdk/safety'
import { z } from 'zod'

export type Context = PluginContext<undefined>

export const session = z.string().max(200).optional().meta({
  description: 'Whose folder is meant; left out: that in which the dashboard was started.',
})
export const path = z
  .string()
  .max(4096)
  .meta({ description: 'Relative to the folder, with slashes, or absolute and in it; empty: the folder.' })

/** A place in the folder of a session. */
export interface Place {
  /** Absolute and without links. */
  readonly root: string
  /** As it was asked for, in its plain form; empty for the folder itself. */
  readonly name: string
  /** Absolute; links followed. */
  readonly path: string
}

/** The folder, without links. Throws `SESSION_NOT_FOUND` and `DASHBOARD_FILE_ABSENT`. */
export async function findRoot(ctx: Context, id: string | undefined): Promise<string> {
  const folder = id === undefined || id === '' ? process.cwd() : ctx.use(Sessions).summary(id).cwd
  return await realpath(folder).catch((cause: unknown) => {
    throw new SvcError('DASHBOARD_FILE_ABSENT', `The folder ${folder} is gone.`, { status: 404, cause })
  })
}

/** A place that is there and may be read. Throws `DASHBOARD_FILE_PATH`, `DASHBOARD_FILE_ABSENT`, and what guards files. */
export async function findPlace(ctx: Context, id: string | undefined, typed: string): Promise<Place> {
  return await locate(ctx, id, typed, 'readable')
}

/** A place that may be written; it need not be there. Throws `DASHBOARD_FILE_PATH`, and what guards files. */
export async function findTarget(ctx: Context, id: string | undefined, typed: string): Promise<Place> {
  return await locate(ctx, id, typed, 'writable')
}

/** Of a file that was deleted only that is shown, so it need not exist. */
export async function findChanged(ctx: Context, id: string | undefined, typed: string) {
  try {
    return await findPlace(ctx, id, typed)
  } catch (error) {
    if (errorCode(error) !== 'DASHBOARD_FILE_ABSENT') throw error
    return await findTarget(ctx, id, typed)
  }
}

async function locate(
  ctx: Context,
  id: string | undefined,
  typed: string,
  right: 'readable' | 'writable',
): Promise<Place> {
  const root = await findRoot(ctx, id)
  const name = toPlain(typed, root)
  try {
    const found = await ctx.use(GuardedFiles)[right](name === '' ? '.' : name, root)
    if (isInside(root, found.path)) return { root, name, path: found.path }
  } catch (error) {
    throw withStatus(error)
  }
  throw outside(typed)
}

/** Throws `DASHBOARD_FILE_PATH` for every form of a path that is not one below the folder. */
function toPlain(given: string, root: string): string {
  const isBelow = isAbsolute(given) && isInside(root, given)
  const typed = isBelow ? relative(root, given).split(sep).join('/') : given
  const parts = typed.split('/')
  const isOdd = /[\0\\]/.test(typed) || typed.startsWith('~') || /^[A-Za-z]:/.test(typed)
  if (isAbsolute(typed) || isOdd || parts.includes('..')) throw outside(given)
  const plain = posix.normalize(typed)
  return plain === '.' ? '' : plain.replace(/\/+$/, '')
}

/** Whether an absolute path is a folder or below it. Links are not followed. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

export function outside(typed: string): SvcError {
  const message = `${JSON.stringify(typed)} is not a path in the folder of the session.`
  return new SvcError('DASHBOARD_FILE_PATH', message, { status: 403 })
}

/** What the guard refuses is the client's; a file that is not there is told apart from one that may not be touched. */
export function withStatus(error: unknown): unknown {
  if (!(error instanceof SvcError) || !errorCode(error).startsWith('FILE_')) return error
  if (error.code === 'FILE_NOT_FOUND')
    return new SvcError('DASHBOARD_FILE_ABSENT', error.message, { status: 404, cause: error })
  return new SvcError(error.code, error.message, { status: 403, cause: error })
}
