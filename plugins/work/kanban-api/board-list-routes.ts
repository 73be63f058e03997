/** Boards: list, create, change, make current, archive and delete. */
import { type BoardChanges, type Boards, TASK_STATUSES } from 'svc/sdk/kanban'
import type { ApiRequest, ApiRoute } from 'svc/sdk/web'
import { z } from 'zod'
import { type Context, defineRoute, flag, isOn } from './route.ts'
import { boardSchema, toBoard } from './wire.ts'

const changes = z.looseObject({
  name: z.string().nullish(),
  description: z.string().nullish(),
  icon: z.string().nullish(),
  color: z.string().nullish(),
  default_workdir: z.string().nullish(),
  budget_usd: z.number().nullish(),
  archived: z.boolean().optional(),
})
const newBoard = changes.extend({ slug: z.string(), switch: z.boolean().optional() })
const one = z.object({ board: boardSchema })

export function boardListRoutes(ctx: Context): readonly ApiRoute[] {
  return [
    defineRoute(ctx, {
      method: 'GET',
      path: '/boards',
      summary: 'All boards, with the number of their tasks by status',
      query: z.looseObject({ include_archived: flag }),
      response: z.object({
        boards: z.array(boardSchema.extend({ counts: z.record(z.enum(TASK_STATUSES), z.number()) })),
        current: z.string(),
      }),
      async handle(boards, { query }) {
        const all = await boards.boards({ archived: isOn(query.include_archived) })
        const listed = all.map(async (board) => {
          return { ...toBoard(board), counts: (await boards.stats(board.slug)).byStatus }
        })
        return { boards: await Promise.all(listed), current: (await boards.board()).slug }
      },
    }),
    defineRoute(ctx, {
      method: 'POST',
      path: '/boards',
      summary: 'Creates a board; one that is there stays as it is',
      body: newBoard,
      response: one,
      async handle(boards, { body: { slug, switch: isUsed, ...given } }) {
        const known = (await boards.boards({ archived: true })).find((board) => board.slug === slug)
        const board = known ?? (await boards.createBoard({ slug, ...readChanges(given, 'new') }))
        if (isUsed) await boards.useBoard(slug)
        return { board: toBoard(board), created: known === undefined }
      },
    }),
    defineRoute(ctx, {
      method: 'GET',
      path: '/boards/:slug',
      summary: 'A board',
      response: one,
      handle: async (boards, request) => ({ board: toBoard(await boards.board(getSlug(request))) }),
    }),
    defineRoute(ctx, {
      method: 'PATCH',
      path: '/boards/:slug',
      summary: 'Changes a board; null removes what it says',
      body: changes,
      response: one,
      handle: async (boards, request) => {
        return { board: toBoard(await boards.changeBoard(getSlug(request), readChanges(request.body, 'changed'))) }
      },
    }),
    defineRoute(ctx, {
      method: 'DELETE',
      path: '/boards/:slug',
      summary: 'Archives a board, or with delete=true removes it with all of its tasks',
      query: z.looseObject({ delete: flag }),
      handle: (boards, request) => removeBoard(boards, getSlug(request), isOn(request.query.delete)),
    }),
    defineRoute(ctx, {
      method: 'POST',
      path: '/boards/:slug/switch',
      summary: 'Makes a board the one in use, for all profiles',
      async handle(boards, request) {
        await boards.useBoard(getSlug(request))
        return { ok: true, current: getSlug(request) }
      },
    }),
  ]
}

async function removeBoard(boards: Boards, slug: string, isForGood: boolean): Promise<object> {
  if (isForGood) await boards.removeBoard(slug)
  else await boards.changeBoard(slug, { isArchived: true })
  return { ok: true, slug, deleted: isForGood, archived: !isForGood }
}

function getSlug({ http }: Pick<ApiRequest, 'http'>): string {
  return http.params['slug'] ?? ''
}

/** A board that is new has nothing that null could remove. */
function readChanges(given: Omit<z.infer<typeof changes>, never>, kind: 'new' | 'changed'): BoardChanges {
  const { name, description, icon, color, default_workdir, budget_usd, archived } = given
  const removable = { icon, color, defaultWorkdir: default_workdir, budgetUsd: budget_usd }
  const named = { name: name ?? undefined, description: description ?? undefined, isArchived: archived }
  return Object.fromEntries(
    Object.entries({ ...named, ...removable }).filter(
      ([, value]) => value !== undefined && (value !== null || kind === 'changed'),
    ),
  )
}
