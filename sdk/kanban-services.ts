/** What the plugins around the kanban board do for others: dispatch, show the log of workers, describe profiles. */
import { defineService, type Service } from './declarations.ts'
import type { RunOutcome } from './kanban-tasks.ts'

/** What one look at the boards has done. @since 0.2 */
export interface DispatchReport {
  /** Ids of tasks that became ready. */
  readonly promoted: readonly string[]
  readonly started: readonly {
    readonly task: string
    readonly assignee: string
    readonly workspace?: string
    /** Undefined: it would have been started. */
    readonly pid?: number
  }[]
  /** Runs that were ended, and those whose task was completed after its checks. */
  readonly ended: readonly { readonly task: string; readonly outcome: RunOutcome; readonly error?: string }[]
  /** Tasks whose checks are being looked at, or whose worker is being ended. */
  readonly under_way: readonly string[]
  /** Leases that were prolonged because their worker lives. */
  readonly extended: readonly string[]
  /** Ready tasks that were not started. */
  readonly skipped: readonly { readonly task: string; readonly reason: string }[]
}

/** How the boards are looked at once. @since 0.2 */
export interface DispatchOptions {
  /** Changes nothing; says what would be started. */
  readonly isDry?: boolean
  /** Tasks that are started at most. */
  readonly max?: number
  readonly failureLimit?: number
  /** Only ready tasks of this board are started. Workers of all boards are looked after. */
  readonly board?: string
}

/** A part of the log of a task: what all of its workers on this machine wrote, with secrets masked. @since 0.2 */
export interface TaskLog {
  /** Absolute. */
  readonly file: string
  /** False: no worker of this machine has written anything. */
  readonly exists: boolean
  /** Bytes of the whole log. */
  readonly size: number
  /** Byte at which `text` begins, and the one behind its end. */
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Gives tasks to workers. Bring it with `Plugins.bring`. @since 0.2 */
export interface TaskDispatch {
  /**
   * Looks at the boards once. Another process of this machine that dispatches is told to look now: its name is `heldBy`.
   */
  dispatch(
    options?: DispatchOptions,
  ): Promise<
    | { readonly report: DispatchReport; readonly heldBy?: undefined }
    | { readonly report?: undefined; readonly heldBy: string }
  >
  /**
   * From the byte `after` on, or without it the last `maxBytes` (default 65,536, at most 2,000,000). A log that is shorter than `after`
   * is another one, which is read from its beginning. `isWhole`: only whole lines, for one that goes on reading.
   */
  log(
    taskId: string,
    options?: { readonly after?: number; readonly maxBytes?: number; readonly isWhole?: boolean },
  ): Promise<TaskLog>
  /**
   * Removes the scratch folders on this machine of tasks that are done, archived or gone, unless a task that is not final waits for
   * them. Returns the ids of the tasks.
   */
  clean(): Promise<readonly string[]>
}
export const TaskDispatch: Service<TaskDispatch> = defineService('task-dispatch')

/** A profile to which tasks can be given. @since 0.2 */
export interface WorkerProfile {
  readonly name: string
  readonly isDefault: boolean
  /** As its config.yaml says. */
  readonly model?: string
  readonly provider?: string
  /** What it is for; empty: not described. */
  readonly description: string
  /** A model wrote the description. */
  readonly isAutomatic: boolean
  readonly skillCount: number
}

/** What became of a description that a model was to write. @since 0.2 */
export interface ProfileDescription {
  readonly ok: boolean
  readonly profile: string
  /** Why it was left as it was; null when it was written. */
  readonly reason: string | null
  readonly description: string
}

/**
 * The profiles to which tasks can be given, and what each is for. Provided by the plugin `profiles`. Throws the codes of
 * that plugin for unknown or invalid names.
 * @since 0.2
 */
export interface WorkerProfiles {
  list(): Promise<readonly WorkerProfile[]>
  /** The text of a person, which no model replaces unless it is told to. */
  describe(name: string, description: string): Promise<ProfileDescription>
  /** Rejects only when it is interrupted or there is no such profile. `isOverwriting`: also the text of a person. */
  describeByModel(
    name: string,
    options: { readonly isOverwriting: boolean; readonly signal: AbortSignal },
  ): Promise<ProfileDescription>
}
export const WorkerProfiles: Service<WorkerProfiles> = defineService('worker-profiles')
