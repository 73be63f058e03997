/** What chats are to hear of their tasks: each event once, also when the process that tells it ends half way. */
import type { Boards, TaskNotice, TaskSubscription } from 'svc/sdk/kanban'
import type { BoardStore, ChangeDeps } from './board-store.ts'
import { isFinal, requireTask } from './move.ts'
import { toCard, toEvent, toSubscription } from './records.ts'
import type { SubscriptionsTable } from './tables.ts'

/** Events that people are told of. */
const KINDS = [
  ...['completed', 'blocked', 'gave_up', 'crashed', 'timed_out', 'checks_failed', 'budget_exhausted', 'decomposed'],
  ...['block_loop_detected', 'archived'],
]
const HOLD_MS = 60_000
const RETRY_MS = 30_000
const MAX_FAILURES = 3
/** Events in one notice. */
const MAX_EVENTS = 20

type Key = Pick<TaskSubscription, 'taskId' | 'platform' | 'chat' | 'thread'>

type Subscriber = Omit<TaskSubscription, 'cursor'> & { readonly cursor?: number }

export async function subscribe(store: BoardStore, subscriber: Subscriber): Promise<TaskSubscription> {
  return store.change((deps) => addSubscription(deps, subscriber))
}

/** One that is there stays as it is. */
export async function addSubscription(
  { tx, tables }: ChangeDeps,
  { taskId, platform, chat, thread, profile, cursor }: Subscriber,
): Promise<TaskSubscription> {
  await requireTask(tables, taskId)
  const last = await tx
    .selectFrom('events')
    .select('id')
    .where('task_id', '=', taskId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const row: SubscriptionsTable = {
    ...{ task_id: taskId, platform, chat, thread, profile: profile ?? null, cursor: cursor ?? last?.id ?? 0 },
    ...{ failures: 0, holder: null, held_until: null },
  }
  await tx
    .insertInto('subscriptions')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const key = { taskId, platform, chat, thread }
  const found = await tx
    .selectFrom('subscriptions')
    .selectAll()
    .where((is) => is.and(toColumns(key)))
    .executeTakeFirstOrThrow()
  return toSubscription(found)
}

export async function unsubscribe(store: BoardStore, key: Key): Promise<void> {
  await store.change(({ tx }) =>
    tx
      .deleteFrom('subscriptions')
      .where((is) => is.and(toColumns(key)))
      .execute(),
  )
}

export async function listSubscriptions(
  store: BoardStore,
  taskId: string | undefined,
): Promise<readonly TaskSubscription[]> {
  const { query } = await store.open()
  let rows = query.selectFrom('subscriptions').selectAll()
  if (taskId !== undefined) rows = rows.where('task_id', '=', taskId)
  return (await rows.orderBy('task_id').orderBy('platform').orderBy('chat').orderBy('thread').execute()).map(
    toSubscription,
  )
}

/** Takes what is to be told, for a minute. */
export async function takeNotices(
  store: BoardStore,
  { profile, platforms, holder, limit = 50 }: Parameters<Boards['takeNotices']>[0],
): Promise<readonly TaskNotice[]> {
  const { dialect } = await store.open()
  return store.change(async ({ tx, tables }) => {
    const { now } = tables
    const subscriptions = tx
      .selectFrom('subscriptions')
      .selectAll()
      .where((is) =>
        is.and([
          is.exists(
            is
              .selectFrom('events')
              .select('events.id')
              .whereRef('events.task_id', '=', 'subscriptions.task_id')
              .whereRef('events.id', '>', 'subscriptions.cursor')
              .where('events.kind', 'in', KINDS),
          ),
          // A moment that is further away than it can be was set by a clock that was set back since.
          is.or([is('held_until', 'is', null), is('held_until', '<=', now), is('held_until', '>', now + HOLD_MS)]),
          is.or([is('profile', 'is', null), is('profile', '=', profile ?? '')]),
          ...(platforms ? [is('platform', 'in', [...platforms])] : []),
        ]),
      )
      .orderBy('task_id')
      .limit(limit)
    const rows = await (dialect === 'postgres' ? subscriptions.forUpdate().skipLocked() : subscriptions).execute()
    const notices: TaskNotice[] = []
    for (const row of rows) {
      const subscription = toSubscription(row)
      const events = await tx
        .selectFrom('events')
        .selectAll()
        .where('task_id', '=', row.task_id)
        .where('id', '>', row.cursor)
        .where('kind', 'in', KINDS)
        .orderBy('id')
        .limit(MAX_EVENTS)
        .execute()
      const task = await tx.selectFrom('tasks').selectAll().where('id', '=', row.task_id).executeTakeFirstOrThrow()
      const held = { holder, held_until: now + HOLD_MS }
      await tx
        .updateTable('subscriptions')
        .set(held)
        .where((is) => is.and(toColumns(subscription)))
        .execute()
      const key = `kanban:${row.task_id}:${row.platform}:${row.chat}:${row.thread}:${events.at(-1)?.id}`
      notices.push({ subscription, task: toCard(task), events: events.map(toEvent), key })
    }
    return notices
  })
}

export async function settleNotice(
  store: BoardStore,
  { subscription, events }: TaskNotice,
  result: 'sent' | 'failed',
): Promise<void> {
  await store.change(async ({ tx, tables }) => {
    const row = await tx
      .selectFrom('subscriptions')
      .selectAll()
      .where((is) => is.and(toColumns(subscription)))
      .where('cursor', '=', subscription.cursor)
      .executeTakeFirst()
    if (!row) return
    const failures = result === 'failed' ? row.failures + 1 : 0
    const task = await tx.selectFrom('tasks').select('status').where('id', '=', row.task_id).executeTakeFirst()
    const isOver = result === 'failed' ? failures >= MAX_FAILURES : task === undefined || isFinal(task.status)
    const where = toColumns(subscription)
    if (isOver)
      await tx
        .deleteFrom('subscriptions')
        .where((is) => is.and(where))
        .execute()
    else {
      const changes: Partial<SubscriptionsTable> = {
        ...{ failures, holder: null },
        ...(result === 'sent'
          ? { cursor: events.at(-1)?.id ?? row.cursor, held_until: null }
          : { held_until: tables.now + RETRY_MS }),
      }
      await tx
        .updateTable('subscriptions')
        .set(changes)
        .where((is) => is.and(where))
        .execute()
    }
  })
}

function toColumns({ taskId, platform, chat, thread }: Key) {
  return { task_id: taskId, platform, chat, thread }
}
