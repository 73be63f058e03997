/** Files that the model is kept away from, and why. Paths must be real ones: absolute, without links. */
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join, sep } from 'node:path'
import { type Home, SvcError } from 'svc/sdk'
import { showName } from './paths.ts'

const SYSTEM_FOLDERS = [
  ...['/etc', '/boot', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/usr', '/proc', '/sys', '/dev', '/run'],
  ...['/var/run', '/var/spool/cron', '/private/etc', '/private/var/run', '/System', '/Library'],
]
const OPEN_FOLDERS = ['/usr/local', '/dev/shm', '/run/user', '/run/shm']
const START_UP_FOLDERS = ['.config/systemd', '.config/autostart', 'Library/LaunchAgents']
const CREDENTIAL_FILES = ['.netrc', '.pgpass', '.git-credentials', '.aws/credentials', '.config/gh/hosts.yml']
const PUBLIC_SSH_FILE = /\.pub$|^(known_hosts.*|config|authorized_keys)$/
/** A key in armour: the header, then lines of base64 and not a mere mention of it. */
const PRIVATE_KEY = /^-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----\r?\n(?:[\w-]+: [^\n]*\n)*\s*[A-Za-z0-9+/=]{40}/m

/** The folders by which protected files are known, without links. */
export interface Places {
  /** SVC_HOME. */
  readonly svc: string
  /** The user's own folder. */
  readonly user: string
}

/** Finds the real folders. */
export async function findPlaces(home: Home): Promise<Places> {
  const [svc, user] = await Promise.all([home.root, homedir()].map((path) => realpath(path).catch(() => path)))
  return { svc: svc ?? home.root, user: user ?? homedir() }
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

/** Throws `FILE_PROTECTED` when the file belongs to the system, to svc itself, or holds secrets. */
export function checkWritable(path: string, places: Places): void {
  const reason = secretReason(path, places) ?? systemReason(path, places)
  if (reason !== undefined) throw refusal(path, reason)
}

function refusal(path: string, reason: string): SvcError {
  return new SvcError('FILE_PROTECTED', `${showName(path)} ${reason}; ask the user to handle it.`)
}

function secretReason(path: string, places: Places): string | undefined {
  const name = basename(path)
  if (name === '.env' && isInside(path, places.svc)) return 'holds the secrets of svc'
  if (isInside(path, join(places.user, '.ssh')) && !PUBLIC_SSH_FILE.test(name)) return 'may hold a private key'
  if (/^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/.test(name)) return 'is a private key'
  if (isInside(path, join(places.user, '.gnupg', 'private-keys-v1.d'))) return 'is a private key'
  if (CREDENTIAL_FILES.some((file) => path === join(places.user, file))) return 'holds passwords or keys'
  if (/^\/proc\/.*\/(environ|mem)$/.test(path)) return 'shows the memory of a process, which holds secrets'
  return undefined
}

function systemReason(path: string, places: Places): string | undefined {
  const ofSystem = SYSTEM_FOLDERS.some((folder) => isInside(path, folder))
  if (ofSystem && !OPEN_FOLDERS.some((folder) => isInside(path, folder))) return 'belongs to the system'
  if (basename(path) === 'config.yaml' && isHomeFolder(path, places)) return 'is the configuration of svc'
  if (isInside(path, join(places.user, '.ssh'))) return 'decides who may log in'
  const starts = START_UP_FOLDERS.some((folder) => isInside(path, join(places.user, folder)))
  return starts ? 'would be run by the system on its own' : undefined
}

/** Whether the file lies at the top of the home or of one of its profiles. */
function isHomeFolder(path: string, places: Places): boolean {
  if (!isInside(path, places.svc)) return false
  const parts = path.slice(places.svc.length + 1).split(sep)
  return parts.length === 1 || (parts.length === 3 && parts[0] === 'profiles')
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
