/** What is read of the boards, without locks. */
import {
  type BoardStats,
  TASK_STATUSES,
  type Task,
  type TaskCounts,
  type TaskDetails,
  type TaskEvent,
  type TaskEventQuery,
  type TaskMove,
  type TaskPage,
  type TaskQuery,
  type TaskRun,
  type TaskStatus,
} from 'svc/sdk/kanban'
import type { BoardList } from './board-list.ts'
import type { BoardStore, Database } from './board-store.ts'
import { countAround } from './counts.ts'
import { settledEvents } from './event-order.ts'
import { filterTasks, sortTasks } from './list-query.ts'
import { taskUnknown } from './move.ts'
import { listMoves } from './person-moves.ts'
import {
  CARD_COLUMNS,
  type CardColumns,
  type CardRow,
  toAttachment,
  toCard,
  toCardRow,
  toComment,
  toEvent,
  toRun,
  toTask,
} from './records.ts'
import { TRANSITIONS } from './transitions.ts'

const MAX_PAGE = 20_000
const MAX_EVENTS = 5000
/** Entries of a long list in the details of a task. */
const DETAILS = 200
const FINAL: TaskStatus[] = ['done', 'archived']

interface Aliased {
  as(name: string): Parameters<Database['sql']>[1]
}

export interface ReadingDeps {
  readonly store: BoardStore
  readonly boards: BoardList
}

export class BoardReading {
  readonly #deps: ReadingDeps

  constructor(deps: ReadingDeps) {
    this.#deps = deps
  }

  async list(query: TaskQuery): Promise<TaskPage> {
    const db = await this.#deps.store.open()
    const tasks = filterTasks(db, query, await this.board(query.board))
    const limit = Math.min(Math.max(query.limit ?? 200, 0), MAX_PAGE)
    const offset = Math.max(query.offset ?? 0, 0)
    const page = sortTasks(tasks.select(CARD_COLUMNS), query.sort)
    const rows = await readCards(db, page.limit(limit).offset(offset))
    const isAll = offset === 0 && rows.length < limit
    const count = isAll
      ? undefined
      : await tasks.select((is) => is.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    return { tasks: rows.map(toCard), total: Number(count?.total ?? rows.length) }
  }

  async get(id: string): Promise<Task> {
    const { query } = await this.#deps.store.open()
    const row = await query.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst()
    if (row) return toTask(row)
    throw taskUnknown(id)
  }

  async details(id: string): Promise<TaskDetails> {
    const task = await this.get(id)
    const { query } = await this.#deps.store.open()
    const related = (of: 'parent' | 'child') =>
      query
        .selectFrom('links')
        .innerJoin('tasks', 'tasks.id', `links.${of}`)
        .select(CARD_COLUMNS.map((column) => `tasks.${column}` as const))
        .where(of === 'parent' ? 'links.child' : 'links.parent', '=', id)
        .orderBy('tasks.created_at')
        .orderBy('tasks.id')
        .execute()
    const newest = (table: 'comments' | 'events' | 'runs') =>
      query.selectFrom(table).selectAll().where('task_id', '=', id).orderBy('id', 'desc').limit(DETAILS).execute()
    const comments = (await newest('comments')) as Parameters<typeof toComment>[0][]
    const events = (await newest('events')) as Parameters<typeof toEvent>[0][]
    const runs = (await newest('runs')) as Parameters<typeof toRun>[0][]
    const files = await query.selectFrom('attachments').selectAll().where('task_id', '=', id).orderBy('id').execute()
    return {
      task,
      parents: (await related('parent')).map(toCard),
      children: (await related('child')).map(toCard),
      comments: comments.reverse().map(toComment),
      events: events.reverse().map(toEvent),
      runs: runs.reverse().map(toRun),
      attachments: files.map(toAttachment),
    }
  }

  async counts(ids: readonly string[]): Promise<ReadonlyMap<string, TaskCounts>> {
    return countAround(await this.#deps.store.open(), ids)
  }

  async stats(board: string | undefined): Promise<BoardStats> {
    const db = await this.#deps.store.open()
    const slug = await this.board(board)
    const tasks = () => db.query.selectFrom('tasks').where('board', '=', slug as string)
    const groups = await tasks()
      .select((is) => [
        ...(['status', 'assignee'] as const),
        is.fn.countAll<number>().as('number'),
        is.fn.min('ready_at').as('ready_at'),
        is.fn.sum<number>('spent_usd').as('usd'),
      ])
      .groupBy(['status', 'assignee'])
      .execute()
    const byStatus = Object.fromEntries(TASK_STATUSES.map((status) => [status, 0])) as Record<TaskStatus, number>
    const byAssignee: Record<string, Partial<Record<TaskStatus, number>>> = {}
    let oldest: number | undefined
    let spentUsd = 0
    for (const group of groups) {
      const status = group.status as TaskStatus
      byStatus[status] += Number(group.number)
      spentUsd += Number(group.usd ?? 0)
      if (status === 'ready' && group.ready_at !== null) oldest = Math.min(oldest ?? Infinity, group.ready_at)
      if (FINAL.includes(status)) continue
      const name = group.assignee ?? ''
      byAssignee[name] = { ...byAssignee[name], [status]: Number(group.number) }
    }
    const tenants = await tasks()
      .select('tenant')
      .distinct()
      .where('tenant', 'is not', null)
      .orderBy('tenant')
      .execute()
    return {
      ...{ byStatus, byAssignee, tenants: tenants.map(({ tenant }) => tenant as string) },
      ...(oldest !== undefined && { oldestReadyAt: oldest }),
      ...{ spentUsd, lastEvent: await findLastEvent(db, slug), now: await db.now() },
    }
  }

  async runs({
    board,
    taskId,
    isOpen,
    limit = 200,
  }: {
    readonly board?: string | null
    readonly taskId?: string
    readonly isOpen?: boolean
    readonly limit?: number
  }): Promise<readonly TaskRun[]> {
    const { query } = await this.#deps.store.open()
    const slug = taskId === undefined ? await this.board(board) : undefined
    let runs = query.selectFrom('runs').selectAll()
    if (slug !== undefined) runs = runs.where('board', '=', slug)
    if (taskId !== undefined) runs = runs.where('task_id', '=', taskId)
    if (isOpen !== undefined) runs = runs.where('ended_at', isOpen ? 'is' : 'is not', null)
    return (await runs.orderBy('id', 'desc').limit(Math.min(limit, MAX_PAGE)).execute()).map(toRun)
  }

  async run(id: number): Promise<TaskRun | undefined> {
    const { query } = await this.#deps.store.open()
    const row = await query.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst()
    return row && toRun(row)
  }

  async moves(id: string): Promise<readonly TaskMove[]> {
    const { query } = await this.#deps.store.open()
    const columns = ['status', 'ignores_parents'] as const
    const row = await query.selectFrom('tasks').select(columns).where('id', '=', id).executeTakeFirst()
    if (!row) throw taskUnknown(id)
    const counts = (await this.counts([id])).get(id)
    const parentsOpen = row.ignores_parents === 0 && (counts?.openParents ?? 0) > 0
    return listMoves(TRANSITIONS, row.status as TaskStatus, { parentsOpen })
  }

  async events({ board, taskId, after, kinds, limit = 200 }: TaskEventQuery): Promise<readonly TaskEvent[]> {
    const db = await this.#deps.store.open()
    const slug = taskId === undefined ? await this.board(board) : undefined
    // Events of one task are written one after the other in any case.
    const last = taskId === undefined ? await settledEvents(db) : undefined
    let events = db.query.selectFrom('events').selectAll()
    if (last !== undefined) events = events.where('id', '<=', last)
    if (slug !== undefined) events = events.where('board', '=', slug)
    if (taskId !== undefined) events = events.where('task_id', '=', taskId)
    if (kinds) events = events.where('kind', 'in', [...kinds])
    if (after !== undefined) events = events.where('id', '>', after)
    const rows = await events
      .orderBy('id', after === undefined ? 'desc' : 'asc')
      .limit(Math.min(limit, MAX_EVENTS))
      .execute()
    return (after === undefined ? rows.reverse() : rows).map(toEvent)
  }

  /** Undefined: all boards. */
  async board(slug: string | null | undefined): Promise<string | undefined> {
    return slug === null ? undefined : this.#deps.boards.resolve(slug)
  }
}

/** As one value of JSON: rows of a driver would take most of the time of a long list. */
async function readCards({ query, sql, dialect }: Database, page: Aliased): Promise<readonly CardRow[]> {
  const [all, one] =
    dialect === 'postgres' ? (['json_agg', 'json_build_array'] as const) : (['json_group_array', 'json_array'] as const)
  const columns = sql.join(CARD_COLUMNS.map((column) => sql.ref(`page.${column}`)))
  const { rows } = await sql<{ cards: string | CardColumns[] | null }>`
    select ${sql.raw(all)}(${sql.raw(one)}(${columns})) as cards from ${page.as('page')}`.execute(query)
  const cards = rows[0]?.cards ?? []
  return (typeof cards === 'string' ? (JSON.parse(cards) as CardColumns[]) : cards).map(toCardRow)
}

async function findLastEvent(db: Database, board: string | undefined): Promise<number> {
  const last = await settledEvents(db)
  let events = db.query.selectFrom('events').select('id')
  if (last !== undefined) events = events.where('id', '<=', last)
  if (board !== undefined) events = events.where('board', '=', board)
  return (await events.orderBy('id', 'desc').limit(1).executeTakeFirst())?.id ?? 0
}
