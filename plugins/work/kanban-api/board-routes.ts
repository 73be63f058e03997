/** A board as a screen shows it, and what is counted on it. */
import { TASK_STATUSES } from 'svc/sdk/kanban'
import type { ApiRoute } from 'svc/sdk/web'
import { z } from 'zod'
import { boardQuery, type Context, defineRoute, findBoard, flag, isOn } from './route.ts'
import { boardCardSchema, toBoardCard } from './wire.ts'

const MAX_CARDS = 20_000

const columns = z.object({
  board: z.string(),
  columns: z.array(z.object({ name: z.enum(TASK_STATUSES), tasks: z.array(boardCardSchema) })),
  tenants: z.array(z.string()),
  assignees: z.array(z.string()),
  latest_event_id: z.number().meta({ description: 'Where to follow the events from: none is missed.' }),
  now: z.number(),
})

export function boardRoutes(ctx: Context): readonly ApiRoute[] {
  return [
    defineRoute(ctx, {
      method: 'GET',
      path: '/board',
      summary: 'The tasks of a board by status',
      query: boardQuery.extend({ tenant: z.string().optional(), include_archived: flag }),
      response: columns,
      async handle(boards, { query }) {
        const board = await findBoard(boards, query)
        // Before the tasks: an event that happens in between is told again, and none is missed.
        const stats = await boards.stats(board)
        const archived = isOn(query.include_archived)
        const tenant = query.tenant === undefined || query.tenant === '' ? {} : { tenant: query.tenant }
        const { tasks } = await boards.list({ board, archived, ...tenant, sort: 'dispatch', limit: MAX_CARDS })
        const counts = await boards.counts(tasks.map(({ id }) => id))
        const names = TASK_STATUSES.filter((status) => archived || status !== 'archived')
        const cards = groupBy(tasks, ({ status }) => status)
        return {
          board,
          columns: names.map((name) => ({
            name,
            tasks: (cards.get(name) ?? []).map((card) => toBoardCard(card, counts.get(card.id), stats.now)),
          })),
          tenants: stats.tenants,
          assignees: listAssignees(stats.byAssignee),
          latest_event_id: stats.lastEvent,
          now: stats.now / 1000,
        }
      },
    }),
    defineRoute(ctx, {
      method: 'GET',
      path: '/stats',
      summary: 'How many tasks a board has, by status and assignee',
      query: boardQuery,
      async handle(boards, { query }) {
        const board = await findBoard(boards, query)
        const { byStatus, byAssignee, oldestReadyAt, spentUsd, lastEvent, now } = await boards.stats(board)
        return {
          board,
          by_status: byStatus,
          by_assignee: byAssignee,
          oldest_ready_age_seconds: oldestReadyAt === undefined ? null : Math.max(0, (now - oldestReadyAt) / 1000),
          spent_usd: spentUsd,
          latest_event_id: lastEvent,
          now: now / 1000,
        }
      },
    }),
    defineRoute(ctx, {
      method: 'GET',
      path: '/assignees',
      summary: 'Who has tasks on a board that are not final',
      query: boardQuery,
      async handle(boards, { query }) {
        const { byAssignee } = await boards.stats(await findBoard(boards, query))
        return { assignees: listAssignees(byAssignee).map((name) => ({ name, counts: byAssignee[name] ?? {} })) }
      },
    }),
    diagnosticsRoute(ctx),
  ]
}

function diagnosticsRoute(ctx: Context): ApiRoute {
  return defineRoute(ctx, {
    method: 'GET',
    path: '/diagnostics',
    summary: 'Tasks that need a person',
    query: boardQuery.extend({ severity: z.enum(['warning', 'error', 'critical']).optional() }),
    async handle(boards, { query }) {
      const found = await boards.diagnose(await findBoard(boards, query))
      const wanted = found.filter(({ severity }) => query.severity === undefined || severity === query.severity)
      const byTask = groupBy(wanted, ({ task }) => task.id)
      const diagnostics = [...byTask.values()].flatMap((findings) => {
        const task = findings[0]?.task
        if (!task) return []
        return {
          task_id: task.id,
          task_title: task.title,
          task_status: task.status,
          task_assignee: task.assignee ?? null,
          diagnostics: findings.map(({ kind, severity, detail, fix }) => {
            return {
              kind,
              severity,
              title: kind.replaceAll('_', ' '),
              detail,
              actions: [{ kind: 'cli_hint', label: fix }],
            }
          }),
        }
      })
      return { diagnostics, count: wanted.length }
    },
  })
}

function listAssignees(byAssignee: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(byAssignee)
    .filter((name) => name !== '')
    .sort()
}

/** In the order in which the keys first come. */
function groupBy<T, Key>(items: readonly T[], key: (item: T) => Key): ReadonlyMap<Key, T[]> {
  const groups = new Map<Key, T[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group) group.push(item)
    else groups.set(key(item), [item])
  }
  return groups
}
