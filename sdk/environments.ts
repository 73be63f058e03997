/** Where the commands of sessions run and the files that they work on are: this machine, a container, another machine. */

import { defineService, type Service } from './declarations.ts'
import { SvcError } from './errors.ts'
import type { LeftOut } from './left-out.ts'
import type { PluginContext } from './plugin.ts'
import { Plugins } from './plugins.ts'

/**
 * A path that was looked at in an environment.
 * @since 0.2
 */
export interface EnvironmentFileInfo {
  /** Absolute and without links, with slashes. Of what is missing: where it would be. */
  readonly path: string
  /** `other`: a device, a pipe or a socket. */
  readonly kind: 'file' | 'folder' | 'other' | 'missing'
  /** Bytes. */
  readonly size: number
  /** Permission bits. */
  readonly mode: number
  /** Another text once the file was written or replaced; empty for what is missing. Only to be compared. */
  readonly version: string
}

/**
 * A file that was read.
 * @since 0.2
 */
export interface EnvironmentFileBytes extends EnvironmentFileInfo {
  readonly bytes: Uint8Array
}

/**
 * Something in a folder.
 * @since 0.2
 */
export interface EnvironmentEntry {
  /** Relative to the folder that was listed, with slashes. */
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  /** Bytes. */
  readonly size: number
  /** Permission bits. */
  readonly mode: number
  /** As in `EnvironmentFileInfo`, but not compared with that: made without reading the file. */
  readonly version: string
  /** Where a link leads, as it is written; only with `targets`. */
  readonly target?: string
}

/**
 * How a folder is listed.
 * @since 0.2
 */
export interface EnvironmentListOptions {
  /** Levels; left out: all. */
  readonly depth?: number
  /** Names of folders that are listed, but not what is in them. */
  readonly closed?: readonly string[]
  /** Entries; the rest is left out. */
  readonly limit: number
  /** Where links lead is wanted, too. */
  readonly targets?: boolean
  readonly signal?: AbortSignal
}

/**
 * What a folder holds.
 * @since 0.2
 */
export interface EnvironmentListing {
  readonly entries: readonly EnvironmentEntry[]
  /** There is more than `limit`. */
  readonly cut: boolean
  /** What could not be listed, for people. */
  readonly remarks: readonly string[]
}

/**
 * What a file is to be.
 * @since 0.2
 */
export interface EnvironmentFileChange {
  /** As `info` gave it. Folders that are missing are made. */
  readonly path: string
  /** Left out, without a `link`: the file is removed. */
  readonly bytes?: Uint8Array
  /** In place of bytes: a symbolic link that leads there. */
  readonly link?: string
  /** Permission bits; left out: those of the file that is replaced, else those of any new file. */
  readonly mode?: number
  /** The version that it must still have; empty: it must be missing. Left out: whatever is there is replaced. */
  readonly expects?: string
}

/**
 * What is searched for in the files of a folder.
 * @since 0.2
 */
export interface EnvironmentSearch {
  /** A regular expression as the program in the environment reads it: `rg`, else `grep`. */
  readonly pattern: string
  /** The pattern is a text, not an expression. */
  readonly literal?: boolean
  /** Only this file of the folder. */
  readonly file?: string
  /** `*.ts` at any depth, `src/*.ts` only there. */
  readonly glob?: string
  /** Lines around each match. */
  readonly context?: number
  /** Matching lines of one file. */
  readonly limitOfFile?: number
  /** Matching lines in all. */
  readonly limit: number
  readonly signal?: AbortSignal
}

/**
 * A line that was found.
 * @since 0.2
 */
export interface EnvironmentMatch {
  /** Relative to the folder. */
  readonly path: string
  /** The first line is 1. */
  readonly line: number
  /** Without its end; cut where it is long. */
  readonly text: string
  /** False: it is only near a match. */
  readonly match: boolean
}

/**
 * What a search found, ordered by path as the program orders them.
 * @since 0.2
 */
export interface EnvironmentMatches {
  readonly lines: readonly EnvironmentMatch[]
  /** There may be more. */
  readonly cut: boolean
  /** What searched. */
  readonly program: 'rg' | 'grep'
  /** What could not be searched, for people. */
  readonly remarks: readonly string[]
}

/**
 * The files of an environment. Paths are absolute and as the environment sees them, with slashes; no rules are asked: that
 * is for `GuardedFiles` and the tools. Rejects with an error whose `code` is that of the system (`ENOENT`, `EACCES`,
 * `EISDIR`, `ENOTDIR`, `ELOOP`, `ENOSPC`, `EROFS`, `ENAMETOOLONG`, `ENXIO` for a device or pipe), `ESTALE` for a file that is not
 * as it was expected, `EBADMSG` for a pattern that cannot be read; or with `ENVIRONMENT_LOST` where the environment has
 * gone, and with the reason of the signal.
 * @since 0.2
 */
export interface EnvironmentFiles {
  /** Follows links. Resolves for what is missing, too. */
  info(path: string, options?: { readonly signal?: AbortSignal }): Promise<EnvironmentFileInfo>
  /** An ordinary file, or a range of its bytes. */
  read(
    path: string,
    options?: { readonly offset?: number; readonly length?: number; readonly signal?: AbortSignal },
  ): Promise<EnvironmentFileBytes>
  /** Whole files below a folder, by their paths relative to it. Undefined for what is no file or cannot be read; links are not followed. */
  readAll(
    folder: string,
    paths: readonly string[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (Uint8Array | undefined)[]>
  /**
   * Performs all changes or, if one fails, none. Each file goes from old to new in one step: also when the connection is lost
   * in the middle of it, it is the one or the other. Gives what the files are then.
   */
  write(
    changes: readonly EnvironmentFileChange[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly EnvironmentFileInfo[]>
  /** What is in a folder; links are not followed. */
  list(folder: string, options: EnvironmentListOptions): Promise<EnvironmentListing>
  /** Names of ordinary files below a folder, without `.git`, `node_modules` and, where `rg` is there, what `.gitignore` names. */
  names(
    folder: string,
    options: { readonly glob?: string; readonly limit: number; readonly signal?: AbortSignal },
  ): Promise<{ readonly paths: readonly string[]; readonly cut: boolean }>
  /** Lines in files that are text, of those that `names` gives. */
  search(folder: string, search: EnvironmentSearch): Promise<EnvironmentMatches>
}

/**
 * An environment that is not this machine, as one session works in it.
 * @since 0.2
 */
export interface ExecutionEnvironment {
  /** As `terminal.backend` has it: `ssh`, `docker`. */
  readonly name: string
  /** For people: `ssh (ada@build.example)`. */
  readonly label: string
  /** Where commands begin there; relative paths start here. Absolute, without links. */
  readonly folder: string
  /** The folder of the user there. */
  readonly home: string
  /** Left out: it runs commands, but has no files that svc can reach. */
  readonly files?: EnvironmentFiles
}

/**
 * Provided by the plugin that runs commands. Without it all sessions work on this machine.
 * @since 0.2
 */
export interface ExecutionEnvironments {
  /**
   * The environment of a session, opened when it is first asked for; undefined where its files are those of this machine. `cwd` is
   * the folder of the session, on this machine. Rejects with what to do where it cannot be opened.
   */
  find(session: { readonly sessionId: string; readonly cwd: string }): Promise<ExecutionEnvironment | undefined>
  /** The name of the backend when it may be one that is not this machine; undefined where all files are here. Cheap. */
  name(): string | undefined
  /** Nothing of this machine is in its reach (see `Tool.isolated`). Cheap. */
  isIsolated(): boolean
}

/**
 * The environments of sessions.
 * @since 0.2
 */
export const ExecutionEnvironments: Service<ExecutionEnvironments> = defineService('execution-environments')

/** Reasons that leave the choice of an environment in place, although its plugin does not run. */
const UNINTENDED: readonly (LeftOut['code'] | undefined)[] = ['consent', 'conflict', 'requires', 'cycle', 'invalid']

/**
 * The environment of a session; undefined where its files are those of this machine, also where the user has switched
 * environments off. Rejects with `ENVIRONMENT_MISSING` if a plugin that provides environments should run and does not: the
 * session may be meant to work elsewhere, so the files of this machine are not touched in its place.
 * @since 0.2
 */
export async function findEnvironment(
  ctx: Pick<PluginContext<unknown>, 'use' | 'find'>,
  session: { readonly sessionId: string; readonly cwd: string },
): Promise<ExecutionEnvironment | undefined> {
  const environments = ctx.find(ExecutionEnvironments)
  if (environments) return environments.find(session)
  const missing = ctx
    .use(Plugins)
    .list()
    .filter(({ manifest }) => manifest.provides?.includes(ExecutionEnvironments.id))
    .find(({ status, leftOut }) => status === 'failed' || (status === 'left-out' && UNINTENDED.includes(leftOut?.code)))
  if (missing === undefined) return undefined
  const { name } = missing.manifest
  throw new SvcError(
    'ENVIRONMENT_MISSING',
    `The plugin ${name}, which knows where the files of this session are, does not run${missing.reason ? `: ${missing.reason}` : '.'} Files are not touched until it runs or is switched off; see: svc plugins info ${name}`,
  )
}
