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

/** A part of the home, for another machine. @since 0.2 */
export interface HomeExport {
  /** An absolute path that does not exist. */
  readonly file: string
  /** As for a backup. */
  readonly passphrase?: string
  readonly signal?: AbortSignal
  /** Whether a file is in it, by its path in the home, with slashes. Links never are, nor what `BackupRules` leave out. */
  includes(path: string): boolean
  /** What stands in the export in the place of a file, by its path. */
  readonly texts?: ReadonlyMap<string, string>
  /** For the person who imports it, as sentences. */
  readonly notes?: readonly string[]
}

/** An export that is there to be read. @since 0.2 */
export interface HomeExportSource {
  readonly file: string
  /** Called when the file is encrypted. */
  readonly passphrase: () => Promise<string>
  readonly signal: AbortSignal
}

/** What an export says of itself, after all of it was read and compared with its hashes. @since 0.2 */
export interface HomeExportFacts {
  /** ISO 8601. */
  readonly created: string
  /** The version of svc that made it. */
  readonly program: string
  /** Left out for the whole home. */
  readonly profile?: string
  readonly isEncrypted: boolean
  readonly notes: readonly string[]
  readonly files: readonly { readonly path: string; readonly bytes: number }[]
}

/** A file of the folder of backups. @since 0.2 */
export interface StoredBackup {
  /** An absolute path. */
  readonly file: string
  readonly name: string
  readonly bytes: number
  /** When it was written last. */
  readonly createdAt: number
  readonly isEncrypted: boolean
}

/**
 * Environment variables with the passphrase for a command of its own process: `svc backup` and `svc export`, `svc import`.
 * @since 0.2
 */
export const BACKUP_VARIABLES = {
  backup: 'SVC_BACKUP_PASSPHRASE',
  export: 'SVC_EXPORT_PASSPHRASE',
} as const

/** What a backup or an export says of itself before it is read. @since 0.2 */
export interface BackupDescription {
  readonly kind: 'backup' | 'export'
  /** ISO 8601. */
  readonly created: string
  /** The version of svc that made it. */
  readonly program: string
  /** Left out for the whole home. */
  readonly profile?: string
  readonly isEncrypted: boolean
}

/** Provided by the plugin `backups`. @since 0.2 */
export interface Backups {
  /** Those of the folder of backups, next to the home; the newest first. */
  list(): Promise<readonly StoredBackup[]>
  /** The path of a file in the folder of backups that is not there yet: for a backup that is made now. */
  propose(options?: { readonly isEncrypted?: boolean; readonly profile?: string }): string
  /**
   * What the first entry of a file says; the rest is not read. Rejects with `BACKUP_DAMAGED` for what is neither a backup nor an export,
   * with `BACKUP_PASSPHRASE` and `BACKUP_TOO_NEW`.
   */
  describe(source: HomeExportSource): Promise<BackupDescription>
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
  /** Copies a part of the home to one file, otherwise as `create`. `readExport` and `import` take it, `svc backup restore` does not. */
  export(what: HomeExport): Promise<BackupResult>
  /** Changes nothing. Rejects with `BACKUP_DAMAGED`, `BACKUP_PASSPHRASE`, `BACKUP_TOO_NEW`; with `BACKUP_TARGET` for a backup. */
  readExport(source: HomeExportSource): Promise<HomeExportFacts>
  /**
   * Puts the files of an export that `includes` names into the home in one step, over those of the same paths; others stay. A backup is made before, and
   * `svc backup restore --undo` brings the home before back. Rejects as `readExport` and `create`, and with `BACKUP_IN_USE` while svc
   * runs in the home; it is then as it was.
   */
  import(source: HomeExportSource & { includes(path: string): boolean }): Promise<{
    readonly files: number
    /** The backup that was made before. */
    readonly backup: string
    /** The folder with the home before. */
    readonly previous: string | undefined
  }>
}
export const Backups: Service<Backups> = defineService('backups')
