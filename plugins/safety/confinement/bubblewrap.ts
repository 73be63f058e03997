/** Confinement on Linux, by bubblewrap (https://github.com/containers/bubblewrap). */
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, lstatSync, readlinkSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'
import { realPath } from './machine.ts'
import { isFolder, type View } from './view.ts'
import { SYSTEM_FOLDERS } from './visible.ts'

/** Where the sockets of svc are inside. */
export const SOCKETS_INSIDE = '/run/svc'
const SCRATCH_BYTES = 64 * 2 ** 20
const TRY_MS = 10_000
/** Its own namespaces of all kinds; no capabilities, not even for root; ends with svc. */
const ALONE = ['--unshare-user', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--hostname', 'confined']
const POWERLESS = ['--cap-drop', 'ALL', '--die-with-parent']
/** Bubblewrap before 0.8 cannot forbid further user namespaces. */
const NO_NESTING = '--disable-userns'
/**
 * Of `/proc`, what root could change the machine with, such as `sys/kernel/core_pattern`: its files look at the user and
 * not at capabilities. Bubblewrap covers only folders that may themselves be written to, which `sys` is not.
 */
const OF_PROC = ['sys', 'acpi', 'scsi', 'fs', 'sysrq-trigger', 'mtrr']
/** Where names of hosts are looked up when a system service does that. */
const RESOLVERS = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager']

/** What of bubblewrap works here. */
export interface Bubblewrap {
  /** The program. */
  readonly path: string
  readonly flags: readonly string[]
}

/** One confined program. */
export interface BubblewrapLaunch {
  readonly program: readonly string[]
  readonly view: View
  readonly terminal: 'own' | 'none'
  /** A folder with sockets of svc, shown as `SOCKETS_INSIDE`. */
  readonly sockets?: string
  readonly environment: Readonly<Record<string, string>>
}

/** Finds it and tries it, with all that is used later. Returns why it does not work, or what does. */
export async function findBubblewrap(path: string): Promise<Bubblewrap | string> {
  const program = findProgram('bwrap', path)
  if (program === undefined) return 'install the package bubblewrap'
  const failures: string[] = []
  for (const flags of [[NO_NESTING], []]) {
    const said = await attempt(program, flags)
    if (said === undefined) return { path: program, flags }
    failures.push(said)
  }
  const hint = 'user namespaces are often switched off by kernel.unprivileged_userns_clone or by AppArmor'
  return `bwrap is installed and cannot confine: ${failures.at(-1)}; ${hint}`
}

/** The arguments of the whole command. Mounts are made in order, so nested paths follow their parents. */
export function bubblewrapCommand(bubblewrap: Bubblewrap, launch: BubblewrapLaunch): string[] {
  const { view, terminal, program } = launch
  const has = (kind: string) => view.needs.some((need) => need.kind === kind)
  return [
    ...[bubblewrap.path, ...ALONE, ...POWERLESS, ...bubblewrap.flags],
    ...(has('network') ? [] : ['--unshare-net']),
    ...(has('processes') ? [] : ['--unshare-pid']),
    ...(terminal === 'own' ? [] : ['--new-session']),
    ...['--dev', '/dev', '--proc', '/proc', ...listProcPaths()],
    ...['--perms', '0755', '--tmpfs', '/run', '--symlink', '/run', '/var/run'],
    ...['--bind', view.temporary, '/tmp', '--symlink', '/tmp', '/var/tmp'],
    ...systemLinks(),
    ...mounts(view).flatMap(({ words }) => words),
    ...sockets(launch),
    ...['--remount-ro', '/', '--chdir', view.cwd, '--', ...program],
  ]
}

interface Mount {
  readonly path: string
  readonly words: readonly string[]
}

function mounts(view: View): Mount[] {
  const all: Mount[] = [
    { path: view.home, words: ['--bind', view.privateHome, view.home] },
    ...view.shown.map(readOnly),
    ...view.writable.map(writable),
    ...view.pinned.map(writable),
    ...view.guarded.kept.map(readOnly),
    ...view.guarded.absent.map(({ path }) => readOnly(path)),
    ...view.hidden.map(hide),
  ]
  // Of two for one path the later one counts; the home folder is applied before everything in it.
  const byPath = new Map(all.map((mount) => [mount.path, mount]))
  return [...byPath.values()].sort((one, two) => depth(one.path) - depth(two.path))
}

function depth(path: string): number {
  return path === sep ? 0 : path.split(sep).length
}

function readOnly(path: string): Mount {
  return { path, words: ['--ro-bind', path, path] }
}

function writable(path: string): Mount {
  return { path, words: ['--bind', path, path] }
}

function hide(path: string): Mount {
  const words = isFolder(path)
    ? ['--size', String(SCRATCH_BYTES), '--tmpfs', path, '--remount-ro', path]
    : ['--ro-bind', '/dev/null', path]
  return { path, words }
}

/** `/bin` and the like are links on most systems, and folders on some. */
function systemLinks(): string[] {
  return SYSTEM_FOLDERS.filter(existsSync).flatMap((path) =>
    lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
  )
}

function listProcPaths(): string[] {
  if (process.getuid?.() !== 0) return []
  const paths = OF_PROC.map((name) => `/proc/${name}`).filter(existsSync)
  return paths.flatMap((path) => (isFolder(path) ? ['--ro-bind', path, path] : ['--ro-bind', '/dev/null', path]))
}

function sockets({ view, sockets: own, environment }: BubblewrapLaunch): string[] {
  const words = own === undefined ? [] : ['--bind', own, SOCKETS_INSIDE]
  const show = (path: string | undefined, inside = path) =>
    path === undefined || inside === undefined || !existsSync(path) ? [] : ['--bind', realPath(path), inside]
  for (const need of view.needs) {
    if (need.kind === 'network') words.push(...RESOLVERS.flatMap((path) => ['--ro-bind-try', path, path]))
    if (need.kind === 'socket' && need.name === 'docker')
      words.push(...show('/var/run/docker.sock', '/run/docker.sock'))
    if (need.kind === 'socket' && need.name === 'ssh-agent') words.push(...show(environment['SSH_AUTH_SOCK']))
    if (need.kind === 'display') words.push(...show('/tmp/.X11-unix'), ...show(waylandSocket(environment)))
  }
  return words
}

function waylandSocket({ XDG_RUNTIME_DIR: folder, WAYLAND_DISPLAY: name }: Readonly<Record<string, string>>) {
  return folder === undefined || name === undefined ? undefined : join(folder, name)
}

/** Undefined when it works, else what it said. */
function attempt(program: string, flags: readonly string[]): Promise<string | undefined> {
  const namespaces = [...ALONE, ...POWERLESS, ...flags, '--unshare-net', '--unshare-pid', '--new-session']
  const places = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', ...listProcPaths(), '--tmpfs', '/run']
  return new Promise((resolve) => {
    const child = spawn(program, [...namespaces, ...places, '--', 'true'], {
      ...{
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: TRY_MS,
        cwd: '/',
        env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      },
    })
    let said = ''
    child.stderr?.on('data', (bytes: Buffer) => {
      said += bytes.toString()
    })
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => resolve(code === 0 ? undefined : said.trim() || `it ended with ${code}`))
  })
}

/** Resolves a name on a PATH. */
export function findProgram(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return file.startsWith(sep)
      } catch {
        // Not in this folder.
        return false
      }
    })
}
