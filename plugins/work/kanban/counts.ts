/** What tasks have around them, for a page of a list. */
import type { TaskCounts } from 'svc/sdk/kanban'
import type { Database } from './board-store.ts'
import { isFinal } from './move.ts'

/** Values of one statement; both dialects allow more. */
const BATCH = 500

type Counts = { -readonly [K in keyof TaskCounts]: number }

export async function countAround(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, TaskCounts>> {
  const none = { parents: 0, openParents: 0, children: 0, doneChildren: 0, comments: 0 }
  const counts = new Map<string, Counts>(ids.map((id) => [id, { ...none }]))
  const add = (id: string, name: keyof Counts, number: number) => {
    const entry = counts.get(id)
    if (entry) entry[name] += number
  }
  for (let at = 0; at < ids.length; at += BATCH) {
    const some = ids.slice(at, at + BATCH)
    for (const { id, status, number } of await countLinks(db, some, 'parent', 'child')) {
      add(id, 'parents', number)
      if (!isFinal(status)) add(id, 'openParents', number)
    }
    for (const { id, status, number } of await countLinks(db, some, 'child', 'parent')) {
      add(id, 'children', number)
      if (isFinal(status)) add(id, 'doneChildren', number)
    }
    const comments = db.query.selectFrom('comments').select((is) => ['task_id', is.fn.countAll<number>().as('number')])
    for (const row of await comments.where('task_id', 'in', some).groupBy('task_id').execute())
      add(row.task_id, 'comments', Number(row.number))
  }
  return counts
}

async function countLinks(
  { query }: Database,
  ids: readonly string[],
  other: 'parent' | 'child',
  own: 'parent' | 'child',
) {
  const rows = await query
    .selectFrom('links')
    .innerJoin('tasks', 'tasks.id', `links.${other}`)
    .select((is) => [`links.${own} as id`, 'tasks.status', is.fn.countAll<number>().as('number')])
    .where(`links.${own}`, 'in', [...ids])
    .groupBy([`links.${own}`, 'tasks.status'])
    .execute()
  return rows.map(({ id, status, number }) => ({ id, status, number: Number(number) }))
}
