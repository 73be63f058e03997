/** Removes scratch folders that nothing needs any more. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from 'svc/sdk'
import type { Boards, Task } from 'svc/sdk/kanban'
import type { WorkerRecords } from './records.ts'
import { removeScratch } from './workspace.ts'

export interface ScratchDeps {
  /** Of scratch folders: `BOARD/TASK`. */
  readonly folder: string
  readonly boards: () => Boards
  /** Of workers that may still be there. */
  readonly records: Pick<WorkerRecords, 'list'>
}

const TASK = /^t_[0-9a-f]+$/

/**
 * Removes those of tasks that are done, once all that waited for them are final. What failed is kept for a person, unless
 * `isThorough`: then folders of archived tasks and of tasks that are gone are removed, too. Returns the ids of the tasks.
 */
export async function cleanScratch(
  { folder, boards, records }: ScratchDeps,
  { isThorough }: { readonly isThorough: boolean },
): Promise<readonly string[]> {
  const found = listScratch(folder)
  if (found.length === 0) return []
  const busy = new Set(records.list().map(({ taskId }) => taskId))
  const counts = await boards().counts(found.map(({ task }) => task))
  const removed: string[] = []
  for (const { board, task: id } of found) {
    if (busy.has(id)) continue
    const { children = 0, doneChildren = 0 } = counts.get(id) ?? {}
    if (doneChildren < children) continue
    const task = await findTask(boards(), id)
    if (!isOver(task, isThorough)) continue
    removeScratch(id, board, folder)
    removed.push(id)
  }
  return removed
}

function isOver(task: Task | undefined, isThorough: boolean): boolean {
  if (task === undefined) return isThorough
  if (task.status === 'archived') return isThorough || task.completedAt !== undefined
  return task.status === 'done'
}

/** Links are not followed: a worker can write here. */
function listScratch(folder: string): readonly { readonly board: string; readonly task: string }[] {
  return listFolders(folder).flatMap((board) =>
    listFolders(join(folder, board))
      .filter((name) => TASK.test(name))
      .map((task) => ({ board, task })),
  )
}

function listFolders(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

async function findTask(boards: Boards, id: string): Promise<Task | undefined> {
  try {
    return await boards.get(id)
  } catch (error) {
    if (errorCode(error) === 'KANBAN_TASK_UNKNOWN') return undefined
    throw error
  }
}
