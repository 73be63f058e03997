/** Backups of a home: which files are in one, and how a file is copied while others write to it. */
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'

/** The state of one file at one moment, held until it is disposed of. @since 0.2 */
export interface PinnedFile extends Disposable {
  /** Writes that state to a path that does not exist yet. Rejects with the error of the system, and for a file that is damaged. */
  copyTo(path: string): Promise<{
    /** The version of what is in it, a number that grows. A restore shows it. */
    readonly schema?: number
  }>
}

/**
 * How some files of the home get into a backup, contributed to `BackupRules` by the plugin that owns them. Of several rules that cover
 * a file the first in order decides; a file that no rule covers is copied as it is. The plugin names the service `backups` under
 * `with`, so that its rule is there when a backup is made.
 * @since 0.2
 */
export interface BackupRule extends Ordered {
  readonly name: string
  /** What the files are, in a few words: `Databases`. */
  readonly title: string
  /** `path` is relative to the home, with slashes; that of a folder ends with one. */
  covers(path: string): boolean
  /** The files, and all below a covered folder, are left out: they are made again, or belong to a running process. */
  readonly isExcluded?: boolean
  /**
   * Holds the state that a file has now, before anything is copied, so that files which belong together are of about one moment.
   * Undefined for a file that can be copied as it is.
   */
  readonly pin?: (file: string) => Promise<PinnedFile | undefined>
}
/** @since 0.2 */
export const BackupRules: ExtensionPoint<BackupRule> = extensionPoint('backup-rules', (rule) => rule.name, undefined, {
  problem: checkMembers({ name: 'string', title: 'string', covers: 'function', pin: 'function?' }),
})

/** What a new backup holds. @since 0.2 */
export interface BackupResult {
  readonly file: string
  /** Size of the archive. */
  readonly bytes: number
  readonly files: number
  /** Bytes of all files in it. */
  readonly contentBytes: number
  readonly isEncrypted: boolean
  /** Files that could not be copied as their owner wants it, each with the reason, as sentences. */
  readonly warnings: readonly string[]
}

/** Provided by the plugin `backups`. @since 0.2 */
export interface Backups {
  /**
   * Copies the home to one file, while others write. Rejects with `BACKUP_FAILED`; no part of a file is left then. `file` is an
   * absolute path that does not exist; left out: a dated name in the folder of backups, next to the home.
   */
  create(options?: {
    readonly file?: string
    /** Encrypts the file: https://age-encryption.org/v1 with a passphrase. */
    readonly passphrase?: string
    readonly signal?: AbortSignal
    /** Called as bytes are copied. */
    readonly onProgress?: (done: number, total: number) => void
  }): Promise<BackupResult>
}
export const Backups: Service<Backups> = defineService('backups')
