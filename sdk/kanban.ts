/**
 * The kanban board: tasks, the links between them, the runs of workers at them, and what happened. Every change of a task goes
 * through the service `Boards`, which checks it against one table of transitions; workers are kept apart by leases whose epoch grows.
 * All profiles of an installation, and all machines with the same shared store, see the same boards. Times are Unix
 * milliseconds by the clock of the store; money is in US dollars.
 */
import { defineService, type Service } from './declarations.ts'
import type {
  BlockKind,
  RunCost,
  RunOutcome,
  Task,
  TaskAttachment,
  TaskCard,
  TaskCheck,
  TaskComment,
  TaskCompletion,
  TaskCounts,
  TaskDetails,
  TaskEvent,
  TaskEvidence,
  TaskLease,
  TaskRun,
  TaskStatus,
  TaskWorkspace,
  WorkerIdentity,
} from './kanban-tasks.ts'
import type { Registration } from './plugin.ts'

/** A task to be created. Texts longer than the limits in the README are refused. @since 0.2 */
export interface NewTask {
  /** Default: the board in use. */
  readonly board?: string
  readonly title: string
  readonly body?: string
  /** Default: none; a dispatcher gives it to the default profile. */
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
  /** A chat that hears of it from the beginning. */
  readonly subscriber?: Pick<TaskSubscription, 'platform' | 'chat' | 'thread' | 'profile'>
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
 * `status`: not ready (any more); `parents`: one is open; `pause`: not before `notBefore`; `budget`: it went to blocked;
 * `board-budget`: that of the board is spent; `unassigned`: it has no assignee.
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

/** Where a person may take a task from its status, by the table of transitions. @since 0.2 */
export interface TaskMove {
  readonly verb: 'specify' | 'unblock' | 'promote' | 'reclaim' | 'complete' | 'block' | 'schedule' | 'archive'
  readonly to: TaskStatus
}

/** What goes with a move: `reason` with all of them, the rest where it leads to `done`. @since 0.2 */
export interface TaskMoveOptions extends TaskChange, Omit<TaskCompletion, 'createdTasks'> {
  readonly to: TaskStatus
  /** To `done`, although its checks were not looked at. */
  readonly isUnverified?: boolean
  /** To `scheduled`: when it is resumed automatically. */
  readonly at?: number
}

/** Changes of one task that happen together or not at all, in this order. @since 0.2 */
export interface TaskRevision {
  /** A task that runs is taken back from its worker before anything else. */
  readonly reclaimsFirst?: boolean
  readonly changes?: TaskChanges
  /** Null: none. The one that it has changes nothing. */
  readonly assignee?: string | null
  readonly move?: Omit<TaskMoveOptions, 'by'>
}

/** A task that needs a person. @since 0.2 */
export interface TaskFinding {
  readonly kind: 'repeated_failures' | 'stuck_in_blocked' | 'stranded_in_ready' | 'lease_over' | 'unverified'
  readonly severity: 'warning' | 'error'
  readonly task: TaskCard
  readonly detail: string
  /** What to do, as a command. */
  readonly fix: string
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
  /** Undefined: there is no run of this number. */
  run(id: number): Promise<TaskRun | undefined>
  events(query: TaskEventQuery): Promise<readonly TaskEvent[]>
  /** Tasks that need a person. */
  diagnose(board?: string): Promise<readonly TaskFinding[]>
  /**
   * Called within a fraction of a second after something was committed, by any process or machine, with the slug of the board.
   * Undefined: something may have been missed. Read the events after your cursor.
   */
  watch(listener: (board: string | undefined) => void): Promise<Registration>

  create(task: NewTask): Promise<{ readonly task: Task; readonly isNew: boolean }>
  edit(id: string, changes: TaskChanges, change: TaskChange): Promise<Task>
  /** Undefined: none. Resets the failures. Throws `KANBAN_REFUSED` while it runs. */
  assign(id: string, assignee: string | undefined, change: TaskChange): Promise<Task>
  /** Throws what `edit`, `assign` and `move` throw; then nothing was changed. */
  change(id: string, revision: TaskRevision, change: TaskChange): Promise<Task>
  /**
   * A ready child whose parent is open waits again. One that runs is refused, unless `lease` is that of its worker. Throws
   * `KANBAN_GRAPH`.
   */
  link(parent: string, child: string, change: TaskChange & { readonly lease?: TaskLease }): Promise<void>
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
   * `evidence` that all are met, or `isUnverified`; with that a task without checks is marked as not verified, too. Throws `KANBAN_CHECKS_OPEN`, and `KANBAN_UNKNOWN_TASKS` when `createdTasks`
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
  /** Where a person may take it now; never to `running`, which only a claim does. */
  moves(id: string): Promise<readonly TaskMove[]>
  /** One of `moves`, by its `to`. Throws `KANBAN_REFUSED` for all others, and what the verb throws. */
  move(id: string, options: TaskMoveOptions): Promise<Task>
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
    /** Only for chats of these; undefined: of all. */
    readonly platforms?: readonly string[]
    readonly holder: string
    readonly limit?: number
  }): Promise<readonly TaskNotice[]>
  /** `sent` moves the cursor; the subscription of a final task ends. `failed`: again later; three in a row end it. */
  settleNotice(notice: TaskNotice, result: 'sent' | 'failed'): Promise<void>

  /** Deletes events of final tasks before a moment, and runs that belong to nothing. How many events. */
  collect(options: { readonly before: number }): Promise<number>
}
export const Boards: Service<Boards> = defineService('boards')
