/** A sandbox of bubblewrap, created for each shell; only its working folder and a /tmp of the session persist. */
import { execFile } from 'node:child_process'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SvcError } from 'svc/sdk'
import { listSecretLocations } from 'svc/sdk/safety'
import type { ShellContext, ShellEnvironment } from 'svc/sdk/shell'

const TRY_MS = 10_000
/** Of `/proc`, what root could change the machine with: these files look at the user and not at capabilities. */
const OF_PROC = ['sys', 'acpi', 'scsi', 'fs', 'sysrq-trigger', 'mtrr']
/** Where names of machines are looked up when a system service does that. */
const RESOLVERS = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager']

/** Makes sure that sandboxes can be made. Throws `TERMINAL_BWRAP_MISSING` or `TERMINAL_BWRAP_FAILED`. */
export async function openSandbox(place: ShellContext, svcHome: string): Promise<ShellEnvironment> {
  const temporary = await mkdtemp(join(tmpdir(), 'svc-bwrap-'))
  const close = () => rm(temporary, { recursive: true, force: true })
  const setting = { place, svcHome, temporary }
  try {
    await attempt(setting)
  } catch (error) {
    await close()
    throw error
  }
  return {
    elsewhere: false,
    launch: async ({ command, cwd = place.cwd }) => ({
      command: ['bwrap', ...sandboxArguments(setting, cwd), '--', ...command],
      environment: place.environment,
      cwd,
    }),
    close,
  }
}

/** Whether it would open, and why not. */
export async function sandboxStatus(place: ShellContext, svcHome: string): Promise<{ ready: boolean; detail: string }> {
  try {
    const terminal = await openSandbox(place, svcHome)
    await terminal.close()
    return { ready: true, detail: 'sandboxes can be made' }
  } catch (error) {
    return { ready: false, detail: (error as Error).message }
  }
}

/** What a sandbox is made of. */
export interface SandboxOptions {
  readonly place: Pick<ShellContext, 'cwd' | 'environment' | 'settings'>
  /** Holds keys, and is hidden. */
  readonly svcHome: string
  /** The session's /tmp. */
  readonly temporary: string
}

/**
 * Arguments of bwrap(1), before the program. Later mounts lie over earlier ones: what may be written to, then what is
 * hidden, then what may be written to inside of that. /run is hidden too: its sockets, such as that of docker, lead out of
 * any sandbox.
 */
export function sandboxArguments({ place, svcHome, temporary }: SandboxOptions, cwd: string): string[] {
  const { bubblewrap_network: network, bubblewrap_writable: more } = place.settings
  const { folders, files } = listHidden(svcHome)
  const writable = [place.cwd, ...more]
  const uncovered = writable.filter((path) => folders.some((folder) => `${path}/`.startsWith(`${folder}/`)))
  const bind = (path: string) => ['--bind', path, path]
  return [
    ...['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL', ...(network ? ['--share-net'] : [])],
    ...[
      '--ro-bind',
      '/',
      '/',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      ...listProcPaths(),
      '--tmpfs',
      '/run',
      '--bind',
      temporary,
      '/tmp',
    ],
    ...(network ? RESOLVERS.flatMap((path) => ['--ro-bind-try', path, path]) : []),
    ...writable.flatMap(bind),
    ...folders.flatMap((path) => ['--tmpfs', path]),
    ...files.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...uncovered.flatMap(bind),
    ...['--chdir', cwd],
  ]
}

/** What there is of svc's home and of the locations of secrets; /dev, /proc and /run are the sandbox's own. */
function listHidden(svcHome: string): { readonly folders: readonly string[]; readonly files: readonly string[] } {
  const listed = listSecretLocations(homedir()).map(({ path }) => path)
  const outside = listed.filter((path) => !/^\/(dev|proc|run|var\/run)\//.test(path))
  const folders: string[] = []
  const files: string[] = []
  // A mount needs a real path: one over a link would lie where the link leads, which may be outside of any mount.
  for (const path of new Set([svcHome, ...outside].flatMap(resolveRealPath)))
    (statSync(path).isDirectory() ? folders : files).push(path)
  return { folders, files }
}

function resolveRealPath(path: string): readonly string[] {
  try {
    return [realpathSync(path)]
  } catch {
    // There is nothing to hide.
    return []
  }
}

function listProcPaths(): string[] {
  if (process.getuid?.() !== 0) return []
  const paths = OF_PROC.map((name) => `/proc/${name}`).filter(existsSync)
  return paths.flatMap((path) => ['--ro-bind', statSync(path).isDirectory() ? path : '/dev/null', path])
}

async function attempt(setting: SandboxOptions): Promise<void> {
  const { environment, cwd } = setting.place
  const options = { env: { ...environment }, cwd, timeout: TRY_MS }
  try {
    await promisify(execFile)('bwrap', [...sandboxArguments(setting, cwd), '--', 'true'], options)
  } catch (error) {
    const { code, stderr = '', message } = error as NodeJS.ErrnoException & { stderr?: string }
    if (code === 'ENOENT' && stderr === '') {
      throw new SvcError('TERMINAL_BWRAP_MISSING', 'bwrap is not on the PATH; install the package bubblewrap.')
    }
    const reason = stderr.trim() || message
    throw new SvcError('TERMINAL_BWRAP_FAILED', `bwrap could not make a sandbox: ${reason}`, { cause: error })
  }
}
