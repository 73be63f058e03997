/** What makes tasks and links: create, link, unlink, specify, and a task that is taken apart. */
import { SvcError } from 'svc/sdk'
import {
  type FanOut,
  MAX_FAN_OUT,
  type NewTask,
  type Specification,
  type TaskChange,
  type TaskLease,
  type TaskStatus,
} from 'svc/sdk/kanban'
import { type MoveDeps, move, readParents, requireTask, tryMove } from './move.ts'
import { requireLease } from './run-moves.ts'
import type { MoveTables, TaskRow } from './tables.ts'
import { type Facts, findTransition } from './transitions.ts'

/** Ids that are taken are tried again this often: four random bytes meet by chance in large boards. */
const ID_ATTEMPTS = 5

export interface Created {
  readonly task: TaskRow
  readonly isNew: boolean
}

export async function create(deps: MoveDeps, board: string, input: NewTask): Promise<Created> {
  const { tables } = deps
  const key = input.idempotencyKey
  const known = key === undefined ? undefined : await tables.findByKey(board, key)
  if (known) return { task: known, isNew: false }
  const parents = [...new Set(input.parents ?? [])]
  if (parents.length > 0) await tables.lockLinks()
  const isOpen = await findOpen(tables, board, parents)
  const facts = { triage: input.isTriage === true, held: input.isBlocked === true, parentsOpen: isOpen }
  const task = await insert(deps, board, input, facts)
  if (!('id' in task)) return { task: task.known, isNew: false }
  for (const parent of parents) await tables.addLink(parent, task.id)
  return { task, isNew: true }
}

async function findOpen(tables: MoveTables, board: string, parents: readonly string[]): Promise<boolean> {
  let isOpen = false
  for (const id of [...parents].sort()) {
    const parent = await tables.task(id)
    if (parent?.board !== board)
      throw new SvcError('KANBAN_GRAPH', `The parent ${id} is not on the board ${board}. Nothing was created.`)
    isOpen ||= parent.status !== 'done' && parent.status !== 'archived'
  }
  return isOpen
}

async function insert(
  deps: MoveDeps,
  board: string,
  input: NewTask,
  facts: Facts,
): Promise<TaskRow | { known: TaskRow }> {
  const { tables, transitions } = deps
  const row = findTransition(transitions, 'create', undefined, facts)
  if (!row?.to) throw new SvcError('KANBAN_REFUSED', 'create is refused: the table of transitions has no row for it.')
  for (let attempt = 0; attempt < ID_ATTEMPTS; attempt++) {
    const task = await tables.insertTask(describeTask(tables, board, input, row.to))
    if (task) {
      const { assignee, status, tenant, budget_usd } = task
      const data = { by: input.by, assignee, status, tenant, budgetUsd: budget_usd, parents: input.parents ?? [] }
      for (const kind of row.events) tables.event({ board, taskId: task.id, runId: null, kind, data })
      return task
    }
    const known = input.idempotencyKey === undefined ? undefined : await tables.findByKey(board, input.idempotencyKey)
    if (known) return { known }
  }
  throw new SvcError('KANBAN_REFUSED', 'No free id was found for the task. Create it once more.')
}

function describeTask(tables: MoveTables, board: string, input: NewTask, status: TaskStatus): TaskRow {
  const { now } = tables
  return {
    ...{ id: `t_${tables.hex(4)}`, board, title: input.title.trim(), body: input.body ?? '', status },
    ...{
      assignee: input.assignee?.trim().toLowerCase() || null,
      tenant: input.tenant ?? null,
      priority: input.priority ?? 0,
    },
    ...{ created_by: input.by, created_at: now, updated_at: now, started_at: null, completed_at: null },
    ready_at: status === 'ready' ? now : null,
    ...{
      workspace: JSON.stringify(input.workspace ?? { kind: 'scratch' }),
      result: null,
      summary: null,
      metadata: null,
    },
    ...{ skills: JSON.stringify(input.skills ?? []), model: input.model ?? null },
    ...{ max_runtime_ms: input.maxRuntimeMs ?? null, max_retries: input.maxRetries ?? null },
    ...{ budget_usd: input.budgetUsd ?? null, spent_usd: 0, unpriced_runs: 0, session_id: input.sessionId ?? null },
    ...{ idempotency_key: input.idempotencyKey ?? null, checks: JSON.stringify(input.checks ?? []), evidence: '[]' },
    ...{ is_verified: null, failures: 0, last_error: null, block_kind: null, block_reason: null, block_recurrences: 0 },
    ...{ not_before: null, paused_at: null, ignores_parents: 0, epoch: 0, nonce: null, run_id: null, holder: null },
    ...{ expires_at: null, lease_ms: null, heartbeat_at: null, worker: null },
  }
}

/** A running task goes on: its worker blocks it until the new parent is done. */
export async function link(
  deps: MoveDeps,
  parent: string,
  child: string,
  { by, lease }: TaskChange & { readonly lease?: TaskLease },
): Promise<void> {
  const { tables } = deps
  await tables.lockLinks()
  const [one, other] = [await requireTask(tables, parent), await requireTask(tables, child)]
  if (parent === child) throw new SvcError('KANBAN_GRAPH', `${parent} cannot wait for itself.`)
  if (one.board !== other.board)
    throw new SvcError(
      'KANBAN_GRAPH',
      `${parent} is on the board ${one.board} and ${child} on ${other.board}: link tasks of one board.`,
    )
  if (other.status === 'running' && lease?.taskId === child) await requireLease(deps, lease)
  else if (other.status === 'running')
    throw new SvcError(
      'KANBAN_REFUSED',
      `link is refused: ${child} is running. Take it back first: svc kanban reclaim ${child}`,
    )
  if (await reaches(tables, child, parent))
    throw new SvcError('KANBAN_GRAPH', `${parent} waits for ${child} already, so ${child} cannot wait for ${parent}.`)
  if (!(await tables.addLink(parent, child))) return
  tables.event({ board: other.board, taskId: child, runId: null, kind: 'linked', data: { by, parent } })
  const facts = await readParents(tables, other)
  if (other.status === 'ready') await tryMove(deps, other, 'wait', facts, { data: { parent } })
}

export async function unlink(deps: MoveDeps, parent: string, child: string, { by }: TaskChange): Promise<void> {
  const { tables } = deps
  await tables.lockLinks()
  const task = await requireTask(tables, child)
  await requireTask(tables, parent)
  if (!(await tables.removeLink(parent, child)))
    throw new SvcError('KANBAN_GRAPH', `${child} does not wait for ${parent}: there is no such link.`)
  tables.event({ board: task.board, taskId: child, runId: null, kind: 'unlinked', data: { by, parent } })
  if (task.status === 'todo') await tryMove(deps, task, 'recompute', await readParents(tables, task))
}

/** Whether one gets from a task to another along the links from parents to children. */
async function reaches(tables: MoveTables, from: string, to: string): Promise<boolean> {
  const seen = new Set([from])
  for (const id of seen) {
    if (id === to) return true
    for (const child of await tables.children(id)) seen.add(child)
  }
  return false
}

export async function specify(deps: MoveDeps, id: string, input: Specification): Promise<TaskRow> {
  const { tables } = deps
  const task = await requireTask(tables, id)
  const changes: Partial<TaskRow> = {
    ...(input.title !== undefined && input.title.trim() !== '' && { title: input.title.trim() }),
    ...(input.body !== undefined && { body: input.body }),
    ...(task.assignee === null && input.assignee !== undefined && { assignee: input.assignee.toLowerCase() }),
  }
  const step = { data: { by: input.by, changed: Object.keys(changes) }, changes }
  const after = await move(deps, task, 'specify', await readParents(tables, task), step)
  if (input.comment !== undefined) await tables.comment(id, input.by, input.comment)
  return after
}

export async function decompose(
  deps: MoveDeps,
  id: string,
  fanOut: FanOut,
): Promise<{ readonly root: TaskRow; readonly children: readonly TaskRow[] }> {
  const { tables } = deps
  checkGraph(fanOut)
  await tables.lockLinks()
  const before = await requireTask(tables, id)
  const ids: string[] = []
  const children: TaskRow[] = []
  for (const at of sortByParents(fanOut)) {
    const { parents = [], ...input } = fanOut.tasks[at] as FanOut['tasks'][number]
    const task = await insert(
      deps,
      before.board,
      {
        ...(before.tenant !== null && { tenant: before.tenant }),
        workspace: JSON.parse(before.workspace),
        ...input,
        by: fanOut.by,
        parents: parents.map((parent) => ids[parent] as string),
      },
      { parentsOpen: parents.length > 0 },
    )
    if (!('id' in task)) throw new SvcError('KANBAN_GRAPH', 'A child has the idempotency key of another task.')
    ids[at] = task.id
    children[at] = task
    for (const parent of parents) await tables.addLink(ids[parent] as string, task.id)
  }
  const inner = new Set(fanOut.tasks.flatMap(({ parents = [] }) => parents))
  for (const [at, child] of ids.entries()) if (!inner.has(at)) await tables.addLink(child, id)
  const root = await move(
    deps,
    before,
    'decompose',
    {},
    {
      data: { by: fanOut.by, children: ids, rootAssignee: fanOut.rootAssignee },
      changes: { assignee: fanOut.rootAssignee.toLowerCase(), ignores_parents: 0 },
    },
  )
  await tables.comment(id, fanOut.by, fanOut.comment)
  return { root, children }
}

function checkGraph({ tasks }: FanOut): void {
  if (tasks.length === 0 || tasks.length > MAX_FAN_OUT)
    throw new SvcError(
      'KANBAN_GRAPH',
      `${tasks.length} parts: a task is taken apart into 1 to ${MAX_FAN_OUT}. Nothing was written.`,
    )
  for (const [at, { parents = [] }] of tasks.entries()) {
    const bad = parents.find(
      (parent) => !Number.isInteger(parent) || parent < 0 || parent >= tasks.length || parent === at,
    )
    if (bad !== undefined)
      throw new SvcError(
        'KANBAN_GRAPH',
        `Part ${at} cannot wait for part ${bad} of ${tasks.length}. Nothing was written.`,
      )
  }
}

/** Indices so that parents come first. */
function sortByParents({ tasks }: FanOut): number[] {
  const sorted: number[] = []
  const open = new Set(tasks.keys())
  while (open.size > 0) {
    const next = [...open].filter((at) => (tasks[at]?.parents ?? []).every((parent) => !open.has(parent)))
    if (next.length === 0)
      throw new SvcError(
        'KANBAN_GRAPH',
        `The parts ${[...open].join(', ')} wait for each other in a circle. Nothing was written.`,
      )
    for (const at of next) {
      sorted.push(at)
      open.delete(at)
    }
  }
  return sorted
}
