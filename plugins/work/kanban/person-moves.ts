/** Where a person may take a task, for screens and pages on which a task is put into another column. */
import { SvcError } from 'svc/sdk'
import type { TaskMove, TaskMoveOptions, TaskStatus } from 'svc/sdk/kanban'
import { specify } from './graph-moves.ts'
import { type MoveDeps, readParents, requireTask } from './move.ts'
import type { TaskRow } from './tables.ts'
import { archive, block, complete, promote, reclaim, schedule, unblock } from './task-moves.ts'
import { applies, type Facts, type Transition } from './transitions.ts'

/** In the order in which one of two that lead to the same status is taken. */
const VERBS = ['specify', 'unblock', 'promote', 'reclaim', 'complete', 'block', 'schedule', 'archive'] as const

type Options = Omit<TaskMoveOptions, 'to'>

/** At most one for each status. */
export function listMoves(table: readonly Transition[], from: TaskStatus, facts: Facts): readonly TaskMove[] {
  const found = VERBS.flatMap((verb) =>
    table
      .filter((row) => row.verb === verb && row.from === from && applies(row, facts))
      .flatMap(({ to }): TaskMove[] => (to === undefined ? [] : [{ verb, to }])),
  )
  return found.filter(({ to }, at) => found.findIndex((other) => other.to === to) === at)
}

/** Throws `KANBAN_REFUSED` where the table has no such move. */
export async function moveTo(deps: MoveDeps, id: string, to: TaskStatus, options: Options): Promise<TaskRow> {
  const task = await requireTask(deps.tables, id)
  const from = task.status as TaskStatus
  const moves = listMoves(deps.transitions, from, await readParents(deps.tables, task))
  const move = moves.find((one) => one.to === to)
  if (move) return runMove(deps, id, move, options)
  const possible = moves.map((one) => one.to).join(', ')
  throw new SvcError(
    'KANBAN_REFUSED',
    `${id} is ${from} and cannot be taken to ${to}. It may go to ${possible || 'nothing'}. Nothing was changed.`,
  )
}

function runMove(deps: MoveDeps, id: string, { verb }: TaskMove, options: Options): Promise<TaskRow> {
  const { by, reason, at, ...completion } = options
  const change = { by, ...(reason !== undefined && { reason }) }
  const run: Record<TaskMove['verb'], () => Promise<TaskRow>> = {
    specify: () => specify(deps, id, { by, ...(reason !== undefined && { comment: reason }) }),
    unblock: () => unblock(deps, id, change),
    promote: () => promote(deps, id, change),
    reclaim: () => reclaim(deps, id, change),
    complete: () => complete(deps, id, { ...completion, by }),
    block: () => block(deps, id, { by, reason: reason ?? 'No reason was given.' }),
    schedule: () => schedule(deps, id, { ...change, ...(at !== undefined && { at }) }),
    archive: () => archive(deps, id, change),
  }
  return run[verb]()
}
