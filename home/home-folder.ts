/** SVC_HOME, its profiles, and the folders in it. */
import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { errorMessage, SvcError } from '../sdk/errors.ts'
import type { Home } from '../sdk/home.ts'
import { completeSwitch } from '../sdk/kit/files/switch-folder.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The default home without SVC_HOME: local application data on Windows, a hidden folder elsewhere. */
export function defaultRoot(env: Environment, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'svc')
  return join(env['HOME'] || homedir(), '.svc')
}

/** The home of a run. Nothing is made on disk; a restore that was cut is completed. Throws `PROFILE_UNKNOWN`. */
export function locateHome(env: Environment, profile?: string): Home {
  const root = findRoot(env)
  const chosen = profile === 'default' ? undefined : profile
  if (chosen !== undefined && !/^[a-z0-9][a-z0-9._-]{0,63}$/.test(chosen))
    throw new SvcError('PROFILE_UNKNOWN', `"${chosen}" cannot be a profile: use lower-case letters, digits, - and _.`)
  const dir = chosen === undefined ? root : join(root, 'profiles', chosen)
  for (const each of new Set([root, dir])) completeSwitch(each)
  if (chosen !== undefined && !existsSync(dir))
    throw new SvcError(
      'PROFILE_UNKNOWN',
      `There is no profile "${chosen}". To create it: svc -p default profile create ${chosen}. To see those there are: svc -p default profile list`,
    )
  return Object.freeze({ dir, root, profile: chosen, path: (...parts: string[]) => join(dir, ...parts) })
}

/**
 * The profile of commands that name none, as `active_profile` of the root says; undefined for the default one. Throws `PROFILE_UNREADABLE`
 * for a file that cannot be read: work meant for another profile must not go to the default one.
 */
export function readActiveProfile(env: Environment): string | undefined {
  const file = join(findRoot(env), 'active_profile')
  try {
    const name = readFileSync(file, 'utf8').trim()
    return name === '' || name === 'default' ? undefined : name
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    const message = `${file} names the profile in use and cannot be read: ${errorMessage(cause)}. Name a profile with -p, such as -p default, or remove it.`
    throw new SvcError('PROFILE_UNREADABLE', message, { cause })
  }
}

/**
 * The profile that the svc which started this process has set in SVC_PROFILE, by a mark of its home in SVC_PROFILE_OF; undefined if this
 * process has another home. Without the mark a person has set it.
 */
export function readInheritedProfile(env: Environment): string | undefined {
  const [profile, root] = [env['SVC_PROFILE'], env['SVC_PROFILE_OF']]
  return profile && (!root || resolve(root) === findRoot(env)) ? profile : undefined
}

function findRoot(env: Environment): string {
  return resolve(env['SVC_HOME'] || defaultRoot(env))
}

/**
 * Makes the home if need be. Throws `HOME_UNUSABLE` with what to do. With `env` the folder of the user must exist, unless
 * SVC_HOME names another place: a home below `/nonexistent` is a mistake in the environment of the caller.
 */
export function prepareHome(home: Home, env?: Environment): void {
  if (env && !env['SVC_HOME'] && home.root === defaultRoot(env) && !existsSync(dirname(home.root)))
    throw new SvcError(
      'HOME_UNUSABLE',
      `HOME is ${dirname(home.root)}, which does not exist. Set SVC_HOME to a folder for svc, or HOME to yours.`,
    )
  try {
    makeFolder(home.dir)
    accessSync(home.dir, constants.R_OK | constants.W_OK | constants.X_OK)
    for (const dir of new Set([home.root, home.dir])) refuseOpen(dir)
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw new SvcError(
      'HOME_UNUSABLE',
      `${home.dir} cannot be used: ${errorMessage(cause)}. Make it writable or set SVC_HOME to another folder.`,
      { cause },
    )
  }
}

/** Write access to a home decides what svc is allowed to do and which code it runs. */
function refuseOpen(dir: string): void {
  if (process.platform === 'win32' || (statSync(dir).mode & 0o002) === 0) return
  const message = `${dir} can be written by everybody, who could change what svc does. Run: chmod o-w "${dir}", or set SVC_HOME to a folder in it.`
  throw new SvcError('HOME_UNUSABLE', message)
}

/** Folder by folder: where a parent can never be made (`/proc/x`), Node 20's own recursion does not end. */
function makeFolder(dir: string): void {
  if (existsSync(dir)) return
  const parent = dirname(dir)
  if (parent !== dir) makeFolder(parent)
  mkdirSync(dir, { mode: 0o700 })
}
