/** Which folder counts as the project of a session. */
import { dirname, join, sep } from 'node:path'
import { isWithin, type Machine, readStats, realPath } from './machine.ts'

/** Folders that hold the things of many: a project in one of them ends below it. */
const SHARED = [sep, '/tmp', '/var/tmp', '/private/tmp', '/private/var/tmp', '/mnt', '/media', '/srv', '/opt', '/var']
/** The home of some user, and the folders of all of them. */
const HOME_OF_SOMEBODY = /^\/(?:home|Users|var\/home|export\/home)(?:\/[^/]+)?$|^(?:\/private)?(?:\/var)?\/root$/
/** Of the machine itself: no project is in them. */
const OF_MACHINE = [
  ...['/usr', '/etc', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/boot', '/dev', '/proc', '/sys', '/run', '/nix'],
  ...['/gnu', '/var/lib', '/var/log', '/var/spool', '/var/cache', '/var/run', '/System', '/Library', '/Applications'],
  ...['/private/etc', '/private/var/db', '/private/var/root', '/cores', '/efi', '/lost+found'],
]

/** The top of the git work tree, if that is a folder of this user and no home; else the folder itself. */
export function findProject(cwd: string, machine: Machine): string {
  const folder = realPath(cwd)
  for (let at = folder; isOneProject(at, machine); at = dirname(at)) {
    if (readStats(join(at, '.git')) !== undefined && isOwn(at)) return at
  }
  return folder
}

/** Whether a folder is shared by all users, or is the home of a user. */
export function holdsMuch(folder: string): boolean {
  return SHARED.includes(folder) || HOME_OF_SOMEBODY.test(folder)
}

/** Whether a folder can be a project: it holds neither a home nor the things of others. */
export function isOneProject(folder: string, { home, temporary, svcHomes }: Machine): boolean {
  return (
    !holdsMuch(folder) &&
    !OF_MACHINE.some((each) => isWithin(folder, each)) &&
    folder !== realPath(temporary) &&
    ![home, ...svcHomes].some((each) => isWithin(each, folder))
  )
}

/** As git itself demands: others could have put a repository above this folder. */
function isOwn(folder: string): boolean {
  return readStats(folder)?.uid === process.getuid?.()
}
