/** Wires the routes of stored sessions. */
import { definePlugin } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { SessionsRemoved } from 'svc/sdk/hooks'
import { z } from 'zod'
import { changeRoutes } from './change-routes.ts'
import { readRoutes } from './read-routes.ts'
import { treeRoutes } from './tree-routes.ts'

export default definePlugin({
  setup(ctx) {
    const archived = ctx.state('archived', { schema: z.array(z.string()), initial: [] as string[] })
    const lists = [readRoutes, treeRoutes, changeRoutes]
    for (const route of lists.flatMap((list) => list(ctx, archived))) ctx.add(DashboardRoutes, route)
    ctx.on(SessionsRemoved, async ({ sessions }) => {
      const gone = new Set(sessions.map(({ id }) => id))
      if (archived.get().some((id) => gone.has(id))) await archived.update((ids) => ids.filter((id) => !gone.has(id)))
    })
  },
})
