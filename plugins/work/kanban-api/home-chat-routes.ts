/** Chats that hear of a task: the home chats of platforms, which a page offers beside it. */
import { SvcError } from 'svc/sdk'
import type { Boards, TaskSubscription } from 'svc/sdk/kanban'
import { Outbox } from 'svc/sdk/platform'
import type { ApiRequest, ApiRoute } from 'svc/sdk/web'
import { z } from 'zod'
import { type Context, defineRoute, getId } from './route.ts'

const channel = z.object({
  platform: z.string(),
  chat_id: z.string(),
  name: z.string(),
  subscribed: z.boolean().meta({ description: 'Whether it hears of the task of ?task_id=.' }),
})

interface HomeChat {
  readonly platform: string
  readonly chat: string
  readonly name: string
}

export function homeChatRoutes(ctx: Context): readonly ApiRoute[] {
  const change = (method: 'POST' | 'DELETE', summary: string, work: (boards: Boards, key: Key) => Promise<unknown>) =>
    defineRoute(ctx, {
      method,
      path: '/tasks/:id/home-subscribe/:platform',
      summary,
      response: z.object({ ok: z.boolean(), task_id: z.string(), home_channel: channel }),
      async handle(boards, request) {
        const { id } = await boards.get(getId(request))
        const home = findHome(ctx, request)
        await work(boards, toKey(id, home))
        return { ok: true, task_id: id, home_channel: toChannel(home, method === 'POST') }
      },
    })
  return [
    defineRoute(ctx, {
      method: 'GET',
      path: '/home-channels',
      summary: 'Home chats of the platforms of this process, and which of them hear of a task',
      query: z.looseObject({ task_id: z.string().optional() }),
      response: z.object({ home_channels: z.array(channel) }),
      async handle(boards, { query: { task_id: taskId } }) {
        const heard = taskId ? await boards.subscriptions({ taskId }) : []
        const isHeard = (home: HomeChat) =>
          heard.some((one) => one.platform === home.platform && one.chat === home.chat)
        return { home_channels: listHomes(ctx).map((home) => toChannel(home, isHeard(home))) }
      },
    }),
    change('POST', 'Has the home chat of a platform hear of a task', (boards, key) => boards.subscribe(key)),
    change('DELETE', 'Ends that', (boards, key) => boards.unsubscribe(key)),
  ]
}

type Key = Pick<TaskSubscription, 'taskId' | 'platform' | 'chat' | 'thread'>

const toKey = (taskId: string, { platform, chat }: HomeChat): Key => ({ taskId, platform, chat, thread: '' })

function listHomes(ctx: Context): readonly HomeChat[] {
  const outbox = ctx.find(Outbox)
  return (outbox?.destinations() ?? []).flatMap(({ target, label }) => {
    const chat = target.includes(':') ? undefined : outbox?.home(target)
    return chat === undefined ? [] : [{ platform: target, chat, name: label }]
  })
}

/** Throws `API_KANBAN_UNKNOWN`. */
function findHome(ctx: Context, { http }: Pick<ApiRequest, 'http'>): HomeChat {
  const name = http.params['platform'] ?? ''
  const found = listHomes(ctx).find(({ platform }) => platform === name)
  if (found) return found
  const message = `There is no home chat of ${JSON.stringify(name.slice(0, 40))}. Set one with /sethome in the chat.`
  throw new SvcError('API_KANBAN_UNKNOWN', message, { status: 404 })
}

function toChannel({ platform, chat, name }: HomeChat, isHeard: boolean): z.infer<typeof channel> {
  return { platform, chat_id: chat, name, subscribed: isHeard }
}
