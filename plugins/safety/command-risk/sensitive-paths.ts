/** Paths that matter: the system, the home folders, block devices, and files that decide who may do what. */
import { homedir } from 'node:os'
import { posix } from 'node:path'
import { findSecretLocation } from 'svc/sdk/safety'
import { UNKNOWN } from './expand.ts'

const MAX_PATH = 4096
/** Longer than every name that matters. */
const MAX_PART = 64
const OWN_HOME = ownHome()
/** All files in a folder, in the ways to write it. */
const ALL_INSIDE = /^(?:\*+|\.\*|\.\[[^\]]*\]\*?|\.\?+\*?|\?+\*|\[[^\]]*\]\*)$/
const SYSTEM = [
  ...['bin', 'boot', 'dev', 'etc', 'home', 'lib', 'lib32', 'lib64', 'opt', 'proc', 'root', 'run', 'sbin', 'srv'],
  ...['sys', 'usr', 'var', 'private', 'Users', 'System', 'Library', 'Applications', 'Volumes'],
]
const DEEPER = new Set([
  ...['/usr/bin', '/usr/lib', '/usr/lib64', '/usr/sbin', '/usr/share', '/usr/local', '/usr/local/bin', '/var/lib'],
  ...['/var/log', '/var/www', '/etc/ssh', '/etc/systemd', '/lib/modules', '/private/etc', '/private/var'],
])
const BLOCK_DEVICE =
  /^\/dev\/(?:sd[a-z?*[]|hd[a-z]|vd[a-z]|xvd|nvme|mmcblk|r?disk\d|md\d|dm-|mapper\/|loop\d|sr\d|disk\/|zd\d|nbd|ram\d|\*)/
const SHELL_START =
  /(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|login|inputrc|xinitrc|xprofile|config\/fish\/.*)$/
const SETTINGS =
  /(?:^|\/)\.(?:gitconfig|npmrc|pypirc|netrc|pgpass|git-credentials|vimrc|wgetrc|curlrc|aws\/.*|kube\/config|docker\/config\.json|config\/(?:systemd|autostart|gh)\/.*|gnupg\/.*)$|(?:^|\/)\.git\/(?:hooks\/.*|config)$|\/Library\/LaunchAgents\/|(?:^|\/)\.svc\/(?:config\.yaml|\.env)$/

/** A path as it would be opened: `..`, double slashes and the user's home resolved; home is `~`. */
export function resolvePath(path: string, cwd: string | undefined): string | undefined {
  if (path.includes(UNKNOWN) || path.length > MAX_PATH) return undefined
  const bare = path.replace(/^file:\/\//, '')
  if (bare.startsWith('~')) return tidy(bare)
  if (/^[A-Za-z]:[\\/]/.test(bare)) return bare.replaceAll('\\', '/')
  if (bare.startsWith('/')) return tidy(bare)
  return cwd === undefined ? undefined : tidy(`${cwd}/${bare}`)
}

function tidy(path: string): string {
  const plain = posix.normalize(path).replace(/(.)\/$/, '$1')
  // `/home/x/..` leaves home: only a path that stays inside is written with the sign.
  const outside = plain === '..' || plain.startsWith('../')
  return (outside || (path.startsWith('~') && plain === '.') ? parentOfHome(plain) : plain).replace(OWN_HOME, '~')
}

function parentOfHome(rest: string): string {
  return rest === '.' ? posix.dirname(homedir()) : posix.join(homedir(), rest)
}

function ownHome(): RegExp {
  const home = homedir()
  if (home.length < 2) return /(?!)/
  return new RegExp(`^${home.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?=/|$)`)
}

/** Root, a folder of the system, or a whole home folder. A trailing `*` means all that is in it. */
export function isVital(path: string | undefined): boolean {
  if (path === undefined) return false
  const parts = path.split('/')
  while (parts.length > 1 && ALL_INSIDE.test(parts.at(-1) as string)) parts.pop()
  const whole = parts.join('/') || '/'
  if (whole === '/' || /^~[\w-]*$/.test(whole) || DEEPER.has(whole) || /^[A-Za-z]:\/?(Windows|Users)?$/i.test(whole))
    return true
  const [, first = '', second, ...deeper] = whole.split('/')
  if (!whole.startsWith('/') || deeper.length) return false
  if (second !== undefined) return (first === 'home' || first === 'Users') && second !== 'Shared'
  return SYSTEM.some((name) => (/[*?[]/.test(first) ? couldBe(first, name) : first === name))
}

/** A disk or a partition. */
export function isBlockDevice(path: string | undefined): boolean {
  return path !== undefined && BLOCK_DEVICE.test(path)
}

/** Why a write to this file is asked about, or undefined. */
export function sensitive(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  if (/^\/(?:private\/)?etc\//.test(path)) return 'changes the settings of the system'
  if (/^\/(?:usr\/(?!local\/src|src)|bin\/|sbin\/|lib|boot\/|sys\/|proc\/(?!self\/fd))/.test(path))
    return 'changes files of the system'
  if (/(?:^|\/)\.ssh(?:\/|$)|(?:^|\/)authorized_keys2?$/.test(path)) return 'changes who may log in by ssh'
  if (/(?:^|\/)\.env(?:\.(?!example|sample|template|dist)[\w-]+)*$/.test(path))
    return 'changes a file that holds secrets'
  if (SHELL_START.test(path)) return 'changes what every new shell runs'
  if (SETTINGS.test(path)) return 'changes settings or credentials of other programs'
  if (/^\/var\/spool\/cron\//.test(path)) return 'changes what runs on a schedule'
  return undefined
}

/** A file that holds private keys or passwords, by its place in the text of a command. */
export function holdsSecrets(path: string): boolean {
  const plain = path.startsWith('~') ? `/home/user${path.slice(1)}` : posix.resolve('/x', path)
  return findSecretLocation(plain, '/home/user') !== undefined
}

/** Whether one path part, with `*`, `?` and `[...]` as the shell reads them, could be this name. */
export function couldBe(part: string, name: string): boolean {
  if (part.length > MAX_PART) return true
  const pattern = part.replace(/\[[^\]]*\]/g, '?').replace(/[.+^${}()|\\[\]]/g, '\\$&')
  return new RegExp(`^${pattern.replace(/\*+/g, '.*').replaceAll('?', '.')}$`).test(name)
}
