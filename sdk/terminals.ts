/** Where shell commands run: on this machine, in a container, on another machine. Contributed to `ShellBackends`. */
import type { SandboxNeed } from './confinement.ts'
import { checkMembers, type ExtensionPoint, extensionPoint, type Ordered } from './declarations.ts'
import type { EnvironmentFiles } from './environments.ts'

/** The settings of backends in the config block `terminal`. @since 0.2 */
export interface ShellBackendSettings {
  readonly docker_image: string
  /** Names of variables; values come from the environment, then from `.env`. */
  readonly docker_forward_env: readonly string[]
  readonly docker_mount_cwd_to_workspace: boolean
  readonly docker_env: Readonly<Record<string, string>>
  /** As `-v` takes them: `/data:/data:ro`. */
  readonly docker_volumes: readonly string[]
  /** As `--network` takes it. */
  readonly docker_network: string
  readonly docker_extra_args: readonly string[]
  /** Processors; 0: no limit. */
  readonly container_cpu: number
  /** Megabytes; 0: no limit. */
  readonly container_memory: number
  /** Files of `/workspace` and of the home folder of root outlive the container. */
  readonly container_persistent: boolean
  readonly ssh_host: string
  readonly ssh_user: string
  readonly ssh_port: number
  /** The file with the private key; empty: the default of ssh. */
  readonly ssh_key: string
  /** The folder there that sessions work in; empty: where ssh begins. Left out by what was built before it. */
  readonly ssh_folder?: string
  readonly bubblewrap_network: boolean
  /** Folders that may be written to in addition to the working folder of the session. */
  readonly bubblewrap_writable: readonly string[]
}

/** The place that a backend opens. @since 0.2 */
export interface ShellContext {
  readonly sessionId: string
  /** Where the session works, on this machine. */
  readonly cwd: string
  /** The environment of this process without its secrets: for the programs that the backend runs on this machine. */
  readonly environment: Readonly<Record<string, string>>
  readonly settings: ShellBackendSettings
}

/** A program to run in a place. @since 0.2 */
export interface ProgramSpec {
  /** The program and its arguments, as the place sees them. */
  readonly command: readonly string[]
  /** It gets a terminal: the caller runs the launch in one, and the backend passes that on. */
  readonly pty: boolean
  /** Where it begins. Only given where the place has this machine's folders; left out: where the session works. */
  readonly cwd?: string
  /** What was granted to it besides, in a place that confines (see `ProcessSandbox`). */
  readonly needs?: readonly SandboxNeed[]
}

/**
 * How a program is started in a place: what to run on this machine. Its input and output are those of the program inside.
 * @since 0.2
 */
export interface SpawnSpec {
  /** `docker exec -i ... bash`. */
  readonly command: readonly string[]
  /** The whole environment of that program. */
  readonly environment: Readonly<Record<string, string>>
  /** The working folder of that program, on this machine. */
  readonly cwd: string
  /** Ends what svc runs for the program. Called once the program has ended. */
  readonly close?: () => Promise<void>
}

/** A place that is open. @since 0.2 */
export interface ShellEnvironment {
  /** Its programs are not processes of this machine: ending the launched process may leave them running. */
  readonly elsewhere: boolean
  /** What runs in it is confined (see `ProcessSandbox`). Left out: it is not. */
  readonly confined?: boolean
  /**
   * The files in it, where it is `elsewhere`. Left out: they are reached by commands of a POSIX shell, so a backend that has only
   * commands has files as well. `none`: its commands are of another kind, and tools for files are refused.
   */
  readonly files?: EnvironmentFiles | 'none'
  /** For people, and to tell environments of a kind apart: `ada@build.example`. */
  readonly label?: string
  /** Throws if the terminal has ended. */
  launch(program: ProgramSpec): Promise<SpawnSpec>
  /** Ends the place with all that runs in it. */
  close(): Promise<void>
}

/** One kind of place. @since 0.2 */
export interface ShellBackend extends Ordered {
  /** What `terminal.backend` holds: `local`, `docker`, `podman`, `ssh`, `bubblewrap`. */
  readonly name: string
  /** All that it opens is `elsewhere`. Left out: that is known only once it is open. */
  readonly elsewhere?: true
  /** Nothing of this machine is in its reach, so commands need no approval. */
  isolated(settings: ShellBackendSettings): boolean
  /** Whether it could be used now, and why or why not. */
  status(place: ShellContext): Promise<{ readonly ready: boolean; readonly detail: string }>
  /** Throws with what to do: no such image, no such host, no such program. */
  open(place: ShellContext, signal: AbortSignal): Promise<ShellEnvironment>
}
/** @since 0.2 */
export const ShellBackends: ExtensionPoint<ShellBackend> = extensionPoint(
  'terminals',
  (backend) => backend.name,
  undefined,
  {
    problem: checkMembers({ name: 'string', isolated: 'function', status: 'function', open: 'function' }),
  },
)

/**
 * One word in single quotes, which a POSIX shell reads back unchanged. The text must not hold NUL, which no shell can take.
 * @since 0.1
 */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
