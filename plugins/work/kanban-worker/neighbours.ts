/** Which tasks a worker may look at and change besides its own. */
import { SvcError } from 'svc/sdk'
import type { Boards, Task, TaskDetails } from 'svc/sdk/kanban'
import type { WorkerClaim } from './claim.ts'

export interface Reach {
  readonly boards: () => Boards
  readonly claim: () => WorkerClaim
  /** It may look at and unblock all tasks of its board and tenant. */
  readonly isOrchestrator: () => boolean
}

/** How a task names itself as the author of another one. */
export function getAuthor({ id }: Pick<Task, 'id'>): string {
  return `task:${id}`
}

/** Throws `KANBAN_NOT_YOURS`, and `KANBAN_TASK_UNKNOWN`. */
export async function requireNear(reach: Reach, id: string): Promise<TaskDetails> {
  const own = reach.claim().task
  const details = await reach.boards().details(id)
  if (id === own.id || isNear(own, details) || (reach.isOrchestrator() && isBeside(own, details.task))) return details
  throw new SvcError('KANBAN_NOT_YOURS', `${id} is neither your task ${own.id}, nor next to it, nor created by it.`)
}

/** Created by it: the only ones that a worker may change the links of. */
export function isOwnWork(own: Task, { id, createdBy }: Pick<Task, 'id' | 'createdBy'>): boolean {
  return id === own.id || createdBy === getAuthor(own)
}

function isNear(own: Task, { task, parents, children }: TaskDetails): boolean {
  return task.createdBy === getAuthor(own) || [...parents, ...children].some(({ id }) => id === own.id)
}

function isBeside(own: Task, { board, tenant }: Task): boolean {
  return board === own.board && tenant === own.tenant
}
