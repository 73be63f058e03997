/** Files that tools touch: which may be touched, and changes that happen whole or not at all. */
import { defineService, type ExtensionPoint, extensionPoint, type Ordered, type Service } from './declarations.ts'
import type { ToolContext } from './tools.ts'

/** A path that was looked at: links followed, rules asked. @since 0.2 */
export interface ResolvedPath {
  /** Absolute and without links; for writing it need not exist. */
  readonly path: string
  /** It is not in the working folder. */
  readonly outside: boolean
  /** That it leads through a link, and where to; undefined when it does not. */
  readonly note: string | undefined
}

/** The beginning of a file, read from the very file that was judged. @since 0.1 */
export interface FileBytes extends ResolvedPath {
  /** At most as many as were asked for. */
  readonly bytes: Uint8Array
  /** Bytes of the whole file when it was opened. */
  readonly size: number
}

/** A file as it is before a change. @since 0.2 */
export interface FileSnapshot extends ResolvedPath {
  /** The whole content, with its byte order mark and line ends; undefined if the file does not exist. */
  readonly text: string | undefined
  /** Its permission bits. */
  readonly mode: number | undefined
}

/** The new content of a file. @since 0.2 */
export interface FileContent {
  /** Undefined: there is to be no such file. */
  readonly text: string | undefined
  /** Permission bits of a new file, such as those of the one it was moved from. */
  readonly mode?: number | undefined
}

/** The change of a file. @since 0.1 */
export interface FileChange {
  readonly path: string
  readonly change: 'created' | 'replaced' | 'removed' | 'unchanged'
  /** Lines. Left out, as the diff is, when nothing changed or too much did. */
  readonly added?: number
  readonly removed?: number
  /** Unified, cut when long, secrets masked. */
  readonly diff?: string
  /** Notes for people: the path led through a link, the file had been changed by another program meanwhile. */
  readonly notes: readonly string[]
}

/**
 * Whose files are meant.
 * @since 0.2
 */
export interface FileSession {
  /**
   * The session in whose environment the path is (see `ExecutionEnvironments`); relative paths then start where its commands
   * begin, and `~` is the user there. Left out: this machine.
   */
  readonly sessionId?: string
}

/**
 * Paths for `Tool.acts`.
 * @since 0.2
 */
export interface LocatedPaths {
  /** Absolute, in the order in which they were given. */
  readonly paths: readonly string[]
  /** As `ToolActions.environment`. */
  readonly environment?: string
}

/**
 * Stands between tools and files. Paths are as a model writes them: relative ones start at `cwd`, `~` is the user's
 * folder. All methods throw `FILE_...` errors with advice, and `FILE_ENVIRONMENT` where the environment of the session has
 * no files.
 * @since 0.2
 */
export interface GuardedFiles {
  /** What a tool says of paths in its `acts`. No rule is asked, and nothing need exist. */
  locate(paths: readonly string[], turn: Pick<ToolContext, 'sessionId' | 'cwd'>): Promise<LocatedPaths>
  /** An existing file or folder that may be read: no secrets, nothing of svc's own that holds some. */
  readable(path: string, cwd: string, session?: FileSession): Promise<ResolvedPath>
  /** Names in a folder that may be read, at most `limit`, sorted; those of folders end with a slash. */
  names(path: string, cwd: string, options: FileSession & { readonly limit: number }): Promise<readonly string[]>
  /**
   * Reads an ordinary file that may be read, from its beginning, at most `maxBytes`. The file that is read is the one that
   * was judged, even if folders and links are exchanged meanwhile, which the path of `readable` cannot promise.
   */
  read(
    path: string,
    cwd: string,
    options: FileSession & { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<FileBytes>
  /** A file, existing or not, that may be written. */
  writable(path: string, cwd: string, session?: FileSession): Promise<ResolvedPath>
  /**
   * In the environment of the turn's session. Reads files, asks `plan` what they are to be (in the same order), and brings that about in all of them or, when
   * anything fails, in none. No other call writes them meanwhile; a file that changes all the same is not overwritten.
   * Files must be ordinary ones with UTF-8 text.
   */
  edit(
    paths: readonly string[],
    turn: Pick<ToolContext, 'sessionId' | 'cwd' | 'signal'>,
    plan: (files: readonly FileSnapshot[]) => readonly FileContent[] | Promise<readonly FileContent[]>,
  ): Promise<readonly FileChange[]>
}
export const GuardedFiles: Service<GuardedFiles> = defineService('file-guard')

/**
 * A folder below the home of svc that tools may read in, such as one for results that the model is to look up.
 * @since 0.1
 */
export interface ReadableFolder extends Ordered {
  /** The name of the plugin, with an ending where it has several. */
  readonly name: string
  /** Absolute, below the home of svc; it need not exist yet. Nothing in it may be a secret. */
  readonly path: string
}

/** Without an entry here, everything below SVC_HOME but `workspace/` and `logs/` is closed to tools. @since 0.1 */
export const ReadableFolders: ExtensionPoint<ReadableFolder> = extensionPoint(
  'readable-folders',
  (folder) => folder.name,
)
