/** A sandbox of bubblewrap, made anew for each shell; what lasts is the folder it works in and a /tmp of the session. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SvcError, type Terminal, type TerminalPlace } from 'svc/sdk'

const TRY_MS = 10_000
/** Folders and files of the user's home that hold keys. */
const KEY_FOLDERS = ['.ssh', '.gnupg', '.aws', '.kube', '.docker']
const KEY_FILES = ['.netrc', '.npmrc', '.pypirc', '.git-credentials']
/** Where names of machines are looked up when a system service does that. */
const RESOLVERS = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager']

/** Makes sure that sandboxes can be made. Throws `TERMINAL_BWRAP_MISSING` or `TERMINAL_BWRAP_FAILED`. */
export async function openSandbox(place: TerminalPlace, svcHome: string): Promise<Terminal> {
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
export async function sandboxStatus(
  place: TerminalPlace,
  svcHome: string,
): Promise<{ ready: boolean; detail: string }> {
  try {
    const terminal = await openSandbox(place, svcHome)
    await terminal.close()
    return { ready: true, detail: 'sandboxes can be made' }
  } catch (error) {
    return { ready: false, detail: (error as Error).message }
  }
}

/** What a sandbox is made of. */
export interface SandboxSetting {
  readonly place: Pick<TerminalPlace, 'cwd' | 'environment' | 'settings'>
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
export function sandboxArguments({ place, svcHome, temporary }: SandboxSetting, cwd: string): string[] {
  const { bubblewrap_network: network, bubblewrap_writable: more } = place.settings
  const folders = [svcHome, ...KEY_FOLDERS.map((name) => join(homedir(), name))].filter(existsSync)
  const files = KEY_FILES.map((name) => join(homedir(), name)).filter(existsSync)
  const writable = [place.cwd, ...more]
  const uncovered = writable.filter((path) => folders.some((folder) => `${path}/`.startsWith(`${folder}/`)))
  const bind = (path: string) => ['--bind', path, path]
  return [
    ...['--unshare-all', '--die-with-parent', ...(network ? ['--share-net'] : [])],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/run', '--bind', temporary, '/tmp'],
    ...(network ? RESOLVERS.flatMap((path) => ['--ro-bind-try', path, path]) : []),
    ...writable.flatMap(bind),
    ...folders.flatMap((path) => ['--tmpfs', path]),
    ...files.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...uncovered.flatMap(bind),
    ...['--chdir', cwd],
  ]
}

async function attempt(setting: SandboxSetting): Promise<void> {
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
