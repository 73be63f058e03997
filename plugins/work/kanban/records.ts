/** Rows as the records that others see. */
import type {
  BlockKind,
  Board,
  RunOutcome,
  Task,
  TaskAttachment,
  TaskCard,
  TaskCheck,
  TaskComment,
  TaskCompletion,
  TaskEvent,
  TaskEvidence,
  TaskHold,
  TaskRun,
  TaskStatus,
  TaskSubscription,
  TaskWorkspace,
  WorkerIdentity,
} from 'svc/sdk/kanban'
import type { Selectable } from 'svc/sdk/store'
import type {
  AttachmentsTable,
  BoardsTable,
  CommentsTable,
  EventRow,
  RunRow,
  SubscriptionsTable,
  TaskRow,
} from './tables.ts'

/** Columns of a card. */
export const CARD_COLUMNS = [
  ...(['id', 'board', 'title', 'status', 'assignee', 'priority', 'tenant', 'created_at', 'updated_at'] as const),
  ...(['started_at', 'completed_at', 'failures', 'last_error', 'block_kind', 'block_reason'] as const),
  ...(['not_before', 'summary', 'is_verified'] as const),
] as const
export type CardRow = Pick<TaskRow, (typeof CARD_COLUMNS)[number]>
type Values<Columns extends readonly (keyof TaskRow)[]> = { readonly [K in keyof Columns]: TaskRow[Columns[K]] }
/** The values of `CARD_COLUMNS`. */
export type CardColumns = Values<typeof CARD_COLUMNS>

/** Read by place: taking the values apart by name would take longer than all the rest. */
export function toCardRow(values: CardColumns): CardRow {
  return {
    id: values[0],
    board: values[1],
    title: values[2],
    status: values[3],
    assignee: values[4],
    priority: values[5],
    tenant: values[6],
    created_at: values[7],
    updated_at: values[8],
    started_at: values[9],
    completed_at: values[10],
    failures: values[11],
    last_error: values[12],
    block_kind: values[13],
    block_reason: values[14],
    not_before: values[15],
    summary: values[16],
    is_verified: values[17],
  }
}

/** Leaves out what is not there. */
function only<K extends string, T>(name: K, value: T | null | undefined): { readonly [key in K]?: T } {
  return value === null || value === undefined ? {} : ({ [name]: value } as { [key in K]: T })
}

/** Written out: spread objects would take most of the time of a long list. */
export function toCard(row: CardRow): TaskCard {
  const { status } = row
  const card: { -readonly [K in keyof TaskCard]: TaskCard[K] } = {
    id: row.id,
    board: row.board,
    title: row.title,
    status: status as TaskStatus,
    priority: row.priority,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    failures: row.failures,
  }
  if (row.assignee !== null) card.assignee = row.assignee
  if (row.tenant !== null) card.tenant = row.tenant
  if (row.started_at !== null) card.startedAt = row.started_at
  if (row.completed_at !== null) card.completedAt = row.completed_at
  if (row.last_error !== null) card.lastError = row.last_error
  if (status === 'blocked' || status === 'triage' || status === 'scheduled') {
    if (row.block_kind !== null) card.blockKind = row.block_kind as BlockKind
    if (row.block_reason !== null) card.blockReason = row.block_reason
  }
  if (row.not_before !== null) card.notBefore = row.not_before
  if (row.summary !== null) card.summary = row.summary
  if (row.is_verified !== null) card.isVerified = row.is_verified === 1
  return card
}

export function toTask(row: TaskRow): Task {
  return {
    ...toCard(row),
    ...{ body: row.body, createdBy: row.created_by, workspace: JSON.parse(row.workspace) as TaskWorkspace },
    ...only('result', row.result),
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) as Record<string, unknown> }),
    skills: JSON.parse(row.skills) as string[],
    ...only('model', row.model),
    ...only('maxRuntimeMs', row.max_runtime_ms),
    ...only('maxRetries', row.max_retries),
    ...only('budgetUsd', row.budget_usd),
    ...{ spentUsd: row.spent_usd, unpricedRuns: row.unpriced_runs },
    ...only('sessionId', row.session_id),
    ...only('idempotencyKey', row.idempotency_key),
    checks: JSON.parse(row.checks) as TaskCheck[],
    evidence: JSON.parse(row.evidence) as TaskEvidence[],
    ...{ blockRecurrences: row.block_recurrences, epoch: row.epoch },
    ...only('hold', toHold(row)),
  }
}

function toHold(row: TaskRow): TaskHold | undefined {
  if (row.status !== 'running' || row.run_id === null) return undefined
  return {
    ...{ runId: row.run_id, epoch: row.epoch, holder: row.holder ?? '', expiresAt: row.expires_at ?? 0 },
    ...only('heartbeatAt', row.heartbeat_at),
    ...(row.worker !== null && { worker: JSON.parse(row.worker) as WorkerIdentity }),
  }
}

export function toRun(row: RunRow): TaskRun {
  return {
    ...{ id: row.id, board: row.board, taskId: row.task_id, epoch: row.epoch, holder: row.holder },
    ...only('assignee', row.assignee),
    ...(row.worker !== null && { worker: JSON.parse(row.worker) as WorkerIdentity }),
    ...{ startedAt: row.started_at, expiresAt: row.expires_at },
    ...only('endedAt', row.ended_at),
    ...only('heartbeatAt', row.heartbeat_at),
    ...only('maxRuntimeMs', row.max_runtime_ms),
    ...only('outcome', row.outcome as RunOutcome | null),
    ...only('summary', row.summary),
    ...only('error', row.error),
    ...(row.submission !== null && { submission: JSON.parse(row.submission) as TaskCompletion }),
    cost: {
      ...{ usd: row.usd, unpricedCalls: row.unpriced_calls, calls: row.calls },
      ...{ inputTokens: row.input_tokens, outputTokens: row.output_tokens },
      ...only('model', row.model),
    },
  }
}

export function toEvent(row: EventRow): TaskEvent {
  return {
    ...{ id: row.id, board: row.board, taskId: row.task_id, kind: row.kind, at: row.at },
    ...only('runId', row.run_id),
    data: JSON.parse(row.data) as Record<string, unknown>,
  }
}

export function toComment({ id, task_id, author, body, at }: Selectable<CommentsTable>): TaskComment {
  return { id, taskId: task_id, author, body, at }
}

export function toAttachment(row: Selectable<AttachmentsTable>): TaskAttachment {
  const { id, task_id, name, media_type, size, sha256, author, at } = row
  return { id, taskId: task_id, name, mediaType: media_type, size, sha256, by: author, at }
}

export function toBoard(row: BoardsTable, spentUsd: number): Board {
  return {
    ...{ slug: row.slug, name: row.name, description: row.description },
    ...only('icon', row.icon),
    ...only('color', row.color),
    ...only('defaultWorkdir', row.default_workdir),
    ...only('budgetUsd', row.budget_usd),
    ...{ spentUsd, createdAt: row.created_at, isArchived: row.is_archived === 1 },
  }
}

export function toSubscription(row: SubscriptionsTable): TaskSubscription {
  const { task_id, platform, chat, thread, profile, cursor } = row
  return { taskId: task_id, platform, chat, thread, cursor, ...only('profile', profile) }
}
