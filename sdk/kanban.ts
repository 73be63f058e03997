/**
 * The kanban board: tasks, the links between them, the runs of workers at them, and what happened. Every change of a task goes
 * through the service `Boards`, which checks it against one table of transitions; workers are kept apart by leases whose epoch grows.
 * All profiles of an installation, and all machines with the same shared store, see the same boards. Times are Unix
 * milliseconds by the clock of the store; money is in US dollars.
 */
import { defineService, type Service } from './declarations.ts'
import type { Registration } from './plugin.ts'

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

/** What a worker proves its right with. Whoever claimed later has a larger epoch. @since 0.2 */
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

/** A task to be created. Texts longer than the limits in the README are refused. @since 0.2 */
export interface NewTask {
  /** Default: the board in use. */
  readonly board?: string
  readonly title: string
  readonly body?: string
  /** Default: nobody; a dispatcher gives it to the default profile. */
  readonly assignee?: string
  readonly parents?: readonly string[]
  readonly tenant?: string
  readonly priority?: number
  /** Who creates it: a profile, a person, a task as `task:ID`. */
  readonly by: string
  /** Begins in `triage`, whatever its parents. */
  readonly isTriage?: boolean
  /** Begins in `blocked`. */
  readonly isBlocked?: boolean
  readonly workspace?: TaskWorkspace
  readonly skills?: readonly string[]
  readonly model?: string
  readonly maxRuntimeMs?: number
  readonly maxRetries?: number
  readonly budgetUsd?: number
  readonly sessionId?: string
  readonly checks?: readonly TaskCheck[]
  /** A task of the board with the same key, unless it is archived, is returned instead of a second one. */
  readonly idempotencyKey?: string
}

/** What may be changed at a task that no worker has. Undefined stays as it is, null removes. @since 0.2 */
export interface TaskChanges {
  readonly title?: string
  readonly body?: string
  readonly priority?: number
  readonly tenant?: string | null
  readonly workspace?: TaskWorkspace
  readonly skills?: readonly string[]
  readonly model?: string | null
  readonly maxRuntimeMs?: number | null
  readonly maxRetries?: number | null
  readonly budgetUsd?: number | null
  readonly checks?: readonly TaskCheck[]
  /** Of a task that is done. */
  readonly result?: string
  readonly summary?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** Which tasks are listed. @since 0.2 */
export interface TaskQuery {
  /** Default: the board in use; null: all boards. */
  readonly board?: string | null
  readonly statuses?: readonly TaskStatus[]
  readonly assignee?: string
  readonly tenant?: string
  readonly sessionId?: string
  /** In title or body, without regard to case. */
  readonly text?: string
  /** Archived ones too, where `statuses` is not given. */
  readonly archived?: boolean
  /** Default `created`; `dispatch`: by priority, the larger first, then by age. */
  readonly sort?: 'created' | 'created-desc' | 'dispatch' | 'updated-desc' | 'title'
  /** Default 200, 20,000 at most. */
  readonly limit?: number
  readonly offset?: number
}

/** @since 0.2 */
export interface TaskPage {
  readonly tasks: readonly TaskCard[]
  /** Without the limit. */
  readonly total: number
}

/** @since 0.2 */
export interface Board {
  /** Lower-case letters, digits, hyphens and underscores, 64 at most. */
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly icon?: string
  readonly color?: string
  /** For tasks with a workspace `dir` or `worktree` without a path. */
  readonly defaultWorkdir?: string
  /** All tasks of it together; nothing is claimed once it is spent. */
  readonly budgetUsd?: number
  readonly spentUsd: number
  readonly createdAt: number
  readonly isArchived: boolean
}

/** What may be changed at a board. Undefined stays as it is, null removes. @since 0.2 */
export interface BoardChanges {
  readonly name?: string
  readonly description?: string
  readonly icon?: string | null
  readonly color?: string | null
  readonly defaultWorkdir?: string | null
  readonly budgetUsd?: number | null
  readonly isArchived?: boolean
}

/** @since 0.2 */
export interface BoardStats {
  readonly byStatus: Readonly<Record<TaskStatus, number>>
  /** Tasks that are not final, by status; without an assignee under the empty name. */
  readonly byAssignee: Readonly<Record<string, Readonly<Partial<Record<TaskStatus, number>>>>>
  readonly tenants: readonly string[]
  /** Since when the oldest ready task is ready. */
  readonly oldestReadyAt?: number
  readonly spentUsd: number
  /** Cursor of the newest event. */
  readonly lastEvent: number
  readonly now: number
}

/** How a task is claimed. @since 0.2 */
export interface TaskClaimOptions {
  /** The dispatcher, for people: machine and process. */
  readonly holder: string
  /** Milliseconds that the lease lasts after the claim and each heartbeat. Default 900,000, at least 1,000. */
  readonly ttlMs?: number
  /** Running tasks at most: of the board, of the assignee. Checked with the claim, also among several dispatchers. */
  readonly caps?: { readonly board?: number; readonly assignee?: number }
}

/**
 * `status`: not ready (any more); `parents`: it went back to todo; `pause`: not before `notBefore`; `budget`: it went to blocked;
 * `board-budget`: that of the board is spent; `unassigned`: nobody to work at it.
 * @since 0.2
 */
export type ClaimRefusal = 'status' | 'parents' | 'pause' | 'budget' | 'board-budget' | 'cap' | 'unassigned'

/** @since 0.2 */
export type TaskClaim =
  | { readonly task: Task; readonly run: TaskRun; readonly lease: TaskLease; readonly refused?: undefined }
  | { readonly refused: ClaimRefusal }

/** How a dispatcher ends a run that did not end by itself. @since 0.2 */
export interface RunEnd {
  /**
   * `rate_limited` counts no failure. `protocol_violation` (the worker exited with 0 and left the task running) blocks
   * at once. All others count one, and block at the failure limit.
   */
  readonly outcome: Extract<
    RunOutcome,
    | 'crashed'
    | 'timed_out'
    | 'spawn_failed'
    | 'checks_failed'
    | 'lapsed'
    | 'stale'
    | 'rate_limited'
    | 'protocol_violation'
  >
  /** One line for people; kept to 500 characters. */
  readonly error?: string
  /** Into the event: exit code, signal, elapsed time. */
  readonly details?: Readonly<Record<string, unknown>>
  /** Of the dispatcher; that of the task wins. Default 2. */
  readonly failureLimit?: number
  /** Trying again cannot help, for instance without a key: it is blocked at once. */
  readonly isPermanent?: boolean
  /** Milliseconds in which it is not claimed again (default 0; `rate_limited` 300,000). */
  readonly pauseMs?: number
  /** Of the checks that failed. */
  readonly evidence?: readonly TaskEvidence[]
}

/** One child of a fan-out. `parents` are indices of the others in the list. @since 0.2 */
export interface FanOutTask
  extends Omit<NewTask, 'board' | 'by' | 'parents' | 'isTriage' | 'isBlocked' | 'idempotencyKey'> {
  readonly assignee: string
  readonly parents?: readonly number[]
}

/** How a task of `triage` is taken apart. @since 0.2 */
export interface FanOut {
  /** Tenant and workspace are those of the root unless given. */
  readonly tasks: readonly FanOutTask[]
  /** Who judges the whole, once all is done. */
  readonly rootAssignee: string
  readonly by: string
  /** The audit comment at the root. */
  readonly comment: string
}

/** How a task of `triage` becomes one that can be worked at. @since 0.2 */
export interface Specification {
  readonly title?: string
  readonly body?: string
  /** Only where the task has none. */
  readonly assignee?: string
  readonly by: string
  readonly comment?: string
}

/** Which events are read. @since 0.2 */
export interface TaskEventQuery {
  /** Default: the board in use; null: all boards. */
  readonly board?: string | null
  readonly taskId?: string
  /** Cursor: events after it, the oldest first. Undefined: the newest ones. */
  readonly after?: number
  readonly kinds?: readonly string[]
  /** Default 200, 5,000 at most. */
  readonly limit?: number
}

/** A chat that hears of a task. @since 0.2 */
export interface TaskSubscription {
  readonly taskId: string
  /** A platform, as deliveries name it. */
  readonly platform: string
  readonly chat: string
  /** Empty without one. */
  readonly thread: string
  /** Whose gateway tells it; undefined: any. */
  readonly profile?: string
  /** Events up to it were told. */
  readonly cursor: number
}

/** Events that a chat has not heard of. @since 0.2 */
export interface TaskNotice {
  readonly subscription: TaskSubscription
  readonly task: TaskCard
  /** The oldest first, at least one. */
  readonly events: readonly TaskEvent[]
  /** The same for the same events, also after a crash: a delivery with this key is not repeated. */
  readonly key: string
}

/** Who changes something, and the reason for it. @since 0.2 */
export interface TaskChange {
  readonly by: string
  readonly reason?: string
}

/**
 * The boards. Throws `KANBAN_TASK_UNKNOWN`, `KANBAN_BOARD_UNKNOWN`, `KANBAN_INPUT` (what is wrong with the input),
 * `KANBAN_REFUSED` (the status of the task does not allow it; the message says what does), `KANBAN_GRAPH` (cycles, unknown parents),
 * `KANBAN_LEASE_LOST` (the lease was taken over, or the run has ended) and the codes of the shared store. Each call is one
 * transaction: it happens as a whole, with its events, or not at all.
 * @since 0.2
 */
export interface Boards {
  boards(options?: { readonly archived?: boolean }): Promise<readonly Board[]>
  /** The named one; without a name that of `SVC_KANBAN_BOARD`, else the one in use, else `default`, which always exists. */
  board(slug?: string): Promise<Board>
  createBoard(board: BoardChanges & { readonly slug: string }): Promise<Board>
  changeBoard(slug: string, changes: BoardChanges): Promise<Board>
  /** Removes a board with all its tasks, for good. Throws `KANBAN_REFUSED` for `default`, and while something runs. */
  removeBoard(slug: string): Promise<void>
  /** Makes it the one in use, for all profiles. */
  useBoard(slug: string): Promise<void>

  list(query?: TaskQuery): Promise<TaskPage>
  get(id: string): Promise<Task>
  details(id: string): Promise<TaskDetails>
  /** For a page of a list. */
  counts(ids: readonly string[]): Promise<ReadonlyMap<string, TaskCounts>>
  stats(board?: string): Promise<BoardStats>
  /** The newest first; `isOpen`: those that have not ended. */
  runs(query: {
    readonly board?: string | null
    readonly taskId?: string
    readonly isOpen?: boolean
    readonly limit?: number
  }): Promise<readonly TaskRun[]>
  events(query: TaskEventQuery): Promise<readonly TaskEvent[]>
  /**
   * Called within a fraction of a second after something was committed, by any process or machine, with the slug of the board.
   * Undefined: something may have been missed. Read the events after your cursor.
   */
  watch(listener: (board: string | undefined) => void): Promise<Registration>

  create(task: NewTask): Promise<{ readonly task: Task; readonly isNew: boolean }>
  edit(id: string, changes: TaskChanges, change: TaskChange): Promise<Task>
  /** Undefined: nobody. Resets the failures. Throws `KANBAN_REFUSED` while it runs. */
  assign(id: string, assignee: string | undefined, change: TaskChange): Promise<Task>
  /** A ready child whose parent is open waits again. Throws `KANBAN_GRAPH`. */
  link(parent: string, child: string, change: TaskChange): Promise<void>
  unlink(parent: string, child: string, change: TaskChange): Promise<void>
  comment(id: string, comment: { readonly author: string; readonly body: string }): Promise<TaskComment>
  attach(
    id: string,
    file: { readonly name: string; readonly mediaType: string; readonly bytes: Uint8Array; readonly by: string },
  ): Promise<TaskAttachment>
  attachment(id: number): Promise<TaskAttachment & { readonly bytes: Uint8Array }>
  removeAttachment(id: number, change: TaskChange): Promise<void>

  /**
   * `lease`: by its worker; without it by a person, also while a worker has it, who then loses it. A task with checks needs
   * `evidence` that all are met, or `isUnverified`. Throws `KANBAN_CHECKS_OPEN`, and `KANBAN_UNKNOWN_TASKS` when `createdTasks`
   * names what it did not create, which also stands in the events.
   */
  complete(
    id: string,
    completion: TaskCompletion & {
      readonly by: string
      readonly lease?: TaskLease
      readonly evidence?: readonly TaskEvidence[]
      readonly isUnverified?: boolean
    },
  ): Promise<Task>
  /** `dependency`: it waits in todo. The same kind again and again sends it to triage. */
  block(
    id: string,
    block: { readonly by: string; readonly reason: string; readonly kind?: BlockKind; readonly lease?: TaskLease },
  ): Promise<Task>
  /** To ready, or to todo while parents are open. Resets the failures. */
  unblock(id: string, change: TaskChange): Promise<Task>
  /** `at`: when it is unblocked by itself. */
  schedule(id: string, change: TaskChange & { readonly at?: number }): Promise<Task>
  /** To ready; `force`: although parents are open. */
  promote(id: string, change: TaskChange & { readonly force?: boolean }): Promise<Task>
  archive(id: string, change: TaskChange): Promise<Task>
  /** Deletes an archived task with all that belongs to it. */
  remove(id: string): Promise<void>
  specify(id: string, specification: Specification): Promise<Task>
  /** Children, links, root, audit comment and event, or nothing. The root waits for all leaves. Throws `KANBAN_GRAPH`. */
  decompose(id: string, fanOut: FanOut): Promise<{ readonly root: Task; readonly children: readonly Task[] }>

  /** Promotes what waits for nothing any more, and what was scheduled and is due. The ids of what became ready. */
  recompute(board?: string | null): Promise<readonly string[]>
  /** Ready tasks that may be claimed now, in order. */
  claimable(query: {
    readonly board?: string | null
    readonly limit: number
    readonly assignee?: string
  }): Promise<readonly TaskCard[]>
  /** The only way into `running`. */
  claim(id: string, options: TaskClaimOptions): Promise<TaskClaim>
  /** The worker was started; repeated with the same identity it changes nothing. */
  started(lease: TaskLease, worker: WorkerIdentity): Promise<TaskRun>
  /** Prolongs the lease. Throws `KANBAN_LEASE_LOST`. */
  heartbeat(lease: TaskLease, options?: { readonly note?: string; readonly ttlMs?: number }): Promise<TaskRun>
  /** The worker says that it is done; its task runs on until the checks were looked at and `complete` or `endRun` is called. */
  submit(lease: TaskLease, completion: TaskCompletion): Promise<TaskRun>
  /** The nonce of a run, for the process that is to complete, block or prolong it in place of its worker. */
  leaseOf(run: Pick<TaskRun, 'taskId' | 'epoch'>): Promise<TaskLease>
  /**
   * Open runs whose lease is over. A lease that ends later than it could by this clock, which was set back, is cut to its time.
   * End them with `endRun`, or prolong those whose worker lives.
   */
  lapsed(board?: string | null): Promise<readonly TaskRun[]>
  /** Throws `KANBAN_LEASE_LOST` when the task has gone on. */
  endRun(run: Pick<TaskRun, 'taskId' | 'epoch'>, end: RunEnd): Promise<Task>
  /** Takes a running task back, for a person; its worker has lost the lease. Resets the failures. */
  reclaim(id: string, change: TaskChange): Promise<Task>
  /** Replaces what a run has cost so far, also after its end. */
  spend(runId: number, cost: RunCost): Promise<void>
  /** An event of the caller's own at a task: `respawn_guarded`, ... */
  record(id: string, kind: string, data: Readonly<Record<string, unknown>>): Promise<TaskEvent>

  subscribe(subscription: Omit<TaskSubscription, 'cursor'> & { readonly cursor?: number }): Promise<TaskSubscription>
  unsubscribe(subscription: Pick<TaskSubscription, 'taskId' | 'platform' | 'chat' | 'thread'>): Promise<void>
  subscriptions(query?: { readonly taskId?: string }): Promise<readonly TaskSubscription[]>
  /** Takes what is to be told for a minute, so that one process tells it. Call `settleNotice` for each. */
  takeNotices(options: {
    readonly profile?: string
    readonly holder: string
    readonly limit?: number
  }): Promise<readonly TaskNotice[]>
  /** `sent` moves the cursor; the subscription of a final task ends. `failed`: again later; three in a row end it. */
  settleNotice(notice: TaskNotice, result: 'sent' | 'failed'): Promise<void>

  /** Deletes events of final tasks before a moment, and runs that belong to nothing. How many events. */
  collect(options: { readonly before: number }): Promise<number>
}
export const Boards: Service<Boards> = defineService('boards')
