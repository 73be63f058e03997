/** The tables of one transaction, as the moves of tasks need them. */
import { SvcError } from 'svc/sdk'
import type { SharedDatabase, StoreTransaction } from 'svc/sdk/store'
import { insertEvents } from './event-order.ts'
import type { EventRow, MoveTables, NewEvent, RunRow, Tables, TaskRow } from './tables.ts'

/** Number of an advisory lock at a server. */
const LOCK_LINKS = 7_361_001
export const CHANGES = 'changes'

export interface SqlDeps {
  readonly tx: StoreTransaction<Tables>
  readonly db: SharedDatabase<Tables>
  readonly now: number
  hex(bytes: number): string
}

export class SqlTables implements MoveTables {
  readonly now: number
  readonly hex: (bytes: number) => string
  readonly #tx: StoreTransaction<Tables>
  readonly #db: SharedDatabase<Tables>
  readonly #events: NewEvent[] = []
  /** As they are: rows that were read here are locked. */
  readonly #tasks = new Map<string, TaskRow>()
  readonly #runs = new Map<number, RunRow>()

  constructor({ tx, db, now, hex }: SqlDeps) {
    this.#tx = tx
    this.#db = db
    this.now = now
    this.hex = hex
  }

  async task(id: string): Promise<TaskRow | undefined> {
    const known = this.#tasks.get(id)
    if (known) return known
    const query = this.#tx.selectFrom('tasks').selectAll().where('id', '=', id)
    return this.#known(await (this.#isServer ? query.forUpdate() : query).executeTakeFirst())
  }

  /** The task; `locked`: another transaction has it at a server, and is not waited for. */
  async freeTask(id: string): Promise<TaskRow | 'locked' | undefined> {
    if (!this.#isServer) return this.task(id)
    const query = this.#tx.selectFrom('tasks').selectAll().where('id', '=', id)
    const free = this.#known(await query.forUpdate().skipLocked().executeTakeFirst())
    return free ?? ((await query.executeTakeFirst()) && 'locked')
  }

  #known(row: TaskRow | undefined): TaskRow | undefined {
    if (row) this.#tasks.set(row.id, row)
    return row
  }

  async insertTask(row: TaskRow): Promise<TaskRow | undefined> {
    const insert = this.#tx
      .insertInto('tasks')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
    return insert.returningAll().executeTakeFirst()
  }

  findByKey(board: string, key: string): Promise<TaskRow | undefined> {
    const query = this.#tx.selectFrom('tasks').selectAll().where('board', '=', board).where('idempotency_key', '=', key)
    return query.where('status', '<>', 'archived').executeTakeFirst()
  }

  async saveTask(before: TaskRow, changes: Partial<TaskRow>): Promise<TaskRow> {
    const update = this.#tx.updateTable('tasks').set(changes).where('id', '=', before.id)
    const row = await update
      .where('status', '=', before.status)
      .where('epoch', '=', before.epoch)
      .returningAll()
      .executeTakeFirst()
    if (row) return this.#known(row) as TaskRow
    throw new SvcError('KANBAN_LEASE_LOST', `${before.id} was changed by another meanwhile. Look at it, and try again.`)
  }

  async deleteTask(id: string): Promise<void> {
    const tx = this.#tx
    this.#tasks.delete(id)
    const parts = tx.selectFrom('attachments').select('id').where('task_id', '=', id)
    await tx.deleteFrom('attachment_parts').where('attachment_id', 'in', parts).execute()
    for (const table of ['attachments', 'comments', 'events', 'runs', 'subscriptions'] as const)
      await tx.deleteFrom(table).where('task_id', '=', id).execute()
    await tx
      .deleteFrom('links')
      .where((is) => is.or([is('parent', '=', id), is('child', '=', id)]))
      .execute()
    await tx.deleteFrom('tasks').where('id', '=', id).execute()
  }

  async openParents(id: string): Promise<readonly string[]> {
    const rows = await this.#tx
      .selectFrom('links')
      .innerJoin('tasks', 'tasks.id', 'links.parent')
      .select('tasks.id')
      .where('links.child', '=', id)
      .where('tasks.status', 'not in', ['done', 'archived'])
      .execute()
    return rows.map((row) => row.id)
  }

  async children(id: string): Promise<readonly string[]> {
    const query = this.#tx.selectFrom('links').select('child').where('parent', '=', id).orderBy('child')
    return (await query.execute()).map(({ child }) => child)
  }

  lockLinks(): Promise<void> {
    return this.#lock(LOCK_LINKS)
  }

  async addLink(parent: string, child: string): Promise<boolean> {
    const insert = this.#tx
      .insertInto('links')
      .values({ parent, child })
      .onConflict((conflict) => conflict.doNothing())
    return (await insert.returning('child').executeTakeFirst()) !== undefined
  }

  async removeLink(parent: string, child: string): Promise<boolean> {
    const gone = this.#tx.deleteFrom('links').where('parent', '=', parent).where('child', '=', child)
    return (await gone.returning('child').executeTakeFirst()) !== undefined
  }

  async waiting(board: string | undefined): Promise<readonly string[]> {
    let todo = this.#tx.selectFrom('tasks').select('id').where('status', '=', 'todo')
    todo = todo.where((is) =>
      is.or([
        is('ignores_parents', '=', 1),
        is.not(
          is.exists(
            is
              .selectFrom('links')
              .innerJoin('tasks as parents', 'parents.id', 'links.parent')
              .select('links.parent')
              .whereRef('links.child', '=', 'tasks.id')
              .where('parents.status', 'not in', ['done', 'archived']),
          ),
        ),
      ]),
    )
    let due = this.#tx.selectFrom('tasks').select('id').where('status', '=', 'scheduled')
    due = due.where('not_before', '<=', this.now)
    if (board !== undefined) [todo, due] = [todo.where('board', '=', board), due.where('board', '=', board)]
    return [...(await todo.execute()), ...(await due.execute())].map(({ id }) => id).sort()
  }

  async insertRun(row: Omit<RunRow, 'id'>): Promise<RunRow> {
    return this.#keepRun(await this.#tx.insertInto('runs').values(row).returningAll().executeTakeFirstOrThrow())
  }

  async run(id: number): Promise<RunRow | undefined> {
    const known = this.#runs.get(id)
    return known ?? this.#tx.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst()
  }

  async saveRun(id: number, changes: Partial<RunRow>): Promise<RunRow> {
    const update = this.#tx.updateTable('runs').set(changes).where('id', '=', id)
    return this.#keepRun(await update.returningAll().executeTakeFirstOrThrow())
  }

  #keepRun(row: RunRow): RunRow {
    this.#runs.set(row.id, row)
    return row
  }

  async comment(taskId: string, author: string, body: string): Promise<void> {
    await this.#tx.insertInto('comments').values({ task_id: taskId, author, body, at: this.now }).execute()
  }

  event(event: NewEvent): void {
    this.#events.push(event)
  }

  /** Writes the events, as the last thing of the transaction. */
  async flush(): Promise<readonly EventRow[]> {
    const events = this.#events.splice(0)
    if (events.length === 0) return []
    const rows = await insertEvents(this.#tx, this.#db, events, this.now)
    if (!this.#isServer)
      for (const board of new Set(events.map((event) => event.board))) await this.#db.notify(CHANGES, board, this.#tx)
    return rows
  }

  get #isServer(): boolean {
    return this.#db.dialect === 'postgres'
  }

  async #lock(number: number): Promise<void> {
    const { sql } = this.#db
    if (this.#isServer) await sql`select pg_advisory_xact_lock(${number}, hashtext(current_schema()))`.execute(this.#tx)
  }
}
