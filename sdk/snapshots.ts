/** Snapshots of the state of the home: settings, keys, memories and databases, without skills, plugins and media. */
import { defineService, type Service } from './declarations.ts'

/** A snapshot of this home. @since 0.2 */
export interface Snapshot {
  /** From 1, the newest. */
  readonly number: number
  /** The time at which it was taken, in UTC: `2026-01-01-090000`. */
  readonly id: string
  /** An absolute path. It holds keys in plain text. */
  readonly file: string
  readonly bytes: number
  /** ISO 8601. */
  readonly created: string
  readonly label?: string
}

/** Provided by the plugin `backups`. @since 0.2 */
export interface Snapshots {
  /** The newest first. */
  list(signal: AbortSignal): Promise<readonly Snapshot[]>
  /** By its number in the list or its id. Rejects with `SNAPSHOT_UNKNOWN`. */
  find(which: string, signal: AbortSignal): Promise<Snapshot>
  /** Takes one while others write, and removes those beyond `SNAPSHOT_LIMIT`. Rejects with `BACKUP_FAILED`. */
  create(
    label: string,
    signal: AbortSignal,
  ): Promise<{
    readonly id: string
    readonly file: string
    readonly files: number
    readonly bytes: number
    /** Files that could not be copied, each with the reason, as sentences. */
    readonly warnings: readonly string[]
    /** How many older ones were removed. */
    readonly removed: number
  }>
  /**
   * Reads all of it and changes nothing. Rejects with the reason why it cannot be restored now: `BACKUP_DAMAGED`, `BACKUP_TARGET`,
   * `BACKUP_TOO_NEW`, and `BACKUP_IN_USE` while another process of svc runs in the home.
   */
  check(snapshot: Snapshot, signal: AbortSignal): Promise<void>
  /**
   * Brings its state back in one step. No database of the home may be open in this process. Rejects as `check` and `create`; the home is
   * then as it was.
   */
  restore(
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<{
    readonly files: number
    /** The id of a snapshot of the state before. */
    readonly before: string
    /** The folder with the home before. */
    readonly previous: string | undefined
  }>
  /** Removes all but the newest. Resolves with how many it removed. */
  prune(keep: number): Promise<number>
}
export const Snapshots: Service<Snapshots> = defineService('snapshots')

/** How many snapshots of a home stay. @since 0.2 */
export const SNAPSHOT_LIMIT = 20
