/** The log files of a home: what they hold, and entries as they are written. */
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'

/** From the least to the most severe. @since 0.2 */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
/** @since 0.2 */
export type LogLevel = (typeof LOG_LEVELS)[number]

/**
 * One entry. A line that is not JSON of svc is an entry, too: it has a `message` only, and the `at` of the entry before it.
 * @since 0.2
 */
export interface LogEntry {
  /** The name of its file, as in `LogFiles`. */
  readonly file: string
  /** Milliseconds since 1970. */
  readonly at?: number
  readonly level?: LogLevel
  /** The plugin that wrote it, or `kernel`. */
  readonly plugin?: string
  readonly message: string
  /** What else the line holds. */
  readonly fields?: Readonly<Record<string, unknown>>
}

/** Which entries are wanted. An entry that lacks what a filter asks for does not pass it. @since 0.2 */
export interface LogFilter {
  /** The name of a file (default `svc`). */
  readonly file?: string
  /** The least level. */
  readonly level?: LogLevel
  readonly plugin?: string
  /** A session id, or its beginning, in any field. */
  readonly session?: string
  /** Milliseconds since 1970. */
  readonly since?: number
  /** Part of the message or of a field, without regard to case. */
  readonly search?: string
}

/** A log file of a plugin, contributed to `LogFiles`. The log of svc itself is `svc`. @since 0.2 */
export interface LogFile extends Ordered {
  readonly name: string
  /** What it holds, in a few words. */
  readonly title: string
  /** Its path. Older parts lie next to it, with `.1` for the newest of them. */
  readonly path: string
}
/** @since 0.2 */
export const LogFiles: ExtensionPoint<LogFile> = extensionPoint('log-files', (file) => file.name, undefined, {
  problem: checkMembers({ name: 'string', title: 'string', path: 'string' }),
})

/** A log file, as it is now. @since 0.2 */
export interface LogFileState extends LogFile {
  /** Bytes, with those of older parts; 0 if nothing was written yet. */
  readonly size: number
  /** When it was written last, in milliseconds since 1970. */
  readonly modifiedAt?: number
}

/** @since 0.2 */
export interface Logs {
  /** `svc` first, then those of plugins. */
  files(): readonly LogFileState[]
  /** The newest `limit` entries that pass, oldest first, from older parts of the file, too. Throws `LOG_FILE_UNKNOWN`. */
  read(filter: LogFilter, limit: number): Promise<readonly LogEntry[]>
  /**
   * Entries that pass, as they are written from now on; each comes once, also when the file is rotated, removed or emptied. Ends when
   * `signal` aborts. Throws `LOG_FILE_UNKNOWN`.
   */
  follow(filter: LogFilter, signal: AbortSignal): AsyncIterable<LogEntry>
}
export const Logs: Service<Logs> = defineService('logs')
