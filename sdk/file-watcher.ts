/** Changes of files while a plugin listens. Provided by the plugin `file-watcher`. */
import { defineService, type Service, type ServiceCaller } from './declarations.ts'

/** A file that appeared, was written or went. @since 0.2 */
export interface WatchedChange {
  /** Absolute. */
  readonly path: string
  readonly kind: 'added' | 'changed' | 'removed'
}

/** What changed since the last report. @since 0.2 */
export interface WatchReport {
  readonly folder: string
  /** At most 500, each file once, sorted by path. */
  readonly changes: readonly WatchedChange[]
  /** False: more files changed than are listed, or a part of the folder is not watched. */
  readonly isComplete: boolean
}

/** What is watched, and who is told. @since 0.2 */
export interface FileWatch {
  /** Absolute. Folders below it are watched, too, but for `.git`, `.hg`, `.svn` and `node_modules`; links are not followed. */
  readonly folder: string
  /** The names of the files that count, without their folders; left out: all. */
  readonly names?: readonly string[]
  /**
   * Called once changes have settled for 200 ms, at the latest 2 s after the first one, and never while an earlier call is still
   * running. What it throws is reported for its plugin.
   */
  onChange(report: WatchReport): void | Promise<void>
}

/**
 * Watches folders of the machine that svc runs on. Nothing is watched while no plugin listens; those who watch the same folder
 * share one watch.
 * @since 0.2
 */
export interface FileWatcher {
  /**
   * Resolves once changes are seen. At most 2,000 folders below one folder and 32 folders in all are watched: throws
   * `FILE_WATCH_LIMIT`, and `FILE_WATCH_FOLDER` where there is no such folder. `caller` is filled in.
   */
  watch(watch: FileWatch, caller?: ServiceCaller): Promise<() => Promise<void>>
}
export const FileWatcher: Service<FileWatcher> = defineService('file-watcher', {
  registers: ['watch'],
  callers: ['watch'],
})
