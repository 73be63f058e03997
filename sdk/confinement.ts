/** Confinement: programs run where they cannot change or see more than they need. Provided by the plugin `confinement`. */
import { defineService, type Service } from './declarations.ts'

/**
 * What a command needs beyond the project folder and a temporary folder, one word each: `network` (any host),
 * `network:<host>` (that host and those below it, over HTTP and HTTPS), `port:<number>` (to listen where this machine can
 * connect), `socket:<name>` (`docker`, `ssh-agent`), `read:<path>`, `write:<path>`, `processes` (see and signal programs
 * of this machine), `display`.
 * @since 0.2
 */
export type SandboxNeed = string

/** What is to be confined. @since 0.2 */
export interface SandboxPolicy {
  /** The project, as `findProject` tells it: writable, but for the files in it that svc, editors, shells and git run. */
  readonly project: string
  /** `read`: the project is not writable either. Left out: `write`. */
  readonly access?: 'read' | 'write'
  /** Where the program begins; in the project unless a need covers it. */
  readonly cwd: string
  /**
   * A folder of the caller's own, which exists: it holds what the program sees as its temporary folder and as the folder
   * of its user. Programs with the same one see each other's files there. Absolute.
   */
  readonly temporary: string
  readonly needs: readonly SandboxNeed[]
  /** Without secrets. */
  readonly environment: Readonly<Record<string, string>>
  /** `own`: the caller starts it in a terminal made for it. Left out: it is cut off from every terminal. */
  readonly terminal?: 'own'
}

/** How to start it. @since 0.2 */
export interface SandboxedLaunch extends AsyncDisposable {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  /** Ends what svc runs for the program: its way to granted hosts, its ports. To be called once the program has ended. */
  close(): Promise<void>
}

/** A need in words. @since 0.2 */
export interface SandboxNeedText {
  /** In its one spelling: paths absolute and without links, hosts in lower case. */
  readonly need: SandboxNeed
  /** What it permits; follows "may": "reach registry.npmjs.org". */
  readonly permits: string
}

/** Confines on this machine. @since 0.2 */
export interface ProcessSandbox {
  /** Whether this machine can confine, by what (`bubblewrap`, `seatbelt`), and what to do where it cannot. Looked up once. */
  status(): Promise<{ readonly works: boolean; readonly by?: string; readonly detail: string }>
  /**
   * What counts as the project of a working folder: the folder itself, without links, or the top of its git work tree
   * where that is a folder of the user's. The same path as the home folder or one above it: nothing there is writable.
   */
  findProject(cwd: string): Promise<string>
  /**
   * Reads needs, relative paths against `cwd`. Throws `CONFINEMENT_NEED` for an unknown word, and for what is never
   * granted: the home of svc, locations of secrets, and folders that hold either.
   */
  readNeeds(needs: readonly SandboxNeed[], cwd: string): readonly SandboxNeedText[]
  /** How to run a program confined. Throws `CONFINEMENT_FAILED` where it cannot be, and what `readNeeds` throws. */
  launch(program: readonly string[], place: SandboxPolicy): Promise<SandboxedLaunch>
  /** What a command that failed seems to have lacked, by its output; empty when it failed for another reason. */
  lacked(output: string, place: Pick<SandboxPolicy, 'project' | 'cwd' | 'needs'>): readonly SandboxNeed[]
}
export const ProcessSandbox: Service<ProcessSandbox> = defineService('confinement')

/** What is known of a command before it runs. @since 0.2 */
export interface CommandAnalysis {
  /** Every word of it is understood: known programs, known options, paths inside the project or its temporary folder. */
  readonly understood: boolean
  /** What is not, for people: "the program frobnicate", "the option --exec of rg". Empty when it is understood. */
  readonly unknown: readonly string[]
  /** What the programs in it are known to need, also where it is not understood; each once, the most specific words. */
  readonly needs: readonly SandboxNeed[]
}

/** Where a command would run. @since 0.2 */
export interface CommandLocation {
  /** Absolute. */
  readonly cwd: string
  /** The folder whose files it may read and change. Absolute. */
  readonly project: string
  /** Whose earlier commands are remembered: a file that one of them wrote is not run unread. */
  readonly sessionId?: string
  /**
   * Whether this session changed a file by other means than commands (absolute, links resolved). Where it is left out, a
   * script is understood only if git knows it as it is.
   */
  readonly wasWritten?: (path: string) => boolean
}

/**
 * Knows common programs. Does not run anything and does not throw; reads files of
 * the project (`package.json`, the settings and the index of git) to tell what a command would run.
 * @since 0.1
 */
export interface CommandKnowledge {
  read(command: string, place: CommandLocation): Promise<CommandAnalysis>
}
export const CommandKnowledge: Service<CommandKnowledge> = defineService('command-knowledge')
