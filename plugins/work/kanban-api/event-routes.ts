/** What happened: page by page, and as it happens. */
import { Clock, SvcError } from 'svc/sdk'
import { type ApiRequest, type ApiRoute, eventStreamResponse } from 'svc/sdk/web'
import { z } from 'zod'
import { follow, readPage } from './feed.ts'
import { boardQuery, type Context, defineRoute, getBoard, RawReply } from './route.ts'
import { eventsSchema } from './wire.ts'

/** Each holds a connection and reads the board when it changes. */
const MAX_FEEDS = 200

const query = boardQuery.extend({
  since: z.coerce.number().int().min(0).optional().meta({ description: 'A cursor: only what happened after it.' }),
  task_id: z.string().optional(),
  kinds: z.string().optional().meta({ description: 'Only these kinds, with commas between them.' }),
})

export function eventRoutes(ctx: Context): readonly ApiRoute[] {
  let feeds = 0
  return [
    defineRoute(ctx, {
      method: 'GET',
      path: '/events',
      summary: 'Events after a cursor, oldest first; without one the newest',
      query: query.extend({ limit: z.coerce.number().int().min(1).max(5000).default(200) }),
      response: eventsSchema,
      handle: async (boards, { query: { limit, since, ...asked } }) => readPage(boards, readQuery(asked), since, limit),
    }),
    defineRoute(ctx, {
      method: 'GET',
      path: '/events/stream',
      summary: 'Events as they happen, as server-sent events: each has a batch, and its id is the cursor after it',
      query,
      async handle(boards, request) {
        const { since, ...asked } = request.query
        if (feeds >= MAX_FEEDS)
          throw new SvcError('API_KANBAN_FEEDS', `${MAX_FEEDS} clients follow the board, which is the most.`, {
            status: 429,
          })
        // A board that does not exist is refused before the stream begins.
        if (asked.board !== undefined && asked.board !== '*') await boards.board(asked.board)
        const signal = AbortSignal.any([request.http.signal, ctx.signal])
        const pieces = async function* () {
          feeds++
          try {
            yield* follow({ boards, signal, query: readQuery(asked), since: getCursor(request) ?? since })
          } finally {
            feeds--
          }
        }
        return new RawReply(eventStreamResponse(pieces(), ctx.use(Clock)))
      },
    }),
  ]
}

/** Where a client that comes back goes on. */
function getCursor({ http }: Pick<ApiRequest, 'http'>): number | undefined {
  const id = http.headers['last-event-id']
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined
}

function readQuery({ board, task_id, kinds }: Pick<z.infer<typeof query>, 'board' | 'task_id' | 'kinds'>) {
  const names = kinds?.split(',').map((kind) => kind.trim())
  return {
    ...getBoard({ board }),
    ...(task_id !== undefined && task_id !== '' && { taskId: task_id }),
    ...(names && names.length > 0 && { kinds: names }),
  }
}
