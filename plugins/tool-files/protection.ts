/** Files that the model is kept away from, and why. Paths must be real ones: absolute, without links. */
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join, relative, resolve, sep } from 'node:path'
import { type Home, SvcError } from 'svc/sdk'
import { showName } from './paths.ts'

const SYSTEM_FOLDERS = [
  ...['/etc', '/boot', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/usr', '/proc', '/sys', '/dev', '/run'],
  ...['/var/run', '/var/spool/cron', '/private/etc', '/private/var/run', '/System', '/Library'],
]
const OPEN_FOLDERS = ['/usr/local', '/dev/shm', '/run/user', '/run/shm']

/** Below the user's own folder. */
const CREDENTIAL_FILES = new Set([
  ...['.netrc', '.pgpass', '.git-credentials', '.aws/credentials', '.config/gh/hosts.yml', '.docker/config.json'],
  ...['.kube/config', '.pypirc'],
])
const GUARDED_FOLDERS: readonly (readonly [folder: string, reason: string])[] = [
  ['.ssh', 'decides who may log in'],
  ['.gnupg', 'belongs to the keys of the user'],
  ['.aws', 'decides what is done in the cloud, and as whom'],
  ['.kube', 'decides what is done in clusters, and as whom'],
  ['.docker', 'decides what containers are run, and as whom'],
  ['.config/systemd', 'would be run by the system on its own'],
  ['.config/autostart', 'would be run by the system on its own'],
  ['.config/fish', 'is run by every new shell'],
  ['Library/LaunchAgents', 'would be run by the system on its own'],
]
const SHELL_START =
  /^\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login)$/

const PUBLIC_SSH_FILE = /\.pub$|^(known_hosts.*|config|authorized_keys)$/
/** `.env`, `.env.local`; not what is meant to be shared, such as `.env.example`. */
const ENVIRONMENT_FILE = /^\.env(\.(?!(example|sample|template|dist|defaults?|schema)$)[\w.-]+)?$/
/** Below a home of svc: what holds keys and tokens. */
const SVC_SECRETS = /^(\.env.*|auth\..*|mcp-tokens(\/.*)?|data\/[^/]*(auth|credential|secret|token)[^/]*(\/.*)?)$/
/** A key in armour: the header, then lines of base64 and not a mere mention of it. */
const PRIVATE_KEY = /^-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----\r?\n(?:[\w-]+: [^\n]*\n)*\s*[A-Za-z0-9+/=]{40}/m

/** The folders by which protected files are known, without links. */
export interface Places {
  /** SVC_HOME. */
  readonly svc: string
  /** The user's own folder. */
  readonly user: string
  /** The only tree that may be written in, if there is such a limit. */
  readonly safe: string | undefined
}

/** Finds the real folders. `safe` is what SVC_WRITE_SAFE_ROOT holds. */
export async function findPlaces(home: Home, safe: string | undefined): Promise<Places> {
  const real = (path: string) => realpath(path).catch(() => resolve(path))
  const [svc, user] = await Promise.all([real(home.root), real(homedir())])
  return { svc, user, safe: safe === undefined ? undefined : await real(safe.replace(/^~(?=\/|$)/, () => homedir())) }
}

/** Throws `FILE_PROTECTED` when the file holds secrets. */
export function checkReadable(path: string, places: Places): void {
  const secret = secretReason(path, places)
  if (secret !== undefined) throw refusal(path, secret)
}

/** Whether the file may be read. */
export function isReadable(path: string, places: Places): boolean {
  return secretReason(path, places) === undefined
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
export function checkWritable(path: string, places: Places): void {
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

function refusal(path: string, reason: string): SvcError {
  return new SvcError('FILE_PROTECTED', `${showName(path)} ${reason}; ask the user to handle it.`)
}

function secretReason(path: string, places: Places): string | undefined {
  const name = basename(path)
  if (SVC_SECRETS.test(insideHome(path, places) ?? '')) return 'holds the secrets of svc'
  if (ENVIRONMENT_FILE.test(name)) return 'is a file for secrets'
  if (isInside(path, join(places.user, '.ssh')) && !PUBLIC_SSH_FILE.test(name)) return 'may hold a private key'
  if (/^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/.test(name)) return 'is a private key'
  if (isInside(path, join(places.user, '.gnupg', 'private-keys-v1.d'))) return 'is a private key'
  if (CREDENTIAL_FILES.has(relative(places.user, path))) return 'holds passwords or keys'
  if (/^\/proc\/.*\/(environ|mem)$/.test(path)) return 'shows the memory of a process, which holds secrets'
  return undefined
}

/** Files of svc itself: a model must not change what it is allowed to do. */
function ownReason(path: string, places: Places): string | undefined {
  const own = insideHome(path, places)
  if (own === undefined) return undefined
  if (SVC_SECRETS.test(own)) return 'holds the secrets of svc'
  if (own === 'config.yaml') return 'is the configuration of svc'
  return own.startsWith('data/') ? 'is kept by svc itself' : undefined
}

function userReason(path: string, places: Places): string | undefined {
  if (/^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/.test(basename(path))) return 'is a private key'
  if (!isInside(path, places.user)) return undefined
  const own = relative(places.user, path)
  if (CREDENTIAL_FILES.has(own) || own === '.npmrc') return 'holds passwords or keys'
  if (ENVIRONMENT_FILE.test(own)) return 'holds secrets of the user'
  if (SHELL_START.test(own)) return 'is run by every new shell'
  return GUARDED_FOLDERS.find(([folder]) => isInside(path, join(places.user, folder)))?.[1]
}

function systemReason(path: string): string | undefined {
  const ofSystem = SYSTEM_FOLDERS.some((folder) => isInside(path, folder))
  return ofSystem && !OPEN_FOLDERS.some((folder) => isInside(path, folder)) ? 'belongs to the system' : undefined
}

/** The path below the home or below one of its profiles; undefined when it is elsewhere. */
function insideHome(path: string, places: Places): string | undefined {
  if (!isInside(path, places.svc)) return undefined
  return relative(places.svc, path).replace(/^profiles\/[^/]+\//, '')
}
