/** The data of svc: the home with its profiles, and homes that restores replaced. Backups stay. */
import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import { SvcError } from 'svc/sdk'
import { getFolderNextTo } from 'svc/sdk/kit/files'

/** One of these is in every home that was used. */
const MARKS = ['config.yaml', '.env', 'data', 'logs']
/** A folder with one of these is a project, whatever else is in it: a home that was named by mistake. */
const PROJECT_MARKS = ['.git', '.hg', '.svn', 'package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod']

/** Folders with data. Throws `UNINSTALL_DATA` for a home that holds more than data of svc. */
export function listData(root: string): readonly string[] {
  if (!existsSync(root)) return []
  const real = realpathSync(root)
  const user = existsSync(homedir()) ? realpathSync(homedir()) : homedir()
  const isAboveUser = real === user || `${user}${sep}`.startsWith(real.endsWith(sep) ? real : `${real}${sep}`)
  const has = (names: readonly string[]) => names.some((name) => existsSync(join(real, name)))
  if (isAboveUser || !has(MARKS) || has(PROJECT_MARKS)) {
    const why = isAboveUser ? 'it holds the folder of the user' : 'it does not look like a home of svc'
    const message = `${root} is not removed: ${why}. Uninstall without --purge, and remove what you want of it.`
    throw new SvcError('UNINSTALL_DATA', message, { status: 409 })
  }
  const before = basename(getFolderNextTo(root, 'before-'))
  const replaced = readdirSync(dirname(root)).filter((name) => name.startsWith(before))
  return [root, ...replaced.map((name) => join(dirname(root), name))]
}

export function removeData(folders: readonly string[]): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
