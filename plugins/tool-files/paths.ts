/** Paths as a model writes them. */
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { SvcError } from 'svc/sdk'

/** `~` and `~/...` as the user's own folder. */
export function expandHome(path: string): string {
  return path.replace(/^~(?=\/|$)/, () => homedir())
}

/** The absolute path; relative ones start at `cwd`. Throws `FILE_BAD_PATH`. */
export function absolutePath(path: string, cwd: string): string {
  if (path.trim() === '') throw new SvcError('FILE_BAD_PATH', 'The path is empty; name a file or folder.')
  if (path.includes('\0'))
    throw new SvcError('FILE_BAD_PATH', 'The path holds a NUL character, which no file can have.')
  return resolve(cwd, expandHome(path))
}
