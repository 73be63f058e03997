/** Records of the kanban board: tasks, runs, events, and what belongs to a task. Times are Unix milliseconds, money is in US dollars. */

/** In the order in which a board shows them. @since 0.2 */
export const TASK_STATUSES = ['triage', 'todo', 'scheduled', 'ready', 'running', 'blocked', 'done', 'archived'] as const
/**
 * `triage`: to be specified or taken apart; `todo`: waits for its parents; `scheduled`: waits for a moment, or until it is unblocked;
 * `ready`: a worker may have it; `running`: a worker has it; `blocked`: a person is needed; `done` and `archived` are final.
 * @since 0.2
 */
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** @since 0.2 */
export const BLOCK_KINDS = ['dependency', 'needs_input', 'capability', 'transient'] as const
/** Why a task is blocked. `dependency`: it waits for another task, in `todo`. @since 0.2 */
export type BlockKind = (typeof BLOCK_KINDS)[number]

/** Tasks that `decompose` may write at once. @since 0.2 */
export const MAX_FAN_OUT = 50
/** Bytes of an attachment. @since 0.2 */
export const MAX_TASK_ATTACHMENT_BYTES = 25 * 1024 * 1024
/** Failed runs after which a task is blocked, where neither the task nor the dispatcher says another number. @since 0.2 */
export const DEFAULT_FAILURE_LIMIT = 2

/** Where a worker works: a folder made for the task, one that is there, or a git worktree. @since 0.2 */
export interface TaskWorkspace {
  readonly kind: 'scratch' | 'dir' | 'worktree'
  /** Absolute. `dir`: the folder; `worktree`: the repository, or where the worktree is to be. */
  readonly path?: string
  /** `worktree` only. */
  readonly branch?: string
}

/** What has to hold before a task counts as done. It is looked at outside of the worker. Paths are relative to the workspace. @since 0.2 */
export type TaskCheck =
  | { readonly type: 'command'; readonly command: string; readonly timeoutMs?: number; readonly exitCode?: number }
  | { readonly type: 'file'; readonly path: string; readonly contains?: string }
  | { readonly type: 'hash'; readonly path: string; readonly sha256: string }
  | { readonly type: 'http'; readonly url: string; readonly status?: number; readonly contains?: string }

/** What was found when a check was looked at. @since 0.2 */
export interface TaskEvidence {
  /** Index in `checks` of the task. */
  readonly check: number
  readonly isMet: boolean
  /** One line for people. */
  readonly detail: string
  readonly at: number
}

/** A task as lists show it. @since 0.2 */
export interface TaskCard {
  /** `t_` and eight hexadecimal digits; unique among all boards. */
  readonly id: string
  readonly board: string
  readonly title: string
  readonly status: TaskStatus
  /** A profile. */
  readonly assignee?: string
  /** The larger the sooner; 0 is usual. */
  readonly priority: number
  readonly tenant?: string
  readonly createdAt: number
  readonly updatedAt: number
  /** Of the first run. */
  readonly startedAt?: number
  readonly completedAt?: number
  /** Failed runs since it was last unblocked, reassigned or reclaimed by a person. */
  readonly failures: number
  readonly lastError?: string
  readonly blockKind?: BlockKind
  readonly blockReason?: string
  /** `ready`: not claimed before it. `scheduled`: becomes ready or todo then. */
  readonly notBefore?: number
  /** First line of what was reported when it was completed. */
  readonly summary?: string
  /** False: it was completed without evidence. Undefined: not done, or there was nothing to check. */
  readonly isVerified?: boolean
}

/** What a task has around it. @since 0.2 */
export interface TaskCounts {
  readonly parents: number
  readonly openParents: number
  readonly children: number
  readonly doneChildren: number
  readonly comments: number
}

/** Who has a running task. @since 0.2 */
export interface TaskHold {
  readonly runId: number
  readonly epoch: number
  /** The dispatcher that claimed it. */
  readonly holder: string
  readonly expiresAt: number
  readonly heartbeatAt?: number
  readonly worker?: WorkerIdentity
}

/** A task. @since 0.2 */
export interface Task extends TaskCard {
  readonly body: string
  readonly createdBy: string
  readonly workspace: TaskWorkspace
  readonly result?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly skills: readonly string[]
  readonly model?: string
  readonly maxRuntimeMs?: number
  /** Failed runs after which it is blocked. */
  readonly maxRetries?: number
  readonly budgetUsd?: number
  readonly spentUsd: number
  /** Runs whose cost is not known. */
  readonly unpricedRuns: number
  /** The session that is to hear of its end. */
  readonly sessionId?: string
  readonly idempotencyKey?: string
  readonly checks: readonly TaskCheck[]
  /** Of the last time that the checks were looked at. */
  readonly evidence: readonly TaskEvidence[]
  readonly blockRecurrences: number
  /** Of the last claim; 0 before it. */
  readonly epoch: number
  readonly hold?: TaskHold
}

/** Tells a worker process from a later one with its id. @since 0.2 */
export interface WorkerIdentity {
  readonly machine: string
  readonly pid: number
  /** As the operating system tells it, in any unit: only compared. */
  readonly startTime: string
}

/** What a worker proves its right with. A later claim has a larger epoch. @since 0.2 */
export interface TaskLease {
  readonly taskId: string
  readonly epoch: number
  /** Known to the dispatcher and the worker of this claim only. */
  readonly nonce: string
}

/** How a run ended. @since 0.2 */
export type RunOutcome =
  | 'completed'
  | 'blocked'
  | 'scheduled'
  | 'archived'
  | 'reclaimed'
  | 'lapsed'
  | 'stale'
  | 'crashed'
  | 'timed_out'
  | 'spawn_failed'
  | 'checks_failed'
  | 'rate_limited'
  | 'protocol_violation'

/** One worker at one task, from the claim on. @since 0.2 */
export interface TaskRun {
  readonly id: number
  readonly board: string
  readonly taskId: string
  readonly epoch: number
  readonly assignee?: string
  readonly holder: string
  readonly worker?: WorkerIdentity
  readonly startedAt: number
  readonly endedAt?: number
  readonly expiresAt: number
  readonly heartbeatAt?: number
  readonly maxRuntimeMs?: number
  readonly outcome?: RunOutcome
  readonly summary?: string
  readonly error?: string
  /** What the worker says it did, while the checks are looked at. */
  readonly submission?: TaskCompletion
  readonly cost: RunCost
}

/** What a run has cost so far. @since 0.2 */
export interface RunCost {
  readonly usd: number
  /** Calls without a known price. */
  readonly unpricedCalls: number
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly model?: string
}

/** What is reported when a task is completed. @since 0.2 */
export interface TaskCompletion {
  readonly summary?: string
  readonly result?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Tasks that were created for it: each must have been created by it or its assignee, or be its child. */
  readonly createdTasks?: readonly string[]
}

/** An entry of what happened. Its `id` is the cursor: an event that is committed later has a larger one. @since 0.2 */
export interface TaskEvent {
  readonly id: number
  readonly board: string
  readonly taskId: string
  readonly runId?: number
  /** `created`, `claimed`, `completed`, ...: see the README of the plugin `kanban`. */
  readonly kind: string
  readonly data: Readonly<Record<string, unknown>>
  readonly at: number
}

/** @since 0.2 */
export interface TaskComment {
  readonly id: number
  readonly taskId: string
  readonly author: string
  readonly body: string
  readonly at: number
}

/** A file at a task, without its bytes. @since 0.2 */
export interface TaskAttachment {
  readonly id: number
  readonly taskId: string
  readonly name: string
  readonly mediaType: string
  readonly size: number
  readonly sha256: string
  readonly by: string
  readonly at: number
}

/** A task with all that belongs to it; of long lists the newest. @since 0.2 */
export interface TaskDetails {
  readonly task: Task
  readonly parents: readonly TaskCard[]
  readonly children: readonly TaskCard[]
  readonly comments: readonly TaskComment[]
  readonly events: readonly TaskEvent[]
  readonly runs: readonly TaskRun[]
  readonly attachments: readonly TaskAttachment[]
}
