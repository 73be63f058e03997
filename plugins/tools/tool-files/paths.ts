/** Paths as a model writes them, and names as they are shown. */
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { SvcError } from 'svc/sdk'
import { escapeUnseen } from 'svc/sdk/kit/terminal'

/** `~` and `~/...` as the user's own folder. */
export function expandHome(path: string): string {
  return path.replace(/^~(?=\/|$)/, () => homedir())
}

/** The absolute path; relative ones start at `cwd`. Throws `FILE_BAD_PATH`. */
export function absolutePath(path: string, cwd: string): string {
  checkPath(path)
  return resolve(cwd, expandHome(path))
}

/** Throws `FILE_BAD_PATH` for what no file can be called. */
export function checkPath(path: string): void {
  if (path.trim() === '') throw new SvcError('FILE_BAD_PATH', 'The path is empty; name a file or folder.')
  if (path.includes('\0'))
    throw new SvcError('FILE_BAD_PATH', 'The path holds a NUL character, which no file can have.')
}

/** Control, format and separator characters, and what JSON quoting needs: a name with one cannot be shown as it is. */
const MISLEADING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]|^"|^\s|\s$/u

/** The longest path of Linux. */
const LONGEST_NAME = 4096
const SHOWN_OF_LONGER = 200

/**
 * The name, or a JSON string where the plain name would mislead: line breaks, escape sequences, reversed text. Of one
 * that no file can have, only the beginning.
 */
export function showName(name: string): string {
  if (name.length > LONGEST_NAME) return `${showName(name.slice(0, SHOWN_OF_LONGER))}... (${name.length} characters)`
  if (!MISLEADING.test(name)) return name
  return escapeUnseen(JSON.stringify(name))
}
