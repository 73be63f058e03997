/** Files that the model is kept away from, and why. Paths must be real ones: absolute, without links. */
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { type Home, SvcError } from 'svc/sdk'
import { containsSvcHome, findSecretLocation, findSvcLocation, isEnvironmentFile } from 'svc/sdk/safety'
import { expandHome, showName } from './paths.ts'

const SYSTEM_FOLDERS = [
  ...['/etc', '/boot', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/usr', '/proc', '/sys', '/dev', '/run'],
  ...['/var/run', '/var/spool/cron', '/private/etc', '/private/var/run', '/System', '/Library'],
]
const OPEN_FOLDERS = ['/usr/local', '/dev/shm', '/run/user', '/run/shm']

/** Below the user's own folder: readable for all tools, not writable, except for files with secrets. */
const GUARDED_FOLDERS: readonly (readonly [folder: string, reason: string])[] = [
  ['.ssh', 'decides who may log in'],
  ['.docker', 'decides what containers are run, and as whom'],
  ['.config/systemd', 'would be run by the system on its own'],
  ['.config/autostart', 'would be run by the system on its own'],
  ['.config/fish', 'is run by every new shell'],
  ['Library/LaunchAgents', 'would be run by the system on its own'],
]
const SHELL_START =
  /^\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login)$/

/** A key in armour: the header, then lines of base64 and not a mere mention of it. */
const PRIVATE_KEY = /^-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----\r?\n(?:[\w-]+: [^\n]*\n)*\s*[A-Za-z0-9+/=]{40}/m

/** The folders by which protected files are known, without links. */
export interface ProtectedFolders {
  /** SVC_HOME, the active home, and where a home is unless SVC_HOME says otherwise. */
  readonly homes: readonly string[]
  /** Folders in a home that are open for reading, besides those that always are. */
  readonly readable: readonly string[]
  /** The user's own folder. */
  readonly user: string
  /** The only tree that may be written in, if there is such a limit. */
  readonly safe: string | undefined
}

/** Finds the real folders. `safe` is what SVC_WRITE_SAFE_ROOT holds, `readable` what plugins opened. */
export async function findPlaces(
  home: Pick<Home, 'root' | 'dir'>,
  safe: string | undefined,
  readable: readonly string[] = [],
): Promise<ProtectedFolders> {
  const homes = [...new Set([home.root, home.dir, join(homedir(), '.svc')])]
  const all = (paths: readonly string[]) => Promise.all(paths.map((path) => resolveRealPath(path)))
  const [realHomes, realReadable, user] = await Promise.all([all(homes), all(readable), resolveRealPath(homedir())])
  return {
    homes: realHomes,
    // A folder that is the home, or above it, would open everything.
    readable: realReadable.filter((path) => !containsSvcHome(path, realHomes)),
    user,
    safe: safe === undefined ? undefined : await resolveRealPath(expandHome(safe)),
  }
}

/** Where a folder that may not exist yet would be. */
async function resolveRealPath(path: string): Promise<string> {
  const whole = resolve(path)
  const real = await realpath(whole).catch(() => undefined)
  if (real !== undefined || dirname(whole) === whole) return real ?? whole
  return join(await resolveRealPath(dirname(whole)), basename(whole))
}

/** Throws `FILE_PROTECTED` when the file holds secrets. */
export function checkReadable(path: string, places: ProtectedFolders): void {
  const secret = secretReason(path, places)
  if (secret !== undefined) throw refusal(path, secret)
}

/** Whether the file may be read. */
export function isReadable(path: string, places: ProtectedFolders): boolean {
  return secretReason(path, places) === undefined
}

/** Whether its name may be shown in a list: not what is in a closed folder of svc. */
export function isListable(path: string, places: ProtectedFolders): boolean {
  return findSvcLocation(dirname(path), places.homes, 'read', places.readable) !== 'closed'
}

/** Whether what was read is a private key, whatever the file is called. */
export function holdsPrivateKey(beginning: string): boolean {
  return PRIVATE_KEY.test(beginning)
}

/** Throws `FILE_PROTECTED` when what was read is a private key. */
export function checkNoPrivateKey(path: string, beginning: string): void {
  if (holdsPrivateKey(beginning)) throw refusal(path, 'holds a private key')
}

/**
 * Throws `FILE_PROTECTED` when the file belongs to the system, to svc itself, or decides about the user's accounts, and
 * `FILE_NOT_SAFE` when it is outside of the tree that may be written in. A project's `.env` may be written.
 */
export function checkWritable(path: string, places: ProtectedFolders): void {
  if (places.safe !== undefined && !isInside(path, places.safe)) {
    const root = showName(places.safe)
    throw new SvcError('FILE_NOT_SAFE', `${showName(path)} is not in ${root}; SVC_WRITE_SAFE_ROOT forbids writing it.`)
  }
  const reason = ownReason(path, places) ?? userReason(path, places) ?? systemReason(path)
  if (reason !== undefined) throw refusal(path, reason)
}

/** Whether a path is the folder or in it. Both absolute. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** For a hard link to a secret file. */
export function refuseSecondName(path: string): SvcError {
  return refusal(path, 'is a second name of a file that holds secrets')
}

function refusal(path: string, reason: string): SvcError {
  return new SvcError('FILE_PROTECTED', `${showName(path)} ${reason}; ask the user to handle it.`)
}

function secretReason(path: string, { homes, readable, user }: ProtectedFolders): string | undefined {
  if (findSvcLocation(path, homes, 'read', readable) === 'closed') return 'belongs to svc, which keeps it to itself'
  return findSecretLocation(path, user)
}

/** Files of svc itself: a model must not change what it is allowed to do. */
function ownReason(path: string, { homes }: ProtectedFolders): string | undefined {
  return findSvcLocation(path, homes) === 'closed' ? 'belongs to svc, which alone changes it' : undefined
}

function userReason(path: string, { user }: ProtectedFolders): string | undefined {
  const own = isInside(path, user) ? relative(user, path) : undefined
  const isOfProject = isEnvironmentFile(path) && own !== basename(path)
  const secret = isOfProject ? undefined : findSecretLocation(path, user)
  if (secret !== undefined || own === undefined) return secret
  if (SHELL_START.test(own)) return 'is run by every new shell'
  return GUARDED_FOLDERS.find(([folder]) => isInside(path, join(user, folder)))?.[1]
}

function systemReason(path: string): string | undefined {
  const ofSystem = SYSTEM_FOLDERS.some((folder) => isInside(path, folder))
  return ofSystem && !OPEN_FOLDERS.some((folder) => isInside(path, folder)) ? 'belongs to the system' : undefined
}
