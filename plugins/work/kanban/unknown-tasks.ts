/** Whether tasks that a completion names were created for it. */
import type { Task } from 'svc/sdk/kanban'
import type { Database } from './board-store.ts'

/** Those that neither the task nor its assignee created, and that are not its children. */
export async function findUnknownTasks(
  { query }: Database,
  task: Task,
  ids: readonly string[],
): Promise<readonly string[]> {
  const some = ids.slice(0, 200)
  const rows = await query.selectFrom('tasks').select(['id', 'created_by']).where('id', 'in', some).execute()
  const children = await query.selectFrom('links').select('child').where('parent', '=', task.id).execute()
  const authors = [`task:${task.id}`, ...(task.assignee === undefined ? [] : [task.assignee])]
  const known = new Set([
    ...rows.filter((row) => authors.includes(row.created_by)).map(({ id }) => id),
    ...children.map(({ child }) => child),
  ])
  return ids.filter((id) => !known.has(id))
}
