/** Where a write really goes when the path leads through links. */
import { lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { SvcError } from 'svc/sdk'
import { fileError } from './file-error.ts'
import { showName } from './paths.ts'

const MOST_LINKS = 40

/** A path without links, and what to say of it when it is not the one that was asked for. */
export interface Target {
  readonly path: string
  readonly note: string | undefined
}

/** Follows the links in an absolute path; neither the file nor its folders need exist. */
export async function findTarget(path: string, cwd: string): Promise<Target> {
  try {
    const real = await realOf(path, MOST_LINKS)
    const realCwd = await realOf(cwd, MOST_LINKS)
    if (real === path || real === resolve(realCwd, relative(cwd, path))) return { path: real, note: undefined }
    const outside = relative(realCwd, real).startsWith('..') ? ', outside the working folder' : ''
    return { path: real, note: `${showName(path)} leads through a link: written was ${showName(real)}${outside}` }
  } catch (error) {
    throw fileError(error, path)
  }
}

async function realOf(path: string, linksLeft: number): Promise<string> {
  if (linksLeft === 0) {
    throw new SvcError('FILE_BAD_PATH', `${showName(path)} leads through links that go round in a circle.`)
  }
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (real !== undefined) return real
  const stats = await lstat(path).catch(() => undefined)
  if (stats?.isSymbolicLink()) return realOf(resolve(dirname(path), await readlink(path)), linksLeft - 1)
  return dirname(path) === path ? path : join(await realOf(dirname(path), linksLeft), basename(path))
}
