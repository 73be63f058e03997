/**
 * Locks a program up with bubblewrap (https://github.com/containers/bubblewrap): it reads this machine's files but writes
 * none, has no network, sees no other process, and ends with svc.
 */
import { spawn } from 'node:child_process'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import type { Home, Logger } from 'svc/sdk'

/** What the sandbox needs of the plugin. */
export interface SandboxPorts {
  readonly variable: (name: string) => string | undefined
  readonly home: () => Home
  readonly log: Logger
}

/** What a locked-up program may see besides. */
export interface SandboxPlace {
  readonly cwd: string
  /** The folder of the script. */
  readonly folder: string
}

/** Places with sockets of other programs, or for files of nobody's business. Empty inside. */
const EMPTY = ['/tmp', '/run', '/var/tmp', '/dev/shm']
/** Folders and files of the user's home that hold keys. */
const KEYS = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.password-store',
  '.config/gcloud',
  '.config/gh',
  '.local/share/keyrings',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
]
const SECRET_FILES = ['/etc/shadow', '/etc/gshadow', '/etc/sudoers']
/** Bytes that may be written to each empty place. */
const SCRATCH_BYTES = 64 * 2 ** 20

/** One thing put over the file system. */
interface Mount {
  readonly path: string
  readonly words: readonly string[]
}

/** Whether and how programs can be locked up here. */
export class Sandbox {
  readonly #ports: SandboxPorts
  #works: Promise<boolean> | undefined

  constructor(ports: SandboxPorts) {
    this.#ports = ports
  }

  /** Tried once, with all that is used later. */
  works(): Promise<boolean> {
    this.#works ??= this.#try()
    return this.#works
  }

  /** The command that runs another one locked up. */
  command(place: SandboxPlace, command: readonly string[]): readonly string[] {
    const places = [...EMPTY, tmpdir()].filter((path) => existsSync(path)).map((path) => realpathSync(path))
    const hidden = [...places.map(empty), ...this.#secrets()]
    const seen = [place.cwd, place.folder].map(readOnly).filter((one) => hidden.some((other) => isInside(one, other)))
    // What lies deeper is put on top; what is hidden itself stays hidden.
    const mounts = new Map([...seen, ...hidden].map(({ path, words }) => [path, words]))
    const ordered = [...mounts].sort(([one], [two]) => one.split(sep).length - two.split(sep).length)
    return [
      ...['bwrap', '--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
      ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
      ...ordered.flatMap(([, words]) => words),
      ...['--chdir', realpathSync(place.cwd), '--', ...command],
    ]
  }

  #secrets(): Mount[] {
    const { home, variable } = this.#ports
    const { dir, root } = home()
    const keys = [homedir(), variable('HOME') ?? ''].flatMap((user) =>
      user ? KEYS.map((name) => join(user, name)) : [],
    )
    const paths = [dir, root, ...keys, ...SECRET_FILES]
      .filter((path) => existsSync(path))
      .map((path) => realpathSync(path))
    return [...new Set(paths)].map((path) => (statSync(path).isDirectory() ? empty(path) : blank(path)))
  }

  #try(): Promise<boolean> {
    if (process.platform !== 'linux') return Promise.resolve(false)
    const [program = '', ...args] = this.command({ cwd: '/', folder: '/usr' }, [process.execPath, '--version'])
    const PATH = this.#ports.variable('PATH') ?? STANDARD_PATH
    return new Promise((resolve) => {
      const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH } })
      let said = ''
      child.stderr.on('data', (bytes: Buffer) => {
        said += bytes.toString()
      })
      const done = (works: boolean, why: string) => {
        if (!works) this.#ports.log.debug('scripts cannot be locked up with bubblewrap', { why })
        resolve(works)
      }
      child.once('error', (error) => done(false, error.message))
      child.once('close', (code) => done(code === 0, said.trim()))
    })
  }
}

/** Where programs are looked for when the environment does not say. */
export const STANDARD_PATH = '/usr/local/bin:/usr/bin:/bin'

function empty(path: string): Mount {
  return { path, words: ['--size', String(SCRATCH_BYTES), '--tmpfs', path] }
}

function readOnly(folder: string): Mount {
  const path = realpathSync(folder)
  return { path, words: ['--ro-bind', path, path] }
}

function blank(path: string): Mount {
  return { path, words: ['--ro-bind', '/dev/null', path] }
}

function isInside(one: Mount, other: Mount): boolean {
  return one.path.startsWith(`${other.path}${sep}`)
}
