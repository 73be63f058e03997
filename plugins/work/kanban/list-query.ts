/** Which tasks a list has, and in which order. */
import type { TaskQuery } from 'svc/sdk/kanban'
import type { Database } from './board-store.ts'

/** `board` undefined: of all boards. */
export function filterTasks(db: Database, query: TaskQuery, board: string | undefined) {
  let tasks = db.query.selectFrom('tasks')
  if (board !== undefined) tasks = tasks.where('board', '=', board)
  if (query.statuses) tasks = tasks.where('status', 'in', [...query.statuses])
  else if (query.archived !== true) tasks = tasks.where('status', '<>', 'archived')
  if (query.assignee !== undefined) tasks = tasks.where('assignee', '=', query.assignee.toLowerCase())
  if (query.tenant !== undefined) tasks = tasks.where('tenant', '=', query.tenant)
  if (query.sessionId !== undefined) tasks = tasks.where('session_id', '=', query.sessionId)
  if (query.text === undefined) return tasks
  const { sql } = db
  const pattern = `%${query.text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const found = sql<boolean>`(lower(title) like ${pattern} escape '\\' or lower(body) like ${pattern} escape '\\')`
  return tasks.where(found)
}

interface Sortable<Self> {
  orderBy(column: 'priority' | 'created_at' | 'updated_at' | 'title' | 'id', direction?: 'asc' | 'desc'): Self
}

export function sortTasks<Page extends Sortable<Page>>(page: Page, sort: TaskQuery['sort'] = 'created'): Page {
  const sorted = {
    created: () => page.orderBy('created_at'),
    'created-desc': () => page.orderBy('created_at', 'desc'),
    dispatch: () => page.orderBy('priority', 'desc').orderBy('created_at'),
    'updated-desc': () => page.orderBy('updated_at', 'desc'),
    title: () => page.orderBy('title'),
  }[sort]()
  return sorted.orderBy('id')
}
