/** What clients ask about pages and views of plugins, and what tells them of changes. */
import { Clock, errorMessage, type PluginContext, SvcError } from 'svc/sdk'
import {
  DashboardPages,
  type DashboardRoute,
  defineDashboardRoute,
  isViewBlocks,
  type SharedView,
  SharedViews,
  type ViewBlock,
} from 'svc/sdk/dashboard'
import { defineRpcMethod, type RpcCaller, type RpcMethod } from 'svc/sdk/web'
import { z } from 'zod'
import type { Config } from './config.ts'
import { pageListSchema, viewSchema } from './page-list.ts'
import type { PluginPages } from './plugin-pages.ts'

type Context = PluginContext<Config>

/** Milliseconds in which changes of a view are told as one. */
const CHANGE_MS = 50

export function pageRoutes(ctx: Context, pages: PluginPages): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/pages',
      summary: 'Pages and views of plugins',
      response: pageListSchema,
      handle: () => pages.list(),
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/pages/views/:name',
      summary: 'What a view of a plugin shows now',
      query: z.object({ session_id: z.string().max(200).optional() }),
      response: viewSchema,
      handle: ({ params, query }) => ({ blocks: readView(ctx, params['name'] ?? '', query.session_id) as never }),
    }),
  ]
}

function readView(ctx: Context, name: string, sessionId: string | undefined): readonly ViewBlock[] {
  const all = ctx.all(SharedViews)
  const view = all.get(name)
  if (!view) throw new SvcError('DASHBOARD_PAGE', `There is no view "${name.slice(0, 64)}".`, { status: 404 })
  let reason = 'it returned no list of blocks, or is not asked any more after several failures'
  const read = () => {
    try {
      return view.blocks(sessionId === undefined ? {} : { sessionId })
    } catch (error) {
      reason = errorMessage(error)
      throw error
    }
  }
  const blocks = all.attempt(view, read, isViewBlocks)
  if (blocks) return blocks
  throw new SvcError('DASHBOARD_VIEW', `The plugin ${all.owner(name) ?? ''} failed here: ${reason}`, { status: 502 })
}

/** Tells each client that asks for it of changes, as events `pages.changed` and `view.changed`. */
export function watchMethod(ctx: Context, pages: PluginPages): RpcMethod {
  const watching = new WeakSet<RpcCaller>()
  return defineRpcMethod({
    name: 'pages.watch',
    summary: 'Pages and views of plugins; later changes are told by pages.changed and view.changed',
    result: pageListSchema,
    async run(_params, caller) {
      if (!watching.has(caller)) watch(ctx, pages, caller)
      watching.add(caller)
      return pages.list()
    },
  })
}

function watch(ctx: Context, pages: PluginPages, caller: RpcCaller): void {
  const views = ctx.all(SharedViews)
  const followed = new Map<SharedView, () => unknown>()
  const follow = () => {
    const now = new Set(views.all())
    for (const [view, stop] of followed) if (!now.has(view) && followed.delete(view)) stop()
    for (const view of now) if (!followed.has(view)) followed.set(view, followView(ctx, view, caller))
  }
  const changed = async () => {
    follow()
    caller.emit('pages.changed', await pages.list())
  }
  const ends = [views.onChange(() => void changed()), ctx.all(DashboardPages).onChange(() => void changed())]
  follow()
  caller.signal.addEventListener('abort', () => {
    for (const end of ends) void end()
    for (const stop of followed.values()) stop()
    followed.clear()
  })
}

/** Returns what ends it. A view that cannot be followed is charged to its plugin, and asked for when it is shown. */
function followView(ctx: Context, view: SharedView, caller: RpcCaller): () => unknown {
  let isTold = true
  const tell = () => {
    isTold = true
    caller.emit('view.changed', { name: view.name })
  }
  const changed = () => {
    if (!isTold) return
    isTold = false
    ctx.use(Clock).after(CHANGE_MS, tell, { background: true })
  }
  const stop = ctx.all(SharedViews).attempt(view, () => view.onChange?.(changed))
  return () => void stop?.()
}
