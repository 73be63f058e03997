/** Where a path really leads when there are links in it. */
import { lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { SvcError } from 'svc/sdk'
import type { ResolvedPath } from 'svc/sdk/safety'
import { fileError } from './file-error.ts'
import { showName } from './paths.ts'
import { isInside } from './protection.ts'

const MAX_LINKS = 40

/** Follows the links in an absolute path; neither the file nor its folders need exist. */
export async function findTarget(path: string, cwd: string): Promise<ResolvedPath> {
  try {
    const real = await resolveRealPath(path, MAX_LINKS)
    const realCwd = await resolveRealPath(cwd, MAX_LINKS)
    const outside = !isInside(real, realCwd)
    if (real === path || real === resolve(realCwd, relative(cwd, path))) return { path: real, outside, note: undefined }
    const where = outside ? ', outside the working folder' : ''
    return { path: real, outside, note: `${showName(path)} leads through a link to ${showName(real)}${where}` }
  } catch (error) {
    throw fileError(error, path)
  }
}

async function resolveRealPath(path: string, linksLeft: number): Promise<string> {
  if (linksLeft === 0) {
    throw new SvcError('FILE_BAD_PATH', `${showName(path)} leads through links that go round in a circle.`)
  }
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (real !== undefined) return real
  const stats = await lstat(path).catch(() => undefined)
  if (stats?.isSymbolicLink()) return resolveRealPath(resolve(dirname(path), await readlink(path)), linksLeft - 1)
  return dirname(path) === path ? path : join(await resolveRealPath(dirname(path), linksLeft), basename(path))
}
