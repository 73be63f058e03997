/** Snapshots of the files that the agent works on, taken before it changes them. Plugin `checkpoints`. */
import { defineService, type Service } from './declarations.ts'

/** A snapshot. @since 0.1 */
export interface Checkpoint {
  /** 1 is the newest one of the folder; it changes as snapshots come and go. */
  readonly number: number
  /** The commit; stays. */
  readonly id: string
  readonly at: number
  /** Why it was taken: `before write_file`, `before rollback`. */
  readonly reason: string
  readonly sessionId?: string
  readonly turnId?: string
  /** How the files differ now from what they were then. */
  readonly changed: { readonly files: number; readonly insertions: number; readonly deletions: number }
}

/** What a restoration did. @since 0.2 */
export interface RestoreResult {
  readonly restored: readonly string[]
  readonly removed: readonly string[]
  /** Files that were not restored or removed, and why: something is in the way, or the earlier content is unknown. */
  readonly leftAlone?: readonly { readonly path: string; readonly why: string }[]
  /** The snapshot of how it was before, which takes it back. */
  readonly before: string
}

/** What is stored in all. @since 0.2 */
export interface CheckpointSummary {
  /** Of all snapshots together: they share what did not change. */
  readonly bytes: number
  readonly folders: readonly { readonly root: string; readonly snapshots: number; readonly newestAt: number }[]
}

/** Provided by the plugin `checkpoints`. Folders are those that a session works in. @since 0.1 */
export interface Checkpoints {
  /** Newest first. Empty for folders without any. */
  list(cwd: string, options?: { readonly limit?: number }): Promise<readonly Checkpoint[]>
  /** What is stored of all folders, the one with the newest snapshot first. */
  summarize(): Promise<CheckpointSummary>
  /** Takes one now; undefined with `why` when nothing changed since the last, or the folder is left out. */
  take(cwd: string, reason: string): Promise<{ readonly id?: string; readonly why?: string }>
  /** A unified diff from the snapshot to how the files are now. `which` is a number or a commit. */
  diff(cwd: string, which: string): Promise<string>
  /** Puts the files, or one of them, back. Throws `CHECKPOINT_UNKNOWN`, `CHECKPOINT_PATH`, `CHECKPOINT_GIT`. */
  restore(cwd: string, which: string, file?: string): Promise<RestoreResult>
}
export const Checkpoints: Service<Checkpoints> = defineService('checkpoints')
