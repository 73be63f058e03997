/** What may be given to the boards: shapes and limits. */
import { SvcError } from 'svc/sdk'
import type { BoardChanges, FanOut, NewTask, TaskChanges } from 'svc/sdk/kanban'
import { z } from 'zod'

export const SLUG = /^[a-z0-9][a-z0-9_-]{0,63}$/
const MAX_TITLE = 500
const MAX_BODY = 65_536
const MAX_TEXT = 200
/** Comments, reasons, summaries and results. */
export const MAX_REMARK = 32_768

const text = (max: number) => z.string().max(max)
const name = text(MAX_TEXT)
const workspace = z
  .strictObject({
    kind: z.enum(['scratch', 'dir', 'worktree']),
    path: text(4096).startsWith('/', 'has to be an absolute path').optional(),
    branch: name.optional(),
  })
  .refine(({ kind, branch }) => branch === undefined || kind === 'worktree', 'a branch goes with a worktree only')
  .refine(({ kind, path }) => path === undefined || kind !== 'scratch', 'a scratch workspace has no path')
const checks = z
  .array(
    z.discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('command'),
        command: text(4096).min(1),
        timeoutMs: z.number().int().positive().optional(),
        exitCode: z.number().int().optional(),
      }),
      z.strictObject({ type: z.literal('file'), path: text(4096).min(1), contains: text(4096).optional() }),
      z.strictObject({ type: z.literal('hash'), path: text(4096).min(1), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
      z.strictObject({
        type: z.literal('http'),
        url: z.url({ protocol: /^https?$/ }),
        status: z.number().int().optional(),
        contains: text(4096).optional(),
      }),
    ]),
  )
  .max(50)
const title = text(MAX_TITLE).refine((value) => value.trim() !== '', 'must not be empty')
const skills = z.array(name.regex(/^[^,]+$/, 'must not hold a comma')).max(50)
const common = {
  body: text(MAX_BODY).optional(),
  tenant: name.optional(),
  priority: z.number().int().min(-1_000_000).max(1_000_000).optional(),
  workspace: workspace.optional(),
  skills: skills.optional(),
  model: name.optional(),
  maxRuntimeMs: z.number().int().positive().optional(),
  maxRetries: z.number().int().min(1).max(1000).optional(),
  budgetUsd: z.number().positive().finite().optional(),
  checks: checks.optional(),
}
const part = z.strictObject({
  ...common,
  title,
  assignee: name.min(1),
  parents: z.array(z.number()).max(50).optional(),
  sessionId: name.optional(),
})
const newTask = z.strictObject({
  ...common,
  title,
  board: z.string().optional(),
  assignee: name.optional(),
  parents: z.array(name).max(1000).optional(),
  by: name.min(1),
  isTriage: z.boolean().optional(),
  isBlocked: z.boolean().optional(),
  sessionId: name.optional(),
  idempotencyKey: name.min(1).optional(),
  subscriber: z
    .strictObject({ platform: name.min(1), chat: name.min(1), thread: name, profile: name.optional() })
    .optional(),
})
const taskChanges = z.strictObject({
  ...common,
  title: title.optional(),
  tenant: name.nullable().optional(),
  model: name.nullable().optional(),
  maxRuntimeMs: common.maxRuntimeMs.nullable(),
  maxRetries: common.maxRetries.nullable(),
  budgetUsd: common.budgetUsd.nullable(),
  result: text(MAX_REMARK).optional(),
  summary: text(MAX_REMARK).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
})
const boardChanges = z.strictObject({
  name: name.min(1).optional(),
  description: text(4000).optional(),
  icon: name.nullable().optional(),
  color: name.nullable().optional(),
  defaultWorkdir: text(4096).startsWith('/', 'has to be an absolute path').nullable().optional(),
  budgetUsd: z.number().positive().finite().nullable().optional(),
  isArchived: z.boolean().optional(),
})
const fanOut = z.strictObject({
  tasks: z.array(part).max(10_000),
  rootAssignee: name.min(1),
  by: name.min(1),
  comment: text(MAX_REMARK),
})

function check(schema: z.ZodType, what: string, value: unknown): void {
  const { error } = schema.safeParse(value)
  if (!error) return
  const [issue] = error.issues
  const path = issue?.path.join('.') ?? ''
  throw new SvcError(
    'KANBAN_INPUT',
    `${what}${path === '' ? '' : `: ${path}`}: ${issue?.message}. Nothing was changed.`,
  )
}

export const checkTask = (task: NewTask) => check(newTask, 'The task', task)
export const checkChanges = (changes: TaskChanges) => check(taskChanges, 'The changes', changes)
export const checkBoard = (changes: BoardChanges) => check(boardChanges, 'The board', changes)
export const checkFanOut = (value: FanOut) => check(fanOut, 'The fan-out', value)

/** Throws `KANBAN_INPUT` where a text is empty or too long. */
export function checkText(what: string, value: string, max = MAX_REMARK): string {
  if (value.trim() !== '' && value.length <= max) return value
  const problem = value.length > max ? `has ${value.length} characters, ${max} is the most` : 'must not be empty'
  throw new SvcError('KANBAN_INPUT', `${what} ${problem}. Nothing was changed.`)
}

/** Throws `KANBAN_INPUT` where an optional text or a record is too long. */
export function checkLength(what: string, value: unknown): void {
  const length = value === undefined ? 0 : (JSON.stringify(value) ?? '').length
  if (length > MAX_REMARK * 2)
    throw new SvcError(
      'KANBAN_INPUT',
      `${what} is too long: ${length} characters, ${MAX_REMARK * 2} is the most. Nothing was changed.`,
    )
}

export function checkSlug(slug: string): string {
  if (SLUG.test(slug)) return slug
  throw new SvcError(
    'KANBAN_INPUT',
    'The name of a board has lower-case letters, digits, hyphens and underscores, 64 at most, and begins with a letter or digit.',
  )
}
