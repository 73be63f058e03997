/** What shell commands would do, as far as their text tells. */
import { defineService, type Service } from './declarations.ts'

/** The grammar that a command is written in. @since 0.2 */
export type ShellDialect = 'posix' | 'powershell' | 'fish' | 'cmd'

/**
 * What a danger would harm. `project`: files that a sandbox which may write only the project would let through.
 * `machine`: anything outside of the project. `secrets`: it reads secret places. `network`: it sends or fetches.
 * `svc`: it changes svc, its home or its answers.
 * @since 0.1
 */
export type RiskHarm = 'project' | 'machine' | 'secrets' | 'network' | 'svc'

/** The shell that a command is for. @since 0.2 */
export interface ShellCommandContext {
  /** Absolute. */
  readonly cwd: string
  /** Set by earlier commands in the same shell. */
  readonly variables?: ReadonlyMap<string, readonly string[]>
  /** Whose shell it is: what `CommandRisks.remember` and `CommandRisks.wrote` noted of it counts. */
  readonly sessionId?: string
  /** Real paths of svc's home and profile, in addition to those of this process. */
  readonly homes?: readonly string[]
  /** `posix` by default. */
  readonly shell?: ShellDialect
  /** Known variables of the shell's environment: HOME, PWD, SVC_HOME, TMPDIR. */
  readonly environment?: Readonly<Record<string, string>>
  /** Text of a script file by its absolute path; undefined if it cannot be read. At most 64 KiB of it are judged. */
  read?(path: string): Promise<string | undefined>
}

/** A pattern that a command fits. @since 0.2 */
export interface RiskPattern {
  /** Stable: grants are kept by it. */
  readonly name: string
  /** Follows "It": "deletes folders and everything in them". */
  readonly why: string
  readonly harm: RiskHarm
  /** Absolute files and folders that it acts on, if all of them are known: a grant may cover the pattern below them. */
  readonly targets?: readonly string[]
}

/** The effects of a command, as far as its text tells. @since 0.2 */
export interface ShellCommandRisk {
  /** Why it cannot be allowed; follows "It": "shuts the machine down or restarts it". */
  readonly never?: string
  /** Patterns it fits, each once. */
  readonly dangers: readonly RiskPattern[]
  /** It may change files: false only for commands of which every part is known to read. */
  readonly writes: boolean
  /** One command, without operators, redirects and substitutions. */
  readonly simple: boolean
  /** In one line, without what only disguises it. */
  readonly text: string
  /** As typed, without comments; left out if there are no comments. */
  readonly uncommented?: string
  /** As typed, and each command in it as it would be run. */
  readonly spellings: readonly string[]
  /** Variables set afterwards. */
  readonly variables: ReadonlyMap<string, readonly string[]>
  /** Variables that were read, with what was known of them. */
  readonly read: ReadonlyMap<string, string>
}

/** Judges without running anything; never throws. @since 0.2 */
export interface ShellCommandAnalysis {
  command(command: string, setting: ShellCommandContext): Promise<ShellCommandRisk>
  /** Why a write to this file would matter; undefined when it is a file like any other. */
  write(path: string, cwd: string): Promise<string | undefined>
  /**
   * Notes that a judged command runs in the session's shell: its functions, aliases, links, copies of programs and the
   * files it wrote count for later commands of that session. `risk` is what `command` returned, the same object.
   * `cwd` is the folder of the shell afterwards, if it is known.
   */
  remember(sessionId: string, risk: ShellCommandRisk, cwd?: string): void
  /** Notes that a tool of the session wrote this file (absolute): a later command that runs it is judged by its text. */
  wrote(sessionId: string, path: string): void
  /** Drops what is known of a session's shell: it was restarted, or the session is over. */
  forget(sessionId: string): void
}
export const ShellCommandAnalysis: Service<ShellCommandAnalysis> = defineService('command-risks')

/** The effects of a tool call on the machine. @since 0.2 */
export interface CommandEffects {
  readonly command?: string
  /** Absolute. */
  readonly cwd: string
  readonly shell?: ShellDialect
  readonly sessionId?: string
  /** Files that it writes, absolute or below `cwd`. */
  readonly writes?: readonly string[]
}

/** An effect that is refused in every mode, whatever a person answers. It has no configuration. @since 0.2 */
export interface HardLimits {
  /**
   * Why it cannot be allowed, as a phrase that follows "It"; undefined if others may decide. Never rejects:
   * a failure of the check is a refusal.
   */
  check(acts: CommandEffects): Promise<string | undefined>
}
export const HardLimits: Service<HardLimits> = defineService('hard-line')
