/** Records of the boards as clients get them. Names have underscores, times are seconds since 1970, what is not known is null. */
import {
  type Board,
  TASK_STATUSES,
  type Task,
  type TaskAttachment,
  type TaskCard,
  type TaskComment,
  type TaskCounts,
  type TaskEvent,
  type TaskRun,
} from 'svc/sdk/kanban'
import { z } from 'zod'

const seconds = (ms: number | undefined) => (ms === undefined ? null : ms / 1000)
const time = z.number().meta({ description: 'Seconds since 1970.' })
const maybe = <T extends z.ZodType>(type: T) => type.nullable()

export const cardSchema = z.object({
  id: z.string(),
  board: z.string(),
  title: z.string(),
  status: z.enum(TASK_STATUSES),
  assignee: maybe(z.string()),
  priority: z.number(),
  tenant: maybe(z.string()),
  created_at: time,
  updated_at: time,
  started_at: maybe(time),
  completed_at: maybe(time),
  not_before: maybe(time),
  consecutive_failures: z.number(),
  last_failure_error: maybe(z.string()),
  block_kind: maybe(z.string()),
  block_reason: maybe(z.string()),
  latest_summary: maybe(z.string()),
  verified: maybe(z.boolean()).meta({ description: 'False: it was completed without evidence.' }),
})

export const boardCardSchema = cardSchema.extend({
  age: z.number().meta({ description: 'Seconds since it was created.' }),
  link_counts: z.object({ parents: z.number(), open_parents: z.number(), children: z.number() }),
  comment_count: z.number(),
  progress: maybe(z.object({ done: z.number(), total: z.number() })),
})

export const taskSchema = cardSchema.extend({
  body: z.string(),
  created_by: z.string(),
  workspace_kind: z.enum(['scratch', 'dir', 'worktree']),
  workspace_path: maybe(z.string()),
  branch_name: maybe(z.string()),
  result: maybe(z.string()),
  metadata: maybe(z.record(z.string(), z.unknown())),
  skills: z.array(z.string()),
  model_override: maybe(z.string()),
  max_runtime_seconds: maybe(z.number()),
  max_retries: maybe(z.number()),
  budget_usd: maybe(z.number()),
  budget_spent_usd: z.number(),
  budget_unknown_cost_runs: z.number(),
  session_id: maybe(z.string()),
  idempotency_key: maybe(z.string()),
  checks: z.array(z.looseObject({ type: z.string() })),
  evidence: z.array(z.object({ check: z.number(), met: z.boolean(), detail: z.string(), at: time })),
  block_recurrences: z.number(),
  claim_lock: maybe(z.string()).meta({ description: 'The dispatcher that claimed it.' }),
  claim_expires: maybe(time),
  current_run_id: maybe(z.number()),
  worker_pid: maybe(z.number()),
  last_heartbeat_at: maybe(time),
})

export const runSchema = z.object({
  id: z.number(),
  board: z.string(),
  task_id: z.string(),
  profile: maybe(z.string()),
  status: z.enum(['running', 'ended']),
  outcome: maybe(z.string()),
  claim_lock: z.string(),
  claim_expires: time,
  worker_pid: maybe(z.number()),
  worker_machine: maybe(z.string()),
  max_runtime_seconds: maybe(z.number()),
  last_heartbeat_at: maybe(time),
  started_at: time,
  ended_at: maybe(time),
  summary: maybe(z.string()),
  error: maybe(z.string()),
  estimated_cost_usd: z.number(),
  unpriced_calls: z.number(),
  api_calls: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  model: maybe(z.string()),
})

export const eventSchema = z.object({
  id: z.number().meta({ description: 'The cursor: a later event has a larger one.' }),
  board: z.string(),
  task_id: z.string(),
  run_id: maybe(z.number()),
  kind: z.string(),
  payload: z.record(z.string(), z.unknown()),
  created_at: time,
})
export const eventsSchema = z.object({ events: z.array(eventSchema), cursor: z.number() })

export const commentSchema = z.object({
  id: z.number(),
  task_id: z.string(),
  author: z.string(),
  body: z.string(),
  created_at: time,
})

export const attachmentSchema = z.object({
  id: z.number(),
  task_id: z.string(),
  filename: z.string(),
  content_type: z.string(),
  size: z.number(),
  sha256: z.string(),
  uploaded_by: z.string(),
  created_at: time,
})

export const boardSchema = z.object({
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  icon: maybe(z.string()),
  color: maybe(z.string()),
  default_workdir: maybe(z.string()),
  budget_usd: maybe(z.number()),
  budget_spent_usd: z.number(),
  created_at: time,
  archived: z.boolean(),
})

export function toCard(card: TaskCard): z.infer<typeof cardSchema> {
  return {
    ...{ id: card.id, board: card.board, title: card.title, status: card.status, priority: card.priority },
    assignee: card.assignee ?? null,
    tenant: card.tenant ?? null,
    created_at: card.createdAt / 1000,
    updated_at: card.updatedAt / 1000,
    started_at: seconds(card.startedAt),
    completed_at: seconds(card.completedAt),
    not_before: seconds(card.notBefore),
    consecutive_failures: card.failures,
    last_failure_error: card.lastError ?? null,
    block_kind: card.blockKind ?? null,
    block_reason: card.blockReason ?? null,
    latest_summary: card.summary?.slice(0, 200) ?? null,
    verified: card.isVerified ?? null,
  }
}

export function toBoardCard(
  card: TaskCard,
  counts: TaskCounts | undefined,
  now: number,
): z.infer<typeof boardCardSchema> {
  const { parents = 0, openParents = 0, children = 0, doneChildren = 0, comments = 0 } = counts ?? {}
  return {
    ...toCard(card),
    age: Math.max(0, Math.round((now - card.createdAt) / 1000)),
    link_counts: { parents, open_parents: openParents, children },
    comment_count: comments,
    progress: children === 0 ? null : { done: doneChildren, total: children },
  }
}

export function toTask(task: Task): z.infer<typeof taskSchema> {
  const { hold, workspace } = task
  return {
    ...toCard(task),
    ...{ body: task.body, created_by: task.createdBy, skills: [...task.skills] },
    workspace_kind: workspace.kind,
    workspace_path: workspace.path ?? null,
    branch_name: workspace.branch ?? null,
    result: task.result ?? null,
    metadata: task.metadata ?? null,
    model_override: task.model ?? null,
    max_runtime_seconds: seconds(task.maxRuntimeMs),
    max_retries: task.maxRetries ?? null,
    budget_usd: task.budgetUsd ?? null,
    budget_spent_usd: task.spentUsd,
    budget_unknown_cost_runs: task.unpricedRuns,
    session_id: task.sessionId ?? null,
    idempotency_key: task.idempotencyKey ?? null,
    checks: [...task.checks],
    evidence: task.evidence.map(({ check, isMet, detail, at }) => ({ check, met: isMet, detail, at: at / 1000 })),
    block_recurrences: task.blockRecurrences,
    claim_lock: hold?.holder ?? null,
    claim_expires: seconds(hold?.expiresAt),
    current_run_id: hold?.runId ?? null,
    worker_pid: hold?.worker?.pid ?? null,
    last_heartbeat_at: seconds(hold?.heartbeatAt),
  }
}

export function toRun(run: TaskRun): z.infer<typeof runSchema> {
  const { cost } = run
  return {
    ...{ id: run.id, board: run.board, task_id: run.taskId, profile: run.assignee ?? null },
    status: run.endedAt === undefined ? 'running' : 'ended',
    outcome: run.outcome ?? null,
    claim_lock: run.holder,
    claim_expires: run.expiresAt / 1000,
    worker_pid: run.worker?.pid ?? null,
    worker_machine: run.worker?.machine ?? null,
    max_runtime_seconds: seconds(run.maxRuntimeMs),
    last_heartbeat_at: seconds(run.heartbeatAt),
    started_at: run.startedAt / 1000,
    ended_at: seconds(run.endedAt),
    summary: run.summary ?? null,
    error: run.error ?? null,
    ...{ estimated_cost_usd: cost.usd, unpriced_calls: cost.unpricedCalls, api_calls: cost.calls },
    ...{ input_tokens: cost.inputTokens, output_tokens: cost.outputTokens, model: cost.model ?? null },
  }
}

export function toEvent(event: TaskEvent): z.infer<typeof eventSchema> {
  const { id, board, taskId, runId, kind, data, at } = event
  return { id, board, task_id: taskId, run_id: runId ?? null, kind, payload: data, created_at: at / 1000 }
}

export function toComment({ id, taskId, author, body, at }: TaskComment): z.infer<typeof commentSchema> {
  return { id, task_id: taskId, author, body, created_at: at / 1000 }
}

export function toAttachment(file: TaskAttachment): z.infer<typeof attachmentSchema> {
  const { id, taskId, name, mediaType, size, sha256, by, at } = file
  return {
    ...{ id, task_id: taskId, filename: name, content_type: mediaType, size, sha256 },
    ...{ uploaded_by: by, created_at: at / 1000 },
  }
}

export function toBoard(board: Board): z.infer<typeof boardSchema> {
  return {
    ...{ slug: board.slug, name: board.name, description: board.description },
    icon: board.icon ?? null,
    color: board.color ?? null,
    default_workdir: board.defaultWorkdir ?? null,
    budget_usd: board.budgetUsd ?? null,
    budget_spent_usd: board.spentUsd,
    created_at: board.createdAt / 1000,
    archived: board.isArchived,
  }
}
