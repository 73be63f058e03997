/** The tables of the boards, and what the moves of tasks need of them. */
import type { Generated, Selectable } from 'svc/sdk/store'

export interface TasksTable {
  id: string
  board: string
  title: string
  body: string
  status: string
  assignee: string | null
  tenant: string | null
  priority: number
  created_by: string
  created_at: number
  updated_at: number
  started_at: number | null
  completed_at: number | null
  ready_at: number | null
  workspace: string
  result: string | null
  summary: string | null
  metadata: string | null
  skills: string
  model: string | null
  max_runtime_ms: number | null
  max_retries: number | null
  budget_usd: number | null
  spent_usd: number
  unpriced_runs: number
  session_id: string | null
  idempotency_key: string | null
  checks: string
  evidence: string
  is_verified: number | null
  failures: number
  last_error: string | null
  block_kind: string | null
  block_reason: string | null
  block_recurrences: number
  not_before: number | null
  /** When `not_before` was set: a clock that is before it was set back. */
  paused_at: number | null
  ignores_parents: number
  epoch: number
  nonce: string | null
  run_id: number | null
  holder: string | null
  expires_at: number | null
  lease_ms: number | null
  heartbeat_at: number | null
  worker: string | null
}
export type TaskRow = TasksTable

export interface RunsTable {
  id: Generated<number>
  board: string
  task_id: string
  epoch: number
  assignee: string | null
  holder: string
  worker: string | null
  started_at: number
  ended_at: number | null
  expires_at: number
  lease_ms: number
  heartbeat_at: number | null
  max_runtime_ms: number | null
  outcome: string | null
  summary: string | null
  error: string | null
  submission: string | null
  usd: number
  unpriced_calls: number
  calls: number
  input_tokens: number
  output_tokens: number
  model: string | null
}
export type RunRow = Selectable<RunsTable>

export interface EventsTable {
  id: Generated<number>
  board: string
  task_id: string
  run_id: number | null
  kind: string
  data: string
  at: number
}
export type EventRow = Selectable<EventsTable>

export interface BoardsTable {
  slug: string
  name: string
  description: string
  icon: string | null
  color: string | null
  default_workdir: string | null
  budget_usd: number | null
  created_at: number
  is_archived: number
}

export interface CommentsTable {
  id: Generated<number>
  task_id: string
  author: string
  body: string
  at: number
}

export interface AttachmentsTable {
  id: Generated<number>
  task_id: string
  name: string
  media_type: string
  size: number
  sha256: string
  author: string
  at: number
}

export interface SubscriptionsTable {
  task_id: string
  platform: string
  chat: string
  thread: string
  profile: string | null
  cursor: number
  failures: number
  holder: string | null
  held_until: number | null
}

export interface Tables {
  tasks: TasksTable
  runs: RunsTable
  events: EventsTable
  boards: BoardsTable
  comments: CommentsTable
  attachments: AttachmentsTable
  attachment_parts: { attachment_id: number; part: number; bytes: Uint8Array }
  subscriptions: SubscriptionsTable
  links: { parent: string; child: string }
  settings: { name: string; value: string }
  transitions: { from_status: string; to_status: string }
}

/** An event before it has its id. */
export interface NewEvent {
  readonly board: string
  readonly taskId: string
  readonly runId: number | null
  readonly kind: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * What the moves of tasks work on: one transaction of the database, or the memory of the explorer. Whatever is read here is locked
 * until its end.
 */
export interface MoveTables {
  readonly now: number
  hex(bytes: number): string
  task(id: string): Promise<TaskRow | undefined>
  /** Undefined: a row has this id, or the idempotency key. */
  insertTask(row: TaskRow): Promise<TaskRow | undefined>
  findByKey(board: string, key: string): Promise<TaskRow | undefined>
  /** Writes the changes where status and epoch are still those of `before`. */
  saveTask(before: TaskRow, changes: Partial<TaskRow>): Promise<TaskRow>
  deleteTask(id: string): Promise<void>
  /** Parents that are neither done nor archived. */
  openParents(id: string): Promise<readonly string[]>
  children(id: string): Promise<readonly string[]>
  /** All links are changed by one transaction at a time. */
  lockLinks(): Promise<void>
  addLink(parent: string, child: string): Promise<boolean>
  removeLink(parent: string, child: string): Promise<boolean>
  /** Ids of tasks that recompute may promote. */
  waiting(board: string | undefined): Promise<readonly string[]>
  insertRun(row: Omit<RunRow, 'id'>): Promise<RunRow>
  run(id: number): Promise<RunRow | undefined>
  saveRun(id: number, changes: Partial<RunRow>): Promise<RunRow>
  comment(taskId: string, author: string, body: string): Promise<void>
  event(event: NewEvent): void
}
