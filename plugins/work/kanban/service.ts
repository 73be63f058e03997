/** The service: what others ask of the boards, each as one transaction. */
import { type Random, type Secrets, SvcError } from 'svc/sdk'
import type {
  Boards,
  RunCost,
  RunEnd,
  Task,
  TaskCard,
  TaskChange,
  TaskChanges,
  TaskClaim,
  TaskClaimOptions,
  TaskComment,
  TaskEvent,
  TaskLease,
  TaskMoveOptions,
  TaskRevision,
  TaskRun,
} from 'svc/sdk/kanban'
import type { SharedStore } from 'svc/sdk/store'
import * as attachments from './attachments.ts'
import { BoardList, hasSpent } from './board-list.ts'
import { BoardStore, type ChangeDeps } from './board-store.ts'
import { diagnose } from './diagnose.ts'
import { assignTask, changeTask } from './edit.ts'
import * as graph from './graph-moves.ts'
import { checkChanges, checkFanOut, checkLength, checkTask, checkText } from './input.ts'
import { requireTask } from './move.ts'
import * as notices from './notices.ts'
import { moveTo } from './person-moves.ts'
import { BoardReading } from './reading.ts'
import { CARD_COLUMNS, toCard, toComment, toEvent, toRun, toTask } from './records.ts'
import * as runs from './run-moves.ts'
import { CHANGES } from './sql-tables.ts'
import type { RunRow, TaskRow } from './tables.ts'
import * as moves from './task-moves.ts'
import { findUnknownTasks } from './unknown-tasks.ts'

export interface ServiceDeps {
  readonly store: () => SharedStore
  readonly random: () => Random
  readonly secrets: () => Secrets
}

export class KanbanBoards implements Boards {
  readonly #store: BoardStore
  readonly #boards: BoardList
  readonly #reading: BoardReading

  constructor(deps: ServiceDeps) {
    this.#store = new BoardStore(deps)
    this.#boards = new BoardList({ store: this.#store, secrets: deps.secrets })
    this.#reading = new BoardReading({ store: this.#store, boards: this.#boards })
  }

  boards: Boards['boards'] = (options) => this.#boards.list(options)
  board: Boards['board'] = (slug) => this.#boards.find(slug)
  createBoard: Boards['createBoard'] = (board) => this.#boards.create(board)
  changeBoard: Boards['changeBoard'] = (slug, changes) => this.#boards.change(slug, changes)
  removeBoard: Boards['removeBoard'] = (slug) => this.#boards.remove(slug)
  useBoard: Boards['useBoard'] = (slug) => this.#boards.use(slug)

  list: Boards['list'] = (query = {}) => this.#reading.list(query)
  get: Boards['get'] = (id) => this.#reading.get(id)
  details: Boards['details'] = (id) => this.#reading.details(id)
  counts: Boards['counts'] = (ids) => this.#reading.counts(ids)
  stats: Boards['stats'] = (board) => this.#reading.stats(board)
  runs: Boards['runs'] = (query) => this.#reading.runs(query)
  run: Boards['run'] = (id) => this.#reading.run(id)
  diagnose: Boards['diagnose'] = (board) => diagnose(this, board)
  events: Boards['events'] = (query) => this.#reading.events(query)

  watch: Boards['watch'] = async (listener) => (await this.#store.open()).listen(CHANGES, listener)

  create: Boards['create'] = async (task) => {
    checkTask(task)
    const board = await this.#boards.resolve(task.board)
    const created = await this.#store.change(async (deps) => {
      const found = await graph.create(deps, board, task)
      if (task.subscriber) await notices.addSubscription(deps, { taskId: found.task.id, ...task.subscriber })
      return found
    })
    return { task: toTask(created.task), isNew: created.isNew }
  }

  async edit(id: string, changes: TaskChanges, change: TaskChange): Promise<Task> {
    checkChanges(changes)
    checkLength('The metadata', changes.metadata)
    return this.#changeTask((deps) => changeTask(deps, id, changes, change))
  }

  assign: Boards['assign'] = (id, assignee, change) =>
    this.#changeTask((deps) => assignTask(deps, id, assignee, change))

  async change(id: string, wanted: TaskRevision, change: TaskChange): Promise<Task> {
    const { changes = {}, assignee, move, reclaimsFirst = false } = wanted
    checkChanges(changes)
    checkLength('The metadata', changes.metadata)
    if (move) checkMove(move)
    const work = async (deps: ChangeDeps) => {
      let task = await requireTask(deps.tables, id)
      if (reclaimsFirst && task.status === 'running') task = await moves.reclaim(deps, id, change)
      if (Object.keys(changes).length > 0) task = await changeTask(deps, id, changes, change)
      if (assignee !== undefined && (assignee?.trim().toLowerCase() || null) !== task.assignee)
        task = await assignTask(deps, id, assignee ?? undefined, change)
      return move ? moveTo(deps, id, move.to, { ...move, ...change }) : task
    }
    return this.#changeTask(work, { sync: move?.to === 'done' })
  }

  link: Boards['link'] = (parent, child, change) =>
    this.#store.change((deps) => graph.link(deps, parent, child, change))
  unlink: Boards['unlink'] = (parent, child, change) =>
    this.#store.change((deps) => graph.unlink(deps, parent, child, change))

  async comment(
    id: string,
    { author, body }: { readonly author: string; readonly body: string },
  ): Promise<TaskComment> {
    checkText('The comment', body)
    return this.#store.change(async ({ tables, tx }) => {
      const task = await requireTask(tables, id)
      const row = { task_id: id, author, body, at: tables.now }
      const written = await tx.insertInto('comments').values(row).returningAll().executeTakeFirstOrThrow()
      const data = { by: author, length: body.length }
      tables.event({ board: task.board, taskId: id, runId: task.run_id, kind: 'commented', data })
      return toComment(written)
    })
  }

  attach: Boards['attach'] = (id, file) => attachments.attach(this.#store, id, file)
  attachment: Boards['attachment'] = (id) => attachments.readAttachment(this.#store, id)
  removeAttachment: Boards['removeAttachment'] = (id, change) => attachments.removeAttachment(this.#store, id, change)

  async complete(id: string, completion: moves.Completing): Promise<Task> {
    for (const name of ['summary', 'result', 'metadata'] as const) checkLength(`The ${name}`, completion[name])
    const { createdTasks = [], by, summary } = completion
    if (createdTasks.length > 0) await this.#refuseUnknown(id, createdTasks, { by, summary })
    return this.#changeTask((deps) => moves.complete(deps, id, completion), { sync: true })
  }

  async block(id: string, block: moves.Blocking): Promise<Task> {
    checkText('The reason', block.reason)
    return this.#changeTask((deps) => moves.block(deps, id, block))
  }

  unblock: Boards['unblock'] = (id, change) => this.#changeTask((deps) => moves.unblock(deps, id, change))
  schedule: Boards['schedule'] = (id, change) => this.#changeTask((deps) => moves.schedule(deps, id, change))
  promote: Boards['promote'] = (id, change) => this.#changeTask((deps) => moves.promote(deps, id, change))
  archive: Boards['archive'] = (id, change) => this.#changeTask((deps) => moves.archive(deps, id, change))
  remove: Boards['remove'] = (id) => this.#store.change((deps) => moves.remove(deps, id))

  moves: Boards['moves'] = (id) => this.#reading.moves(id)

  async move(id: string, { to, ...options }: TaskMoveOptions): Promise<Task> {
    checkMove(options)
    return this.#changeTask((deps) => moveTo(deps, id, to, options), { sync: to === 'done' })
  }

  specify: Boards['specify'] = async (id, specification) => {
    checkChanges({
      ...(specification.title !== undefined && { title: specification.title }),
      ...(specification.body !== undefined && { body: specification.body }),
    })
    return this.#changeTask((deps) => graph.specify(deps, id, specification), { sync: true })
  }

  decompose: Boards['decompose'] = async (id, fanOut) => {
    checkFanOut(fanOut)
    const { root, children } = await this.#store.change((deps) => graph.decompose(deps, id, fanOut), { sync: true })
    return { root: toTask(root), children: children.map(toTask) }
  }

  recompute: Boards['recompute'] = async (board) => {
    const slug = await this.#reading.board(board)
    return this.#store.change((deps) => moves.recompute(deps, slug))
  }

  claimable: Boards['claimable'] = async ({ board, limit, assignee }) => {
    const db = await this.#store.open()
    const now = await db.now()
    let tasks = db.query.selectFrom('tasks').select(CARD_COLUMNS).where('status', '=', 'ready')
    const slug = await this.#reading.board(board)
    if (slug !== undefined) tasks = tasks.where('board', '=', slug)
    if (assignee !== undefined) tasks = tasks.where('assignee', '=', assignee.toLowerCase())
    const free = tasks.where((is) =>
      is.or([is('not_before', 'is', null), is('not_before', '<=', now), is('paused_at', '>', now)]),
    )
    const rows = await free.orderBy('priority', 'desc').orderBy('created_at').orderBy('id').limit(limit).execute()
    return rows.map((row): TaskCard => toCard(row))
  }

  async claim(id: string, options: TaskClaimOptions): Promise<TaskClaim> {
    return this.#store.change(async (deps): Promise<TaskClaim> => {
      // Several dispatchers see the same list: one that came later takes the next task and does not wait for this one.
      const free = await deps.tables.freeTask(id)
      const found = free === 'locked' ? undefined : (free ?? (await requireTask(deps.tables, id)))
      if (found?.status !== 'ready') return { refused: 'status' }
      const refused = await this.#refuseBoard(deps, found, options.caps)
      if (refused) return { refused }
      const claimed = await runs.claim(deps, id, options)
      if ('refused' in claimed) return claimed
      const { task, run } = claimed
      const lease = { taskId: id, epoch: task.epoch, nonce: task.nonce ?? '' }
      return { task: toTask(task), run: toRun(run), lease }
    })
  }

  started: Boards['started'] = (lease, worker) => this.#changeRun((deps) => runs.started(deps, lease, worker))
  heartbeat: Boards['heartbeat'] = (lease, options = {}) =>
    this.#changeRun((deps) => runs.heartbeat(deps, lease, options))

  submit: Boards['submit'] = async (lease, completion) => {
    for (const name of ['summary', 'result', 'metadata'] as const) checkLength(`The ${name}`, completion[name])
    return toRun(await this.#store.change((deps) => runs.submit(deps, lease, completion), { sync: true }))
  }

  async leaseOf({ taskId, epoch }: Pick<TaskRun, 'taskId' | 'epoch'>): Promise<TaskLease> {
    const { query } = await this.#store.open()
    const task = await query.selectFrom('tasks').selectAll().where('id', '=', taskId).executeTakeFirst()
    if (!task) throw new SvcError('KANBAN_TASK_UNKNOWN', `There is no task ${taskId}.`)
    if (task.status !== 'running' || task.epoch !== epoch || task.nonce === null) throw runs.lost(task, epoch)
    return { taskId, epoch, nonce: task.nonce }
  }

  lapsed: Boards['lapsed'] = async (board) => {
    const slug = await this.#reading.board(board)
    const db = await this.#store.open()
    const now = await db.now()
    let open = db.query
      .selectFrom('runs')
      .innerJoin('tasks', 'tasks.run_id', 'runs.id')
      .selectAll('runs')
      .where('runs.ended_at', 'is', null)
      .where('tasks.status', '=', 'running')
    if (slug !== undefined) open = open.where('runs.board', '=', slug)
    const rows = await open.orderBy('runs.id').execute()
    const early = rows.filter((run) => run.expires_at > now + run.lease_ms)
    if (early.length > 0) await this.#store.change((deps) => cutLeases(deps, early))
    return rows.filter((run) => run.expires_at <= now).map(toRun)
  }

  endRun: Boards['endRun'] = (run, end: RunEnd) => this.#changeTask((deps) => runs.endRun(deps, run, end))
  reclaim: Boards['reclaim'] = (id, change) => this.#changeTask((deps) => moves.reclaim(deps, id, change))

  async spend(runId: number, cost: RunCost): Promise<void> {
    await this.#store.change(async ({ tables, tx }) => {
      const run = await tables.run(runId)
      const task = run && (await tables.task(run.task_id))
      if (!task) throw new SvcError('KANBAN_TASK_UNKNOWN', `There is no run ${runId}.`)
      await tables.saveRun(runId, {
        ...{ usd: cost.usd, unpriced_calls: cost.unpricedCalls, calls: cost.calls },
        ...{ input_tokens: cost.inputTokens, output_tokens: cost.outputTokens },
        ...(cost.model !== undefined && { model: cost.model }),
      })
      const all = await tx.selectFrom('runs').select(['usd', 'unpriced_calls']).where('task_id', '=', task.id).execute()
      await tables.saveTask(task, {
        spent_usd: all.reduce((sum, { usd }) => sum + usd, 0),
        unpriced_runs: all.filter((one) => one.unpriced_calls > 0).length,
      })
    })
  }

  async record(id: string, kind: string, data: Readonly<Record<string, unknown>>): Promise<TaskEvent> {
    checkText('The kind', kind, 100)
    checkLength('The data', data)
    const { events } = await this.#store.changeWithEvents(async ({ tables }) => {
      const task = await requireTask(tables, id)
      tables.event({ board: task.board, taskId: id, runId: task.run_id, kind, data })
    })
    return events.map(toEvent)[0] as TaskEvent
  }

  subscribe: Boards['subscribe'] = (subscription) => notices.subscribe(this.#store, subscription)
  unsubscribe: Boards['unsubscribe'] = (subscription) => notices.unsubscribe(this.#store, subscription)
  subscriptions: Boards['subscriptions'] = (query = {}) => notices.listSubscriptions(this.#store, query.taskId)
  takeNotices: Boards['takeNotices'] = (options) => notices.takeNotices(this.#store, options)
  settleNotice: Boards['settleNotice'] = (notice, result) => notices.settleNotice(this.#store, notice, result)

  collect: Boards['collect'] = ({ before }) =>
    this.#store.change(async ({ tx }) => {
      const final = tx.selectFrom('tasks').select('id').where('status', 'in', ['done', 'archived'])
      const gone = tx.deleteFrom('events').where('at', '<', before).where('task_id', 'in', final)
      return (await gone.returning('id').execute()).length
    })

  close(): Promise<void> {
    return this.#store.close()
  }

  async #changeTask(
    work: (deps: ChangeDeps) => Promise<TaskRow>,
    options?: { readonly sync?: boolean },
  ): Promise<Task> {
    return toTask(await this.#store.change(work, options))
  }

  async #changeRun(work: (deps: ChangeDeps) => Promise<RunRow>): Promise<TaskRun> {
    return toRun(await this.#store.change(work))
  }

  /** Caps and the budget of the board: its row is locked, so that two dispatchers do not both take the last place. */
  async #refuseBoard({ tx }: ChangeDeps, task: TaskRow, caps: TaskClaimOptions['caps']) {
    const rows = tx.selectFrom('boards').selectAll().where('slug', '=', task.board)
    const { dialect, sql } = await this.#store.open()
    const isCapped = caps?.board !== undefined || caps?.assignee !== undefined
    const board = await (isCapped && dialect === 'postgres' ? rows.forUpdate() : rows).executeTakeFirst()
    if (board?.budget_usd !== null && board?.budget_usd !== undefined) {
      const spent = tx.selectFrom('tasks').select((is) => is.fn.sum<number>('spent_usd').as('usd'))
      const own = spent.where('board', '=', task.board).where(hasSpent(sql))
      const { usd } = await own.executeTakeFirstOrThrow()
      if (Number(usd ?? 0) >= board.budget_usd) return 'board-budget'
    }
    if (!isCapped) return undefined
    const running = await tx
      .selectFrom('tasks')
      .select('assignee')
      .where('board', '=', task.board)
      .where('status', '=', 'running')
      .execute()
    const own = running.filter(({ assignee }) => assignee === task.assignee).length
    return running.length >= (caps?.board ?? Infinity) || own >= (caps?.assignee ?? Infinity) ? 'cap' : undefined
  }

  async #refuseUnknown(
    id: string,
    ids: readonly string[],
    data: { readonly by: string; readonly summary: string | undefined },
  ) {
    const unknown = await findUnknownTasks(await this.#store.open(), await this.get(id), ids)
    if (unknown.length === 0) return
    const event = {
      ...data,
      summary: data.summary?.slice(0, 400),
      unknown,
      known: ids.filter((one) => !unknown.includes(one)),
    }
    await this.record(id, 'completion_blocked_hallucination', event)
    throw new SvcError(
      'KANBAN_UNKNOWN_TASKS',
      `${id} did not create these tasks: ${unknown.join(', ')}. Name only those that it created. Nothing was changed.`,
    )
  }
}

function checkMove(options: Omit<TaskMoveOptions, 'by' | 'to'>): void {
  for (const name of ['summary', 'result', 'metadata'] as const) checkLength(`The ${name}`, options[name])
  if (options.reason !== undefined) checkLength('The reason', options.reason)
}

/** Leases that end later than they can: the clock was set back. They last once more their own time. */
async function cutLeases({ tables, tx }: ChangeDeps, early: readonly RunRow[]): Promise<void> {
  for (const run of early) {
    const task = await tables.task(run.task_id)
    if (task?.run_id !== run.id) continue
    const changes = { expires_at: tables.now + run.lease_ms }
    await tables.saveTask(task, changes)
    await tx.updateTable('runs').set(changes).where('id', '=', run.id).execute()
  }
}
